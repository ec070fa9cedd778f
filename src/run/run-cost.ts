/**
 * The cost of a run: dollars the agent reported; otherwise the ledger's price of the session's requests; otherwise the stream's
 * tokens, for a run without a session.
 */
import type { CostKind, CostRecord } from "../core/cost.ts";
import { priceUsage } from "../models/price-request.ts";
import type { PriceTable } from "../models/price-table.ts";
import type { RunFacts } from "./run-facts.ts";

/** The cost of a session's requests since a given time, from the agent's files. */
export type SessionCost = (
  agent: string,
  sessionId: string,
  since: Date | undefined,
) => Promise<CostRecord | undefined>;

export interface CostSources {
  /** The stream's dollars include sub-agents. */
  billsSubagents: boolean;
  fromLedger: () => Promise<CostRecord | undefined>;
  prices: () => PriceTable;
  /** When the run began; the prices of that time apply. */
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

/** Each figure may sum several requests, so a long-context price may be applied wrongly. */
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
