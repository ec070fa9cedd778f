/** Prices of requests in rows: the same as `priceUsage` gives for each, with the price table asked once for many. */
import { LOWER_BOUND, UNKNOWN, type UsageRows } from "../../agents/usage-rows.ts";
import type { CostKind } from "../../core/cost.ts";
import { nanoUsdOf } from "../../models/price-request.ts";
import type { PriceRow, PriceTable } from "../../models/price-table.ts";

/** Kinds by the numbers that stand for them in columns. */
export const COST_KINDS: readonly CostKind[] = ["reported", "computed", "lower-bound", "unpriced", "unknown"];
export const [REPORTED, COMPUTED, LOWER, UNPRICED, UNKNOWN_KIND] = [0, 1, 2, 3, 4] as const;

interface HeldPrice {
  row: PriceRow | undefined;
  from: number;
  to: number;
}

export class RowPricer {
  readonly #prices: PriceTable;
  readonly #rows: UsageRows;
  /** By model and modifiers. */
  readonly #held = new Map<number, HeldPrice>();
  /** Of the row that was priced last. */
  nanoUsd = 0;
  kind = 0;

  constructor(prices: PriceTable, rows: UsageRows) {
    this.#prices = prices;
    this.#rows = rows;
  }

  price(row: number): void {
    const rows = this.#rows;
    const reported = rows.reported[row]!;
    if (reported >= 0) return this.#answer(Math.round(reported * 1000), REPORTED);
    if (rows.flags[row]! & UNKNOWN) return this.#answer(0, UNKNOWN_KIND);
    const price = this.#priceOf(row);
    if (!price) return this.#answer(0, UNPRICED);
    const searches = rows.webSearches[row]!;
    const isLower = (rows.flags[row]! & LOWER_BOUND) !== 0 || (searches > 0 && price.webSearch === undefined);
    this.#answer(
      nanoUsdOf(
        price,
        rows.input[row]!,
        rows.cached[row]!,
        rows.cacheWrite[row]!,
        rows.cacheWrite1h[row]!,
        rows.output[row]!,
        searches,
      ),
      isLower ? LOWER : COMPUTED,
    );
  }

  #answer(nanoUsd: number, kind: number): void {
    this.nanoUsd = nanoUsd;
    this.kind = kind;
  }

  #priceOf(row: number): PriceRow | undefined {
    const rows = this.#rows;
    const model = rows.model[row]!;
    if (model === 0) return undefined;
    const at = rows.at[row]!;
    const key = model * MAX_TEXTS + rows.modifiers[row]!;
    const held = this.#held.get(key);
    if (held && at >= held.from && at < held.to) return held.row;
    const name = rows.texts.text(model)!;
    const price = this.#prices.lookup(name, Number.isNaN(at) ? undefined : at, rows.modifiersOf(row));
    const span = Number.isNaN(at) ? undefined : this.#prices.span(name, at);
    if (span) this.#held.set(key, { row: price, ...span });
    return price;
  }
}

/** More texts than a store can hold; two of their numbers make one key. */
const MAX_TEXTS = 2 ** 26;
