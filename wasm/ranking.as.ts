/**
 * What a question to the index goes through by the thousand: rows of a word, figures of sessions. JavaScript's side is
 * src/sessions/search/ranking.ts, which says where columns lie.
 *
 * AssemblyScript; `node scripts/gen-wasm.mjs` compiles it into src/sessions/search/ranking.gen.ts.
 */

/** More words of this block, and of later ones, may be meant. */
const GO_ON: i32 = 1;
const DONE: i32 = 0;
const DAMAGED: i32 = -1;

let owners: usize = 0;
let passages: usize = 0;
let held: usize = 0;
let rows: u32 = 0;
let counts: usize = 0;
let sessions: u32 = 0;
let titleWeight: i32 = 0;

/** Makes room up to an address. */
export function room(end: usize): void {
  const missing = <i32>((end + 65_535) >> 16) - memory.size();
  if (missing > 0) memory.grow(missing);
}

/** By row: whose it is, the row its passage begins with, how many steps that passage holds. By session: what is counted. */
export function layOut(
  ownersAt: usize,
  passagesAt: usize,
  heldAt: usize,
  rowCount: u32,
  countsAt: usize,
  sessionCount: u32,
  weight: i32,
): void {
  owners = ownersAt;
  passages = passagesAt;
  held = heldAt;
  rows = rowCount;
  counts = countsAt;
  sessions = sessionCount;
  titleWeight = weight;
}

/** For another sequence of words. */
export function begin(): void {
  memory.fill(held, 0, 4 * rows);
  memory.fill(counts, 0, 4 * sessions);
}

let at: usize = 0;
let isDamaged: bool = false;

/** A number before `end`. */
// @ts-ignore: decorator
@inline
function numberBefore(end: usize): u32 {
  if (at < end) {
    const byte = <u32>load<u8>(at);
    if (byte < 0x80) {
      at++;
      return byte;
    }
  }
  return longNumber(end);
}

function longNumber(end: usize): u32 {
  let value: u32 = 0;
  for (let shift: u32 = 0; shift < 32 && at < end; shift += 7) {
    const byte = <u32>load<u8>(at++);
    value |= (byte & 0x7f) << shift;
    if (byte < 0x80) return value;
  }
  isDamaged = true;
  return 0;
}

/**
 * Takes the rows of the word, or of all that begin so, from a block: those in whose passages all words before it stand. With the
 * last word of a sequence they are counted for who owns them. As `findWords` in word-block.ts.
 */
export function take(
  block: usize,
  end: usize,
  wanted: usize,
  wantedLength: u32,
  isPrefix: bool,
  step: u32,
  isLast: bool,
): i32 {
  at = block;
  isDamaged = false;
  let matched: u32 = 0;
  while (at < end) {
    const shared = numberBefore(end);
    const bytes = <usize>numberBefore(end);
    let place = at;
    const wordEnd = at + bytes;
    at = wordEnd;
    const rowBytes = <usize>numberBefore(end);
    const rowsAt = at;
    // Each by itself: their sum may be no address at all.
    if (isDamaged || bytes > end - block || rowBytes > end - block || rowsAt + rowBytes > end) return DAMAGED;
    at = rowsAt + rowBytes;
    if (matched === wantedLength) {
      if (shared < wantedLength) return DONE;
      takeRows(rowsAt, at, step, isLast);
      continue;
    }
    // Differs from the wanted word where its predecessor did: it comes before it, too.
    if (shared > matched) continue;
    if (shared < matched) return DONE;
    while (place < wordEnd && matched < wantedLength && load<u8>(place) === load<u8>(wanted + matched)) {
      place++;
      matched++;
    }
    if (matched === wantedLength) {
      if (isPrefix || place === wordEnd) takeRows(rowsAt, at, step, isLast);
      if (!isPrefix) return DONE;
    } else if (place < wordEnd && load<u8>(place) > load<u8>(wanted + matched)) return DONE;
  }
  return GO_ON;
}

function takeRows(start: usize, end: usize, step: u32, isLast: bool): void {
  let row: u32 = 0;
  for (let place = start; place < end; ) {
    let byte = <u32>load<u8>(place++);
    let difference = byte & 0x7f;
    for (let shift: u32 = 7; byte >= 0x80 && place < end; shift += 7) {
      byte = <u32>load<u8>(place++);
      difference |= (byte & 0x7f) << shift;
    }
    row += difference;
    if (row >= rows) continue;
    const owner = load<i32>(owners + 4 * row);
    if (owner === 0) continue;
    const passage = load<u32>(passages + 4 * row);
    if (passage >= rows || load<u32>(held + 4 * passage) !== step) continue;
    store<u32>(held + 4 * passage, step + 1);
    if (!isLast) continue;
    const number = <u32>(owner > 0 ? owner : -owner) - 1;
    if (number >= sessions) continue;
    const count = counts + 4 * number;
    store<i32>(count, load<i32>(count) + (owner > 0 ? 1 : titleWeight));
  }
}

/** Of sessions in an order, those that are known, have a flag, and count something in each of so many columns. */
export function select(
  order: usize,
  known: usize,
  flags: usize,
  flag: u8,
  columns: usize,
  columnCount: u32,
  to: usize,
): u32 {
  let found: u32 = 0;
  for (let place: u32 = 0; place < sessions; place++) {
    const number = load<u32>(order + 4 * place);
    if (number >= sessions || load<u8>(known + number) === 0 || (load<u8>(flags + number) & flag) === 0) continue;
    let column: u32 = 0;
    while (column < columnCount && load<i32>(columns + 4 * (column * sessions + number)) !== 0) column++;
    if (column === columnCount) store<u32>(to + 4 * found++, number);
  }
  return found;
}

/** Adds to the scores of sessions what a column says of them; `rank.ts` has the formula. */
export function score(
  numbers: usize,
  found: u32,
  column: usize,
  lengths: usize,
  k1: f64,
  b: f64,
  typicalLength: f64,
  scores: usize,
): void {
  for (let place: u32 = 0; place < found; place++) {
    const number = load<u32>(numbers + 4 * place);
    if (number >= sessions) continue;
    const count = <f64>load<i32>(column + 4 * number);
    if (count <= 0) continue;
    const norm = k1 * (1 - b + (b * <f64>load<i32>(lengths + 4 * number)) / typicalLength);
    const at = scores + 8 * place;
    store<f64>(at, load<f64>(at) + (count * (k1 + 1)) / (count + norm));
  }
}

/** The value that as many are not less than as this says (Hoare's selection). The values are moved about. */
export function nthGreatest(values: usize, length: i32, count: i32): f64 {
  const wanted = count - 1;
  let low = 0;
  let high = length - 1;
  while (low < high) {
    const pivot = load<f64>(values + 8 * ((low + high) >> 1));
    let left = low;
    let right = high;
    while (left <= right) {
      while (load<f64>(values + 8 * left) > pivot) left++;
      while (load<f64>(values + 8 * right) < pivot) right--;
      if (left > right) break;
      const value = load<f64>(values + 8 * left);
      store<f64>(values + 8 * left, load<f64>(values + 8 * right));
      store<f64>(values + 8 * right, value);
      left++;
      right--;
    }
    if (wanted <= right) high = right;
    else if (wanted >= left) low = left;
    else break;
  }
  return load<f64>(values + 8 * wanted);
}

/** Places of values that are not less than one. */
export function notLess(values: usize, length: u32, least: f64, to: usize): u32 {
  let found: u32 = 0;
  for (let place: u32 = 0; place < length; place++) {
    if (load<f64>(values + 8 * place) >= least) store<u32>(to + 4 * found++, place);
  }
  return found;
}
