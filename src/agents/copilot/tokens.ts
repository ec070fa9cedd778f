/** Converts Copilot's token counts. */
import type { TokenCounts } from "../../core/cost.ts";
import { asNumber } from "../../lib/json/fields.ts";

/** The counts of one request as written: input includes cache reads and writes, output includes reasoning. */
export interface RequestTokens {
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
  reasoning: number;
}

export function isEmpty(tokens: RequestTokens): boolean {
  return tokens.input === 0 && tokens.output === 0 && tokens.cacheRead === 0 && tokens.cacheWrite === 0;
}

export function tokenCounts({ input, output, cacheRead, cacheWrite, reasoning }: RequestTokens): TokenCounts {
  const cache = cacheRead + cacheWrite;
  return {
    // Input smaller than its cached part does not include it.
    input: input >= cache ? input - cache : input,
    cached: cacheRead,
    cacheWrite,
    cacheWrite1h: 0,
    output,
    thinking: Math.min(reasoning, output),
  };
}

/** 1e9 nano are a credit, and a credit is a cent: 1e11 are a dollar, 1e5 a micro-dollar. */
const NANO_AIU_PER_MICRO_USD = 1e5;
/** Since 2026-06-01 credits are billed; earlier figures were a preview. */
const CREDITS_BILLED_FROM = Date.UTC(2026, 5, 1);

/** Micro-dollars for an amount of AI credits; undefined if none were charged. */
export function microUsd(nanoAiu: unknown, at: number | undefined): number | undefined {
  const amount = asNumber(nanoAiu);
  if (amount === undefined || amount <= 0 || (at !== undefined && at < CREDITS_BILLED_FROM)) return undefined;
  return amount / NANO_AIU_PER_MICRO_USD;
}

/** The totals of a shutdown. */
export interface Totals {
  tokens: RequestTokens;
  /** Model requests. Their `cost` is in premium requests, not in dollars. */
  requests: number;
  nanoAiu: number;
}

export type ModelTotals = ReadonlyMap<string, Totals>;

/**
 * Newer versions accumulate over all runs of a session; 1.0.24 restarts with each run. Totals that never shrink are
 * cumulative, unless the number of requests matches this run exactly.
 */
export function ownTotals(
  totals: ModelTotals,
  previous: ModelTotals | undefined,
  repliesInRun: number,
  repliesSoFar: number,
): ModelTotals {
  if (previous === undefined || !isRunning(totals, previous, repliesInRun, repliesSoFar)) return withoutEmpty(totals);
  const own = new Map<string, Totals>();
  for (const [model, total] of totals) {
    const before = previous.get(model);
    own.set(model, before === undefined ? total : minus(total, before));
  }
  return withoutEmpty(own);
}

function isRunning(totals: ModelTotals, previous: ModelTotals, repliesInRun: number, repliesSoFar: number): boolean {
  let requests = 0;
  for (const total of totals.values()) requests += total.requests;
  if (requests === repliesInRun && requests !== repliesSoFar) return false;
  return [...previous].every(([model, before]) => {
    const now = totals.get(model);
    return now !== undefined && FIELDS.every((field) => now.tokens[field] >= before.tokens[field]);
  });
}

const FIELDS = ["input", "output", "cacheRead", "cacheWrite", "reasoning"] as const;

function minus(now: Totals, before: Totals): Totals {
  const tokens = { ...now.tokens };
  for (const field of FIELDS) tokens[field] -= before.tokens[field];
  return {
    tokens,
    requests: Math.max(0, now.requests - before.requests),
    nanoAiu: Math.max(0, now.nanoAiu - before.nanoAiu),
  };
}

function withoutEmpty(totals: ModelTotals): ModelTotals {
  return new Map([...totals].filter(([, total]) => !isEmpty(total.tokens)));
}
