/** Sums of requests that are alike, by the rules of src/sessions/cost/spending.ts. */
import { allocate, reserve } from "./columns";

// f64 from, to, requests, nano-dollars, input, cached, writes, writes for an hour, output, thinking; u32 model, cwd, branch,
// kind, whether a helper's
const DOUBLES: usize = 10;
const WORDS: usize = 5;
const SIZE: usize = 104;
const QUARTER_MS: f64 = 900_000;
/** Sums of the same session that are looked at for one to add to. */
const LOOK_BACK: u32 = 8;

let table: usize = 0;
let count: u32 = 0;

/** After everything else: it is the last thing in memory. */
export function startSpending(): void {
  table = allocate(SIZE);
  count = 0;
}

export function spendingCount(): u32 {
  return count;
}

// @ts-ignore: decorator
@inline
function sumAt(index: u32): usize {
  return table + (<usize>index) * SIZE;
}

/** The sum a request belongs to, of the session whose first sum is `start`. */
export function place(start: u32, at: f64, model: u32, cwd: u32, branch: u32, kind: u32, isSubagent: u32): u32 {
  const quarter = quarterOf(at);
  for (let i = count; i > start && i + LOOK_BACK > count; i--) {
    const sum = sumAt(i - 1);
    if (
      load<u32>(sum, 80) == model &&
      load<u32>(sum, 92) == kind &&
      load<u32>(sum, 84) == cwd &&
      load<u32>(sum, 88) == branch &&
      load<u32>(sum, 96) == isSubagent &&
      quarterOf(load<f64>(sum)) == quarter
    )
      return i - 1;
  }
  const index = count++;
  const sum = sumAt(index);
  reserve(sum + SIZE);
  memory.fill(sum, 0, SIZE);
  store<f64>(sum, at);
  store<f64>(sum, at, 8);
  store<u32>(sum, model, 80);
  store<u32>(sum, cwd, 84);
  store<u32>(sum, branch, 88);
  store<u32>(sum, kind, 92);
  store<u32>(sum, isSubagent, 96);
  return index;
}

export function add(
  index: u32,
  at: f64,
  requests: f64,
  nanoUsd: f64,
  input: f64,
  cached: f64,
  write: f64,
  write1h: f64,
  output: f64,
  thinking: f64,
): void {
  const sum = sumAt(index);
  if (at < load<f64>(sum)) store<f64>(sum, at);
  if (at > load<f64>(sum, 8)) store<f64>(sum, at, 8);
  store<f64>(sum, load<f64>(sum, 16) + requests, 16);
  store<f64>(sum, load<f64>(sum, 24) + nanoUsd, 24);
  store<f64>(sum, load<f64>(sum, 32) + input, 32);
  store<f64>(sum, load<f64>(sum, 40) + cached, 40);
  store<f64>(sum, load<f64>(sum, 48) + write, 48);
  store<f64>(sum, load<f64>(sum, 56) + write1h, 56);
  store<f64>(sum, load<f64>(sum, 64) + output, 64);
  store<f64>(sum, load<f64>(sum, 72) + thinking, 72);
}

function quarterOf(at: f64): f64 {
  return at != at ? -1 : Math.floor(at / QUARTER_MS);
}

/** All sums as columns one behind the other: first those of doubles, then those of words. Where they lie. */
export function packed(): usize {
  const place = spendingEnd();
  reserve(place + <usize>count * (DOUBLES * 8 + WORDS * 4));
  const words = place + <usize>count * DOUBLES * 8;
  for (let i: u32 = 0; i < count; i++) {
    const sum = sumAt(i);
    for (let column: usize = 0; column < DOUBLES; column++) {
      store<f64>(place + ((column * <usize>count + <usize>i) << 3), load<f64>(sum + (column << 3)));
    }
    for (let column: usize = 0; column < WORDS; column++) {
      store<u32>(words + ((column * <usize>count + <usize>i) << 2), load<u32>(sum + 80 + (column << 2)));
    }
  }
  return place;
}

/** Behind all sums: nothing else lies there. */
export function spendingEnd(): usize {
  return (sumAt(count) + 7) & ~7;
}

// Of all sums, and of helpers' alone: f64 nano-dollars, then tokens in the order of a cost record, then the weakest kind
const TOTALS: usize = 7680; // 2 x 64 bytes, up to 7808
const NANO_USD: usize = 24;
const INPUT: usize = 32;
const CACHED: usize = 40;
const WRITE: usize = 48;
const WRITE_1H: usize = 56;
const OUTPUT: usize = 64;
const THINKING: usize = 72;

/** Adds up the sums from one to another; true when some of them are helpers'. */
export function addSums(from: u32, to: u32): bool {
  memory.fill(TOTALS, 0, 128);
  let helped = false;
  for (let i = from; i < to; i++) {
    const sum = sumAt(i);
    addTo(TOTALS, sum);
    if (load<u32>(sum, 96) == 0) continue;
    helped = true;
    addTo(TOTALS + 64, sum);
  }
  return helped;
}

/** One of the eight figures, of all (0) or of helpers' (1). */
export function sumOf(which: usize, figure: usize): f64 {
  return load<f64>(TOTALS + (which << 6) + (figure << 3));
}

function addTo(total: usize, sum: usize): void {
  addFigure(total, load<f64>(sum, NANO_USD));
  addFigure(total + 8, load<f64>(sum, INPUT));
  addFigure(total + 16, load<f64>(sum, OUTPUT));
  addFigure(total + 24, load<f64>(sum, THINKING));
  addFigure(total + 32, load<f64>(sum, CACHED));
  addFigure(total + 40, load<f64>(sum, WRITE));
  addFigure(total + 48, load<f64>(sum, WRITE_1H));
  // Kinds are numbered from the strongest on.
  store<f64>(total + 56, max(load<f64>(total + 56), <f64>load<u32>(sum, 92)));
}

// @ts-ignore: decorator
@inline
function addFigure(place: usize, value: f64): void {
  store<f64>(place, load<f64>(place) + value);
}
