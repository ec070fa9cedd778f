/**
 * What one billed request costs. Each request is priced by itself, at the date of its use, because tiers
 * depend on one request's input; sums are the caller's. Money is integer nano-dollars, rounded once here: at
 * micro-dollars the rounding of many small requests would add up to more than one.
 */
import type { CostKind, TokenCounts } from "../core/cost.ts";
import type { Rates, Tier } from "./price.ts";
import { bundledPriceTable, type PriceRow, type PriceTable } from "./price-table.ts";

/** The part of an adapter's usage record that has to do with its price. */
export interface BilledUsage {
  model?: string;
  /** When the request was made; prices of today when it is unknown. */
  at?: number;
  tokens: TokenCounts;
  modifiers?: readonly string[];
  webSearches?: number;
  /**
   * Dollars the agent wrote, times 1e6; they win over any computation. Agents that write 0 for "no price
   * known" must leave it out: here 0 means free.
   */
  reportedMicroUsd?: number;
  lowerBound?: boolean;
  unknown?: boolean;
}

export interface RequestPrice {
  /** 0 for `unpriced` and `unknown`, which is "no figure", not a price: show the kind. */
  nanoUsd: number;
  kind: CostKind;
  /** What it was computed with; absent unless it was. */
  row?: PriceRow;
  /** On the token prices. */
  multiplier: number;
  /** Input tokens that were exceeded, when the whole request has a long-context price. */
  tier?: number;
}

export function priceUsage(usage: BilledUsage, table: PriceTable = bundledPriceTable()): RequestPrice {
  const { reportedMicroUsd, tokens, webSearches = 0 } = usage;
  if (reportedMicroUsd !== undefined && reportedMicroUsd >= 0) {
    return { nanoUsd: Math.round(reportedMicroUsd * 1000), kind: "reported", multiplier: 1 };
  }
  if (usage.unknown === true) return { nanoUsd: 0, kind: "unknown", multiplier: 1 };

  const row = usage.model === undefined ? undefined : table.lookup(usage.model, usage.at, usage.modifiers);
  if (!row) return { nanoUsd: 0, kind: "unpriced", multiplier: 1 };

  const { input, cached, cacheWrite, cacheWrite1h, output } = tokens;
  const tier = tierOf(row, input + cached + cacheWrite);
  const searchPriceUnknown = webSearches > 0 && row.webSearch === undefined;
  return {
    nanoUsd: nanoUsdOf(row, input, cached, cacheWrite, cacheWrite1h, output, webSearches),
    kind: usage.lowerBound === true || searchPriceUnknown ? "lower-bound" : "computed",
    row,
    multiplier: row.multiplier,
    ...(tier ? { tier: tier.above } : {}),
  };
}

/** What a row of the table makes of these counts; rounded. */
export function nanoUsdOf(
  row: PriceRow,
  input: number,
  cached: number,
  cacheWrite: number,
  cacheWrite1h: number,
  output: number,
  webSearches: number,
): number {
  const [ofInput, ofRead, ofWrite, ofWrite1h, ofOutput] = ratesOf(
    tierOf(row, input + cached + cacheWrite) ?? row.rates,
  );
  const picoUsd =
    input * ofInput +
    cached * ofRead +
    (cacheWrite - cacheWrite1h) * ofWrite +
    cacheWrite1h * ofWrite1h +
    output * ofOutput;
  const searches = webSearches * (row.webSearch ?? 0) * NANO_USD_PER_SEARCH;
  return Math.round((picoUsd * row.multiplier) / PICO_PER_NANO + searches);
}

/**
 * Pico-dollars per token of input, cache reads, writes, writes for an hour and output. Integers: they are dollars per million
 * tokens, times 1e6.
 */
export function ratesOf(rates: Rates): [number, number, number, number, number] {
  const write = rates.cacheWrite ?? rates.input;
  return [
    perToken(rates.input),
    perToken(rates.cacheRead ?? rates.input),
    perToken(write),
    perToken(rates.cacheWrite1h ?? write),
    perToken(rates.output),
  ];
}

/** `context`: the input of the request, caches included. */
function tierOf(row: PriceRow, context: number): Tier | undefined {
  return row.tiers.findLast((tier) => context > tier.above);
}

const PICO_PER_NANO = 1e3;

/** Search prices are dollars per thousand. */
const NANO_USD_PER_SEARCH = 1e9 / 1000;

function perToken(dollarsPerMillion: number): number {
  return Math.round(dollarsPerMillion * 1e6);
}
