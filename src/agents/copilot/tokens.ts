/** Converts Copilot's token counts. */
import type { TokenCounts } from "../../core/cost.ts";
import type { TokenUsage } from "../../core/session.ts";
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

export function tokenUsage(tokens: RequestTokens): TokenUsage {
  const counts = tokenCounts(tokens);
  const usage: TokenUsage = { inputTokens: counts.input, outputTokens: counts.output };
  if (counts.thinking > 0) usage.thinkingTokens = counts.thinking;
  if (counts.cached > 0) usage.cachedTokens = counts.cached;
  if (counts.cacheWrite > 0) usage.cacheWriteTokens = counts.cacheWrite;
  return usage;
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
