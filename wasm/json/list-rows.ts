/**
 * Rows of a list as the JSON text that is printed, one behind the other, each with what else has to be known of it. All that
 * stands between the values JavaScript has given before (src/sessions/packed-text.ts); it reads the rows where they lie
 * (src/agents/packed-rows.ts has the same numbers).
 */
import { wordPlace } from "./ids";
import { allocate, at } from "./memory";
import { hashOf } from "./text";
import { TITLE_CUT, wideTitleOf } from "./title";

// A row
const UPDATED: usize = 0; // f64
const CREATED: usize = 8; // f64
const STARTED: usize = 16; // f64, NaN for none
const KEY_HASHES: usize = 24; // 2 x u64, 0 for none
const TEXT_START: usize = 40; // u32 from the start of the texts
const TEXT_END: usize = 44; // u32
const KEYS_START: usize = 48; // u32 from the start of the texts: two ids, one behind the other
const KEY_LENGTHS: usize = 52; // 2 x u32
const RELATED: usize = 60; // u32: 1 when another one has a key of it
const ROW_SIZE: usize = 64;

/** What comes before a value, in the order of its row. */
export const AGENT_AND_ID: usize = 0;
export const UNIFIED_ID: usize = 1;
export const TITLE: usize = 2;
export const CREATED_AT: usize = 3;
export const UPDATED_AT: usize = 4;
export const COUNTS: usize = 5;
export const MODEL: usize = 6;
export const CWD: usize = 7;
export const FORKED_FROM: usize = 8;
export const PARENT_ID: usize = 9;
export const BRANCH: usize = 10;
export const AGENT_VERSION: usize = 11;
export const ARCHIVED: usize = 12;
export const PARTIAL: usize = 13;
/** In place of COUNTS and PARTIAL where a session was counted; what it cost stands behind all these. */
export const TURN_COUNT: usize = 14;
export const MESSAGE_COUNT: usize = 15;
export const TAGS: usize = 16;
const PIECES: usize = 17;

/** More than a row takes. */
const LEAST_ROOM: u32 = 16_384;
/** Of thousands of rows: what is not written to takes no memory, and to move them takes longer than to write them. */
const FIRST_ROOM: u32 = 4_194_304;
const MAX_PIECE: usize = 128;
const MAX_ID: u32 = 256;
const MAX_WORD: u32 = 1024;

let pieces: usize = 0; // u32 length and the text, for each
let rows: usize = 0;
let rowCapacity: u32 = 0;
let count: u32 = 0;
let texts: usize = 0;
let textCapacity: u32 = 0;
let length: u32 = 0;
/** Where the row's text begins, and where its next byte goes. */
let begin: usize = 0;
let end: usize = 0;
let isPlain: bool = true;

/** What stands before a value; false when it is too long. */
export function setPiece(piece: usize, start: usize, size: usize): bool {
  if (pieces == 0) pieces = allocate(PIECES * MAX_PIECE);
  if (size > MAX_PIECE - 4) return false;
  store<u32>(pieces + piece * MAX_PIECE, <u32>size);
  memory.copy(pieces + piece * MAX_PIECE + 4, start, size);
  return true;
}

/** Forgets all rows. */
export function startRows(): void {
  count = 0;
  length = 0;
}

export function packedCount(): u32 {
  return count;
}

export function packedRows(): usize {
  return rows;
}

export function packedTexts(): usize {
  return texts;
}

export function beginRow(): void {
  makeRoom();
  begin = end = texts + <usize>length;
  isPlain = true;
  const row = rows + <usize>count * ROW_SIZE;
  v128.store(row + KEY_HASHES, i64x2.splat(0));
  store<u64>(row + KEY_LENGTHS, 0);
}

/** Ids that copies of the session share; before all else. */
export function putKeys(first: usize, firstLength: u32, second: usize, secondLength: u32): void {
  const row = rows + <usize>count * ROW_SIZE;
  store<u64>(row + KEY_HASHES, firstLength == 0 ? 0 : hashOf(first, <usize>firstLength) | 1);
  store<u64>(row + KEY_HASHES + 8, secondLength == 0 ? 0 : hashOf(second, <usize>secondLength) | 1);
  store<u32>(row + KEYS_START, length);
  store<u32>(row + KEY_LENGTHS, firstLength);
  store<u32>(row + KEY_LENGTHS + 4, secondLength);
  if (firstLength > MAX_ID || secondLength > MAX_ID) {
    isPlain = false;
    return;
  }
  memory.copy(end, first, <usize>firstLength);
  end += <usize>firstLength;
  memory.copy(end, second, <usize>secondLength);
  end += <usize>secondLength;
  begin = end;
}

