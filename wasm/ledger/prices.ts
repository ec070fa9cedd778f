/** What requests cost, by the rules of src/models/price-request.ts. JavaScript tells the price of each model, once per time span. */
import {
  AT,
  CACHED,
  double,
  flagsOf,
  INPUT,
  LOWER_BOUND,
  MODEL,
  MODIFIERS,
  OUTPUT,
  REPORTED,
  SEARCHES,
  UNKNOWN,
  word,
  WRITE,
  WRITE_1H,
  allocate,
} from "./columns";

// Kinds as in src/sessions/cost/kind-numbers.ts
export const KIND_REPORTED: u32 = 0;
const KIND_COMPUTED: u32 = 1;
const KIND_LOWER: u32 = 2;
const KIND_UNPRICED: u32 = 3;
const KIND_UNKNOWN: u32 = 4;

// A price: f64 from, to; u32 model, modifiers, has one, tiers; f64 multiplier, dollars per search (NaN: not known);
// then rates of 48 bytes: f64 above how much input, pico-dollars per token of input, reads, writes, writes for an hour, output
const MULTIPLIER: usize = 32;
const PER_SEARCH: usize = 40;
const RATES: usize = 48;
const RATES_SIZE: usize = 48;
const NANO_PER_SEARCH: f64 = 1_000_000;

/** Prices that are held, the latest first; each with its size in front. */
let prices: usize = 0;
let pricesEnd: usize = 0;
let scratch: usize = 0;
let last: usize = 0;
const PRICES_BYTES: usize = 1 << 20;
const MAX_PRICE: usize = 4096;

/** Where JavaScript writes the price it is asked for. */
export function priceRoom(): usize {
  return scratch;
}

export function startPrices(): void {
  scratch = allocate(MAX_PRICE);
  prices = allocate(PRICES_BYTES);
  pricesEnd = prices;
  last = 0;
}

/** Holds the price that JavaScript has written, for as long as it is valid. */
export function addPrice(bytes: usize): void {
  if (pricesEnd + bytes + 8 > prices + PRICES_BYTES) return;
  store<u32>(pricesEnd, <u32>((bytes + 15) & ~7));
  memory.copy(pricesEnd + 8, scratch, bytes);
  pricesEnd += (bytes + 15) & ~7;
}

/** Writes the price of a row's request to `priceRoom`, and calls `addPrice` if it holds for others. */
// @ts-ignore: decorator
@external("env", "lookUp")
declare function lookUp(row: u32): void;

let nanoUsd: f64 = 0;

/** Of the row that was priced last. */
export function priceOfRow(): f64 {
  return nanoUsd;
}

/** Gives the kind. */
export function price(row: u32): u32 {
  const reported = double(REPORTED, row);
  nanoUsd = 0;
  if (reported >= 0) {
    nanoUsd = rounded(reported * 1000);
    return KIND_REPORTED;
  }
  if ((flagsOf(row) & UNKNOWN) != 0) return KIND_UNKNOWN;
  if (word(MODEL, row) == 0) return KIND_UNPRICED;
  const held = find(row);
  if (load<u32>(held, 24) == 0) return KIND_UNPRICED;
  const searches = double(SEARCHES, row);
  const perSearch = load<f64>(held, PER_SEARCH);
  nanoUsd = figure(held, row, searches, perSearch != perSearch ? 0 : perSearch);
  const isLower = (flagsOf(row) & LOWER_BOUND) != 0 || (searches > 0 && perSearch != perSearch);
  return isLower ? KIND_LOWER : KIND_COMPUTED;
}

function figure(held: usize, row: u32, searches: f64, perSearch: f64): f64 {
  const input = double(INPUT, row);
  const cached = double(CACHED, row);
  const write = double(WRITE, row);
  const write1h = double(WRITE_1H, row);
  const context = input + cached + write;
  let rates = held + RATES;
  for (let tier = load<u32>(held, 28); tier > 0; tier--) {
    const other = held + RATES + <usize>tier * RATES_SIZE;
    if (context > load<f64>(other)) {
      rates = other;
      break;
    }
  }
  const picoUsd =
    input * load<f64>(rates, 8) +
    cached * load<f64>(rates, 16) +
    (write - write1h) * load<f64>(rates, 24) +
    write1h * load<f64>(rates, 32) +
    double(OUTPUT, row) * load<f64>(rates, 40);
  return rounded((picoUsd * load<f64>(held, MULTIPLIER)) / 1000 + searches * perSearch * NANO_PER_SEARCH);
}

/** As JavaScript rounds. */
function rounded(value: f64): f64 {
  const below = Math.floor(value);
  return value - below >= 0.5 ? below + 1 : below;
}

function find(row: u32): usize {
  const at = double(AT, row);
  const model = word(MODEL, row);
  const modifiers = word(MODIFIERS, row);
  if (last != 0 && isOf(last, at, model, modifiers)) return last;
  for (let place = prices; place < pricesEnd; place += <usize>load<u32>(place)) {
    if (!isOf(place + 8, at, model, modifiers)) continue;
    last = place + 8;
    return last;
  }
  lookUp(row);
  return scratch;
}

function isOf(held: usize, at: f64, model: u32, modifiers: u32): bool {
  return (
    load<u32>(held, 16) == model &&
    load<u32>(held, 20) == modifiers &&
    at >= load<f64>(held) &&
    at < load<f64>(held, 8)
  );
}
