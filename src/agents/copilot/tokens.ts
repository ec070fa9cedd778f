/** Token counts as Copilot writes them, in amux's words. */
import type { TokenCounts } from "../../core/cost.ts";
import type { TokenUsage } from "../../core/session.ts";
import { asNumber } from "../../lib/json/fields.ts";

/** The counts of one request as written: input with cache reads and writes, output with reasoning. */
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
    // Input that is smaller than what it should include did not include it.
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

/** 1e9 nano make a credit, and a credit is a cent: 1e11 make a dollar, 1e5 a micro-dollar. */
const NANO_AIU_PER_MICRO_USD = 1e5;
/** From 2026-06-01 on credits are what is billed; figures from before were a preview. */
const CREDITS_BILLED_FROM = Date.UTC(2026, 5, 1);

/** Dollars times 1e6 for an amount of AI credits; undefined when none were charged or counted. */
export function microUsd(nanoAiu: unknown, at: number | undefined): number | undefined {
  const amount = asNumber(nanoAiu);
  if (amount === undefined || amount <= 0 || (at !== undefined && at < CREDITS_BILLED_FROM)) return undefined;
  return amount / NANO_AIU_PER_MICRO_USD;
}
