/**
 * What a price is. The same JSON shape is used in the generated table, in the hand-kept additions and in
 * a user's own price file, so that a row can be copied from one to the other.
 */

/**
 * Dollars per million tokens. A cache price that is absent is not zero: reads are then billed as input,
 * writes as input, 1-hour writes as other writes.
 */
export interface Rates {
  input: number;
  output: number;
  cacheRead?: number;
  cacheWrite?: number;
  cacheWrite1h?: number;
}

/** Rates of the whole request (not of the part above) when its input, cache included, exceeds `above` tokens. */
export interface Tier extends Rates {
  above: number;
}

/** Rates between two times of every day, "HH:MM" in UTC, the end excluded. */
export interface DailyWindow extends Rates {
  start: string;
  end: string;
}

/** Prices of one model from a moment on, until the next period of that model. */
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

/** When a period begins; a period without a date has always been. */
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
