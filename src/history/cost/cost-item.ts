/** A summable item: one request of a ledger, or several similar ones. Sums of items become cost records. */
import type { CostKind, CostRecord, TokenCounts } from "../../core/cost.ts";

export interface CostItem {
  agent: string;
  /** The session that made the requests. */
  sessionId: string;
  at: number | undefined;
  model: string | undefined;
  cwd: string | undefined;
  branch: string | undefined;
  /** The sub-agent that made the request. */
  subagent: string | undefined;
  tokens: Readonly<TokenCounts>;
  nanoUsd: number;
  kind: CostKind;
  /** 0 for money that belongs to no single request. */
  requests: number;
}

/** Most certain first. Archives store these indexes. */
export const COST_KINDS: readonly CostKind[] = ["reported", "computed", "lower-bound", "unpriced", "unknown"];

export function weaker(a: CostKind, b: CostKind): CostKind {
  return COST_KINDS.indexOf(a) > COST_KINDS.indexOf(b) ? a : b;
}

export class CostSum {
  nanoUsd = 0;
  requests = 0;
  kind: CostKind = "reported";
  readonly tokens: TokenCounts = { input: 0, cached: 0, cacheWrite: 0, cacheWrite1h: 0, output: 0, thinking: 0 };

  add({ nanoUsd, requests, kind, tokens }: Pick<CostItem, "nanoUsd" | "requests" | "kind" | "tokens">): void {
    this.nanoUsd += nanoUsd;
    this.requests += requests;
    this.kind = weaker(kind, this.kind);
    this.tokens.input += tokens.input;
    this.tokens.cached += tokens.cached;
    this.tokens.cacheWrite += tokens.cacheWrite;
    this.tokens.cacheWrite1h += tokens.cacheWrite1h;
    this.tokens.output += tokens.output;
    this.tokens.thinking += tokens.thinking;
  }

  record(): Required<Omit<CostRecord, "subagents">> {
    return { totalUsd: this.nanoUsd / 1e9, ...tokenFields(this.tokens), kind: this.kind };
  }
}

export function tokenFields(
  tokens: Readonly<TokenCounts>,
): Required<Omit<CostRecord, "totalUsd" | "kind" | "subagents">> {
  return {
    inputTokens: tokens.input,
    outputTokens: tokens.output,
    thinkingTokens: tokens.thinking,
    cachedTokens: tokens.cached,
    cacheWriteTokens: tokens.cacheWrite,
    cacheWrite1hTokens: tokens.cacheWrite1h,
  };
}

/** The sum of items as a cost record; undefined if there is nothing to report. */
export function costOf(
  items: Iterable<CostItem>,
  isSubagent: (item: CostItem) => boolean = (item) => item.subagent !== undefined,
): CostRecord | undefined {
  const total = new CostSum();
  const helpers = new CostSum();
  let any = false;
  let helped = false;
  for (const item of items) {
    any = true;
    total.add(item);
    if (!isSubagent(item)) continue;
    helped = true;
    helpers.add(item);
  }
  if (!any) return undefined;
  return helped ? { ...total.record(), subagents: helpers.record() } : total.record();
}

export const UNKNOWN_COST: CostRecord = { totalUsd: 0, inputTokens: 0, outputTokens: 0, kind: "unknown" };
