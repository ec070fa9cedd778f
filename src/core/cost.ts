/** What sessions cost, as the library and the command line report it. */

/**
 * How a figure came to be. `reported`: the agent wrote dollars. `computed`: tokens times the price
 * table. `lower-bound`: the final usage is missing. `unpriced`: no price for the model.
 * `unknown`: the agent wrote no token counts.
 */
export type CostKind = "reported" | "computed" | "lower-bound" | "unpriced" | "unknown";

export interface CostRecord {
  totalUsd: number;
  inputTokens: number;
  outputTokens: number;
  thinkingTokens?: number;
  cachedTokens?: number;
  cacheWriteTokens?: number;
  cacheWrite1hTokens?: number;
  /** The weakest kind among the requests summed here. */
  kind?: CostKind;
  /** The part of the above that sub-agents used. */
  subagents?: CostRecord;
}

export interface CostBreakdown {
  key: string;
  totalUsd: number;
  inputTokens: number;
  outputTokens: number;
  thinkingTokens: number;
  cachedTokens: number;
  cacheWriteTokens: number;
  cacheWrite1hTokens: number;
  sessionCount: number;
  requestCount: number;
}

export interface CostSummary {
  totalUsd: number;
  inputTokens: number;
  outputTokens: number;
  thinkingTokens: number;
  cachedTokens: number;
  cacheWriteTokens: number;
  cacheWrite1hTokens: number;
  sessionCount: number;
  runCount: number;
  requestCount: number;
  /** Requests and dollars by kind; `unknown` counts sessions without token counts. */
  kinds: Record<CostKind, { requests: number; usd: number }>;
  breakdowns?: Record<string, CostBreakdown>;
  /** Version of the price table that was used. */
  prices: { version: string; digest: string };
}

/** Token counts of one request; integers, each token in exactly one of input, cached, cacheWrite, output. */
export interface TokenCounts {
  input: number;
  cached: number;
  cacheWrite: number;
  /** Part of `cacheWrite` with the 1-hour price. */
  cacheWrite1h: number;
  output: number;
  /** Part of `output`. */
  thinking: number;
}