export function put(piece: usize): void {
  const place = pieces + piece * MAX_PIECE;
  const size = <usize>load<u32>(place);
  for (let i: usize = 0; i < size; i += 16) v128.store(end + i, v128.load(place + 4 + i));
  end += size;
}

/** Bytes that need no escape, or the row is not plain. */
export function putPlain(start: usize, size: u32): void {
  if (size > MAX_WORD) {
    isPlain = false;
    return;
  }
  const last: u32 = size & 15;
  let i: usize = 0;
  for (; i + 16 <= <usize>size; i += 16) {
    const bytes = v128.load(start + i);
    if (v128.any_true(escapedIn(bytes))) isPlain = false;
    v128.store(end + i, bytes);
  }
  if (last != 0) {
    // What is behind them is written over by what comes next.
    const bytes = v128.load(start + i);
    if ((<u32>i8x16.bitmask(escapedIn(bytes)) & ((1 << last) - 1)) != 0) isPlain = false;
    v128.store(end + i, bytes);
  }
  end += <usize>size;
}

/** Controls, quotes, slashes and what is not ASCII. */
// @ts-ignore: decorator
@inline
function escapedIn(bytes: v128): v128 {
  const ends = v128.or(i8x16.lt_s(bytes, i8x16.splat(32)), i8x16.eq(bytes, i8x16.splat(127)));
  return v128.or(ends, v128.or(i8x16.eq(bytes, i8x16.splat(34)), i8x16.eq(bytes, i8x16.splat(92))));
}

/** Text as JSON writes it. */
export function putJson(start: usize, size: u32): void {
  if (size > MAX_WORD) {
    isPlain = false;
    return;
  }
  memory.copy(end, start, <usize>size);
  end += <usize>size;
}

export function putQuote(): void {
  store<u8>(end++, 34);
}

/** A word behind what stands before it, if there is one. */
export function putWord(piece: usize, word: u32): void {
  if (word == 0) return;
  const place = wordPlace(word);
  put(piece);
  putPlain(<usize>load<u32>(place), load<u32>(place + 4));
  putQuote();
}

/** The same with an id. */
export function putId(piece: usize, start: usize, size: u32): void {
  if (size == 0) return;
  put(piece);
  putPlain(start, size);
  putQuote();
}

/** How many, behind what stands before it. */
export function putCount(piece: usize, value: u32): void {
  put(piece);
  let digits: usize = 1;
  for (let rest = value; rest > 9; rest /= 10) digits++;
  for (let p = end + digits; p > end; value /= 10) store<u8>(--p, (value % 10) + 48);
  end += digits;
}

/** A title as `titleOf` has made it. */
export function putTitle(start: usize, size: usize, isCut: bool): void {
  for (let p = start; p < start + size; p++) {
    const c = at(p);
    if (c == 34 || c == 92) store<u8>(end++, 92);
    store<u8>(end++, c);
  }
  if (!isCut) return;
  // An ellipsis
  store<u16>(end, 0x80e2);
  store<u8>(end + 2, 0xa6);
  end += 3;
}

let wide: usize = 0;
let wideTitle: i32 = -1;

/** Makes the title of a string with letters beyond ASCII; false when JavaScript has to. */
export function makeWideTitle(start: usize, close: usize): bool {
  if (wide == 0) wide = allocate(320);
  wideTitle = wideTitleOf(start, close, wide);
  return wideTitle >= 0;
}

/** Puts it there. */
export function putWideTitle(): void {
  putTitle(wide, <usize>(wideTitle & 0xffff), (<u32>wideTitle & TITLE_CUT) != 0);
}

