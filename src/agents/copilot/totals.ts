/** The totals of a shutdown, and the part that belongs to its run. */
import { isEmpty, type RequestTokens } from "./tokens.ts";

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
