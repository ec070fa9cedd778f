/** The priced models for a listing: one row each, with the price at a given time. */
import type { Rates } from "./price.ts";
import { bundledPriceTable, type PriceTable } from "./price-table.ts";

export interface ModelListing {
  id: string;
  vendor: string;
  /** Dollars per million tokens. */
  rates: Rates;
  /** Input tokens above which another price applies to the whole request. */
  longContextAbove?: number;
  /** Modes that cost more or less, e.g. `fast`. */
  multipliers: Readonly<Record<string, number>>;
}

/** By vendor, then id; models without a price at `atMs` are left out. */
export function listModels(table: PriceTable = bundledPriceTable(), atMs: number = Date.now()): ModelListing[] {
  const listings: ModelListing[] = [];
  for (const { id, vendor } of table.models()) {
    const row = table.lookup(id, atMs);
    if (!row) continue;
    const { input, output, cacheRead, cacheWrite, cacheWrite1h } = row.rates;
    const above = row.tiers[0]?.above;
    listings.push({
      id,
      vendor,
      rates: {
        input,
        output,
        ...(cacheRead === undefined ? {} : { cacheRead }),
        ...(cacheWrite === undefined ? {} : { cacheWrite }),
        ...(cacheWrite1h === undefined ? {} : { cacheWrite1h }),
      },
      ...(above === undefined ? {} : { longContextAbove: above }),
      multipliers: row.multipliers,
    });
  }
  return listings.sort((a, b) => compare(a.vendor, b.vendor) || compare(a.id, b.id));
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