/** Of a date from 1970 to 9999: what `toISOString` gives. */
export function putTime(ms: f64): void {
  const time = <u64>ms;
  let rest = <u32>(time % 86_400_000);
  const z = <u32>(time / 86_400_000) + 719_468;
  const era = z / 146_097;
  const dayOfEra = z % 146_097;
  const yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365;
  const dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100);
  const m = (5 * dayOfYear + 2) / 153;
  const month = m < 10 ? m + 3 : m - 9;
  const year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0);
  two(end, year / 100);
  two(end + 2, year % 100);
  store<u8>(end + 4, 45);
  two(end + 5, month);
  store<u8>(end + 7, 45);
  two(end + 8, dayOfYear - (153 * m + 2) / 5 + 1);
  store<u8>(end + 10, 84);
  two(end + 11, rest / 3_600_000);
  rest %= 3_600_000;
  store<u8>(end + 13, 58);
  two(end + 14, rest / 60_000);
  rest %= 60_000;
  store<u8>(end + 16, 58);
  two(end + 17, rest / 1000);
  rest %= 1000;
  store<u8>(end + 19, 46);
  store<u8>(end + 20, rest / 100 + 48);
  two(end + 21, rest % 100);
  store<u8>(end + 23, 90);
  end += 24;
}

function two(p: usize, value: u32): void {
  store<u8>(p, value / 10 + 48);
  store<u8>(p + 1, (value % 10) + 48);
}

/** Keeps the row; false when something in it is not plain: then it is as if it had not been begun. */
export function endRow(created: f64, updated: f64, started: f64): bool {
  if (!isPlain) return false;
  const row = rows + <usize>count * ROW_SIZE;
  store<f64>(row + UPDATED, updated);
  store<f64>(row + CREATED, created);
  store<f64>(row + STARTED, started);
  store<u32>(row + TEXT_START, <u32>(begin - texts));
  store<u32>(row + RELATED, 0);
  length = <u32>(end - texts);
  store<u32>(row + TEXT_END, length);
  count++;
  return true;
}

let keyTable: usize = 0; // u64 hash, u32 row
let keySlots: u32 = 0;

/** Marks rows that have a key in common. */
export function relateRows(): void {
  let slots: u32 = 1024;
  while (slots < 4 * count) slots <<= 1;
  if (slots > keySlots) {
    keyTable = allocate((<usize>slots) << 4);
    keySlots = slots;
  }
  memory.fill(keyTable, 0, (<usize>keySlots) << 4);
  for (let i: u32 = 0; i < count; i++) {
    const row = rows + <usize>i * ROW_SIZE;
    for (let key: usize = 0; key < 2; key++) {
      const hash = load<u64>(row + KEY_HASHES + (key << 3));
      if (hash == 0) continue;
      const slot = slotOf(hash);
      if (load<u64>(slot) == 0) {
        store<u64>(slot, hash);
        store<u32>(slot + 8, i);
      } else if (load<u32>(slot + 8) != i) {
        store<u32>(rows + <usize>load<u32>(slot + 8) * ROW_SIZE + RELATED, 1);
        store<u32>(row + RELATED, 1);
      }
    }
  }
}

/** Marks the row that has a key; after `relateRows`. */
export function relateKey(start: usize, size: usize): void {
  const slot = slotOf(hashOf(start, size) | 1);
  if (load<u64>(slot) != 0) store<u32>(rows + <usize>load<u32>(slot + 8) * ROW_SIZE + RELATED, 1);
}

/** Where a hash is, or belongs. */
function slotOf(hash: u64): usize {
  let slot = <u32>(hash >> 20) & (keySlots - 1);
  for (;;) {
    const place = keyTable + ((<usize>slot) << 4);
    if (load<u64>(place) == 0 || load<u64>(place) == hash) return place;
    slot = (slot + 1) & (keySlots - 1);
  }
  return 0;
}

/** So much that no row has to look again. */
function makeRoom(): void {
  if (count == rowCapacity) {
    const wider = max(256, 4 * rowCapacity);
    const moved = allocate(<usize>wider * ROW_SIZE);
    memory.copy(moved, rows, <usize>count * ROW_SIZE);
    rows = moved;
    rowCapacity = wider;
  }
  if (length + LEAST_ROOM <= textCapacity) return;
  const wider = max(FIRST_ROOM, 4 * textCapacity);
  const moved = allocate(<usize>wider);
  memory.copy(moved, texts, <usize>length);
  texts = moved;
  textCapacity = wider;
}
