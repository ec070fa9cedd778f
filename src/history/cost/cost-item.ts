/** A summable item: one request of a ledger, or several similar ones. Sums of items become cost records. */
import type { CostKind, CostRecord, TokenCounts } from "../../core/cost.ts";
import { addTokens, figuresOf, NO_TOKENS } from "../../core/tokens.ts";

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
  readonly tokens: TokenCounts = { ...NO_TOKENS };

  add({ nanoUsd, requests, kind, tokens }: Pick<CostItem, "nanoUsd" | "requests" | "kind" | "tokens">): void {
    this.nanoUsd += nanoUsd;
    this.requests += requests;
    this.kind = weaker(kind, this.kind);
    addTokens(this.tokens, tokens);
  }

  record(): Required<Omit<CostRecord, "subagents">> {
    return { totalUsd: this.nanoUsd / 1e9, ...figuresOf(this.tokens), kind: this.kind };
  }
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
