/**
 * Prices one billed request at its date, since tiers depend on one request's input. Money is integer nano-dollars: rounding
 * micro-dollars would add up over many small requests.
 */
import type { CostKind, TokenCounts } from "../core/cost.ts";
import type { Rates, Tier } from "./price.ts";
import { bundledPriceTable, type PriceRow, type PriceTable } from "./price-table.ts";

/** The part of a usage record that affects the price. */
export interface BilledUsage {
  model?: string;
  /** When the request was made; today's prices if unknown. */
  at?: number;
  tokens: TokenCounts;
  modifiers?: readonly string[];
  webSearches?: number;
  /**
   * Dollars the agent wrote, times 1e6; they override any computation. Agents that write 0 for "no price" must omit it: here 0
   * means free.
   */
  reportedMicroUsd?: number;
  lowerBound?: boolean;
  unknown?: boolean;
}

export interface RequestPrice {
  /** 0 for `unpriced` and `unknown`, which means no figure: show the kind. */
  nanoUsd: number;
  kind: CostKind;
  /** The price row it was computed with, if any. */
  row?: PriceRow;
  /** Factor on the token prices. */
  multiplier: number;
  /** Input tokens above which the long-context price applies to the whole request. */
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

/** Price of these counts with one row of the table; rounded. */
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

/** Pico-dollars per token of input, cache reads, cache writes, 1-hour writes and output; integers. */
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

/** `context`: the request's input, including caches. */
function tierOf(row: PriceRow, context: number): Tier | undefined {
  return row.tiers.findLast((tier) => context > tier.above);
}

const PICO_PER_NANO = 1e3;

/** Search prices are dollars per thousand. */
const NANO_USD_PER_SEARCH = 1e9 / 1000;

function perToken(dollarsPerMillion: number): number {
  return Math.round(dollarsPerMillion * 1e6);
}
