/**
 * Replaces dollars written by agents where tokens and a price are known: some agents' price tables were wrong for a while (1-hour
 * cache writes, long contexts). Otherwise the agent's figure stays.
 */
import type { SessionTally, UsageRecord } from "../../agents/adapter.ts";
import type { PriceTable } from "../../models/price-table.ts";

export function recomputed(tally: SessionTally, prices: PriceTable): SessionTally {
  const { reportedTotals: _, ...rest } = tally;
  return { ...rest, usage: tally.usage.map((record) => withoutReport(record, prices)) };
}

function withoutReport(record: UsageRecord, prices: PriceTable): UsageRecord {
  const { input, cached, cacheWrite, output } = record.tokens;
  const counted = input + cached + cacheWrite + output;
  if (!canCompute(prices, counted, record.model, record.at, record.modifiers)) return record;
  const { reportedMicroUsd: _, ...rest } = record;
  return rest;
}

function canCompute(
  prices: PriceTable,
  counted: number,
  model: string | undefined,
  at: number | undefined,
  modifiers: readonly string[] | undefined,
): boolean {
  return counted > 0 && model !== undefined && prices.lookup(model, at, modifiers) !== undefined;
}
