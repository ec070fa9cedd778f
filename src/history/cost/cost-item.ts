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

  add({ nanoUsd, requests, kind, tokens }: Summable): void {
    this.nanoUsd += nanoUsd;
    this.requests += requests;
    this.kind = weaker(kind, this.kind);
    addTokens(this.tokens, tokens);
  }

  record(): Required<Omit<CostRecord, "subagents">> {
    return { totalUsd: this.nanoUsd / 1e9, ...figuresOf(this.tokens), kind: this.kind };
  }
}

type Summable = Pick<CostItem, "nanoUsd" | "requests" | "kind" | "tokens">;

export function sumOf(items: Iterable<Summable>): ReturnType<CostSum["record"]> {
  const sum = new CostSum();
  for (const item of items) sum.add(item);
  return sum.record();
}

/** The sum with the part of sub-agents and helpers; undefined if there is nothing to report. */
export function costOf(
  items: readonly (Summable & Partial<Pick<CostItem, "subagent">>)[],
  helping: readonly Summable[] = [],
): CostRecord | undefined {
  if (items.length + helping.length === 0) return undefined;
  const helpers = [...items.filter(({ subagent }) => subagent !== undefined), ...helping];
  const total = sumOf([...items, ...helping]);
  return helpers.length === 0 ? total : { ...total, subagents: sumOf(helpers) };
}

export const UNKNOWN_COST: CostRecord = { totalUsd: 0, inputTokens: 0, outputTokens: 0, kind: "unknown" };
