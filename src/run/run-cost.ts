/**
 * What a run cost. Dollars the agent reported come first; then the ledger, which prices each request of the session as
 * the session's own cost is priced; last the tokens of the stream, for a run that left no session.
 */
import type { CostKind, CostRecord } from "../core/cost.ts";
import { priceUsage } from "../models/price-request.ts";
import type { PriceTable } from "../models/price-table.ts";
import type { RunFacts } from "./run-facts.ts";

/** The cost of a session's requests since a moment, from what the agent wrote to disk. */
export type SessionCost = (
  agent: string,
  sessionId: string,
  since: Date | undefined,
) => Promise<CostRecord | undefined>;

export interface CostSources {
  /** The dollars of the stream include those of sub-agents. */
  billsSubagents: boolean;
  fromLedger: () => Promise<CostRecord | undefined>;
  prices: () => PriceTable;
  /** When the run began: its prices are those of that moment. */
  at: number;
}

export async function costOfRun(
  facts: RunFacts,
  { billsSubagents, fromLedger, prices, at }: CostSources,
): Promise<CostRecord | null> {
  const reported = facts.reportedCost;
  if (reported && (billsSubagents || !facts.hasSubagents)) return reported;
  return (await fromLedger()) ?? reported ?? pricedTokens(facts, prices(), at) ?? null;
}

const WEAKEST_FIRST: readonly CostKind[] = ["unknown", "unpriced", "lower-bound", "computed", "reported"];

/** Each figure may be the sum of several requests, so that a long-context price can be applied where it was not due. */
function pricedTokens(facts: RunFacts, prices: PriceTable, at: number): CostRecord | undefined {
  const usage = facts.tokenUsage;
  if (!usage) return undefined;
  let nanoUsd = 0;
  let kind: CostKind = "reported";
  for (const { model = facts.model, tokens } of facts.usage) {
    const price = priceUsage({ ...(model === undefined ? {} : { model }), tokens, at }, prices);
    nanoUsd += price.nanoUsd;
    if (WEAKEST_FIRST.indexOf(price.kind) < WEAKEST_FIRST.indexOf(kind)) kind = price.kind;
  }
  const { totalTokens: _, ...tokens } = usage;
  return { totalUsd: nanoUsd / 1e9, ...tokens, kind };
}
