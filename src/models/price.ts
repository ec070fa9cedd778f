/** Price types. The generated table, the manual additions and a user's price file share one JSON shape, so rows can be copied. */

/**
 * Dollars per million tokens. A missing cache price is not zero: reads and writes are billed as input, 1-hour writes as other
 * writes.
 */
export interface Rates {
  input: number;
  output: number;
  cacheRead?: number;
  cacheWrite?: number;
  cacheWrite1h?: number;
}

/** Rates for the whole request (not just the excess) when its input, including cache, exceeds `above` tokens. */
export interface Tier extends Rates {
  above: number;
}

/** Rates between two times of each day, "HH:MM" in UTC, the end excluded. */
export interface DailyWindow extends Rates {
  start: string;
  end: string;
}

/** Prices of one model from a given time until its next period. */
export interface PricePeriod extends Rates {
  /** ISO date (UTC midnight) or date and time. Absent: since the model exists. */
  from?: string;
  tiers?: Tier[];
  daily?: DailyWindow[];
  /** Dollars per 1000 web searches. */
  webSearch?: number;
  /** Factors on the token prices by modifier, e.g. `fast`, `priority`, `geo:us`. */
  multipliers?: Record<string, number>;
}

/** When a period begins; without a date, always. */
export function startOf(period: PricePeriod): number {
  return period.from === undefined ? -Infinity : Date.parse(period.from);
}

/** The generated file. */
export interface PriceData {
  version: string;
  digest: string;
  sources: { name: string; version: string; date: string }[];
  /** Model id to price history (oldest first), by vendor. */
  vendors: Record<string, Record<string, PricePeriod[]>>;
  /** Other names to model ids. */
  aliases: Record<string, string>;
}
