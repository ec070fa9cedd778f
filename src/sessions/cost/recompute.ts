/**
 * Dollars that agents wrote themselves, set aside where tokens and a price are known: some of their own tables were wrong for a
 * while (1-hour cache writes, long contexts). What cannot be computed keeps the agent's figure.
 */
import type { SessionTally, UsageRecord } from "../../agents/adapter.ts";
import type { UsageRows } from "../../agents/usage-rows.ts";
import type { PriceTable } from "../../models/price-table.ts";
import type { BilledSession } from "./ledger.ts";

/** In place. */
export function recomputeRows(rows: UsageRows, sessions: BilledSession[], prices: PriceTable): void {
  for (let row = 0; row < rows.length; row++) {
    if (Number.isNaN(rows.reported[row]!)) continue;
    const counted = rows.input[row]! + rows.cached[row]! + rows.cacheWrite[row]! + rows.output[row]!;
    const at = rows.at[row]!;
    const model = rows.texts.text(rows.model[row]!);
    if (canCompute(prices, counted, model, Number.isNaN(at) ? undefined : at, rows.modifiersOf(row))) {
      rows.reported[row] = Number.NaN;
    }
  }
  for (const session of sessions) delete session.reportedTotals;
}

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
