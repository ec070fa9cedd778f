/** What sessions cost, as the library and the command line report it. */

/**
 * Where a figure comes from. `reported`: the agent wrote dollars. `computed`: tokens times the price table. `lower-bound`: the
 * final usage is missing. `unpriced`: no price for the model. `unknown`: the agent wrote no token counts.
 */
export type CostKind = "reported" | "computed" | "lower-bound" | "unpriced" | "unknown";

/** Tokens of several requests. */
export interface TokenFigures {
  inputTokens: number;
  outputTokens: number;
  thinkingTokens: number;
  cachedTokens: number;
  cacheWriteTokens: number;
  cacheWrite1hTokens: number;
}

export interface TokenUsage {
  /** Fresh input: neither read from nor written to a cache. */
  inputTokens: number;
  /** All output, reasoning included. */
  outputTokens: number;
  /** The reasoning part of the output, if the agent reports it. */
  thinkingTokens?: number;
  /** Cache reads. */
  cachedTokens?: number;
  /** Cache writes, including the 1-hour part. */
  cacheWriteTokens?: number;
  cacheWrite1hTokens?: number;
}

export interface CostRecord extends TokenUsage {
  totalUsd: number;
  /** The weakest kind among the requests summed here. */
  kind?: CostKind;
  /** The part of this record that sub-agents used. */
  subagents?: CostRecord;
}

export interface CostBreakdown extends TokenFigures {
  /**
   * Value of the grouping: an agent, a model, an hour `YYYY-MM-DD HH:00`, a day `YYYY-MM-DD`, the Monday of a week, a month `YYYY-MM`, a tag, a unified session
   * id, a directory, a branch.
   */
  key: string;
  /** Of a session, where it was asked for. */
  title?: string;
  totalUsd: number;
  sessionCount: number;
  requestCount: number;
  /** The weakest kind among the requests summed here. */
  kind: CostKind;
  /** The same figures by the next grouping, when there are several. */
  breakdowns?: Record<string, CostBreakdown>;
}

export interface CostSummary extends TokenFigures {
  totalUsd: number;
  sessionCount: number;
  runCount: number;
  requestCount: number;
  /** Requests and dollars by kind; `unknown` counts sessions without token counts. */
  kinds: Record<CostKind, { requests: number; usd: number }>;
  /** The groupings of `breakdowns`, outermost first. */
  groupBy?: string[];
  breakdowns?: Record<string, CostBreakdown>;
  /** Time zone of the days, when grouped by day, week or month. */
  timeZone?: string;
  /** Files that could not be read and whose cost is missing; `amux doctor` names them. */
  skipped: number;
  /** Version of the price table that was used. */
  prices: { version: string; digest: string };
}

/** A cost with every request behind it. */
export interface CostExplanation {
  summary: CostSummary;
  requests: CostRequest[];
  /** Copies of requests that are billed to another session. */
  dropped: DroppedRequest[];
}

export interface CostRequest extends TokenFigures {
  agent: string;
  /** The session that made the request, as unified id. */
  session: string;
  /** The same in every copy of the request. */
  key: string;
  timestamp?: Date;
  model?: string;
  cwd?: string;
  branch?: string;
  /** The sub-agent that made it. */
  subagent?: string;
  webSearches?: number;
  usd: number;
  kind: CostKind;
  /** The price the figure was computed with. */
  price?: AppliedPrice;
  /** Why the figure is not simply tokens times price. */
  note?: string;
  /** The agent marks it as a copy of another session's request, and that session is missing. */
  copied?: boolean;
}

/** Dollars per million tokens, and the factors applied to them. */
export interface AppliedPrice {
  /** Id in the price table. */
  model: string;
  vendor: string;
  input: number;
  output: number;
  cacheRead?: number;
  cacheWrite?: number;
  cacheWrite1h?: number;
  /** Dollars per 1000 web searches, when there were any. */
  webSearch?: number;
  /** Input tokens above which the long-context price applies to the whole request. */
  tier?: number;
  multiplier: number;
  modifiers?: string[];
}

export interface DroppedRequest {
  agent: string;
  /** The session that holds the copy, as unified id. */
  session: string;
  key: string;
  timestamp?: Date;
  model?: string;
  /** The session the request is billed to, as unified id. */
  owner: string;
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
