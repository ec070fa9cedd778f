/**
 * Billed requests on their way to JavaScript, which takes those of many sessions at once, column by column
 * (src/agents/staged-rows.ts has the same numbers). Words become the numbers that JavaScript has for their texts: where it has
 * told none yet, it is asked, and what was being packed is packed again.
 */
import { allocate } from "./memory";

export const CAPACITY: usize = 4096;

// Columns of f64
export const AT: usize = 0;
export const INPUT: usize = 1;
export const CACHED: usize = 2;
export const CACHE_WRITE: usize = 3;
export const CACHE_WRITE_1H: usize = 4;
export const OUTPUT: usize = 5;
export const THINKING: usize = 6;
export const WEB_SEARCHES: usize = 7;
export const REPORTED: usize = 8;
const DOUBLES: usize = 9;
// Columns of u32
export const MODEL: usize = 0;
export const CWD: usize = 1;
export const BRANCH: usize = 2;
export const SUBAGENT: usize = 3;
export const MODIFIERS: usize = 4;
export const KEY_NUMBER: usize = 5;
const KEY_START: usize = 6;
const KEY_LENGTH: usize = 7;
const WORDS: usize = 8;
// One column of u8
const FLAGS_AT: usize = CAPACITY * (8 * DOUBLES + 4 * WORDS);
export const LOWER_BOUND: u32 = 1;
export const COPIED: u32 = 4;

/** What JavaScript is asked for. */
const TEXT: u32 = 1;
const PAIR: u32 = 2;

const MAX_WORDS: u32 = 8192;
const UNKNOWN: u32 = 0xffff_ffff;
const MAX_PAIRS: u32 = 32;

let stage: usize = 0;
let staged: usize = 0;
let keys: usize = 0;
let keyCapacity: usize = 0;
let keyBytes: usize = 0;
/** Where the first key will lie among JavaScript's. */
let keyBase: usize = 0;
let numbers: usize = 0; // u32 for each word
let pairs: usize = 0; // u32 word, u32 word, u32 number
let pairCount: u32 = 0;
let asked: u32 = 0;
let askedWith: u32 = 0;

/** Begins anew, when what was staged has been taken. */
export function startStage(base: usize): void {
  if (stage == 0) {
    stage = allocate(FLAGS_AT + CAPACITY);
    numbers = allocate(<usize>MAX_WORDS << 2);
    pairs = allocate(<usize>MAX_PAIRS * 12);
    forgetNumbers();
  }
  staged = 0;
  keyBytes = 0;
  keyBase = base;
}

/** Texts have other numbers from now on. */
export function forgetNumbers(): void {
  memory.fill(numbers, 0xff, <usize>MAX_WORDS << 2);
  store<u32>(numbers, 0);
  pairCount = 0;
}

export function stageAt(): usize {
  return stage;
}
export function stagedRows(): usize {
  return staged;
}
export function stagedKeysAt(): usize {
  return keys;
}
export function stagedKeyBytes(): usize {
  return keyBytes;
}
export function askedWord(): u32 {
  return asked;
}
export function askedSecond(): u32 {
  return askedWith;
}

export function setNumber(word: u32, number: u32): void {
  if (word < MAX_WORDS) store<u32>(numbers + (<usize>word << 2), number);
}

/** The number for two words together. */
export function setPair(first: u32, second: u32, number: u32): void {
  // Of more than there are in practice the first ones are asked for again.
  const pair = pairs + <usize>(pairCount++ % MAX_PAIRS) * 12;
  store<u32>(pair, first);
  store<u32>(pair, second, 4);
  store<u32>(pair, number, 8);
}

/** Whether the number of a word's text is known; if so, it is written. */
export function putText(column: usize, row: usize, word: u32): bool {
  const number = word < MAX_WORDS ? load<u32>(numbers + (<usize>word << 2)) : UNKNOWN;
  if (number == UNKNOWN) {
    asked = word;
    return false;
  }
  putWord(column, row, number);
  return true;
}

/** The same for two words; none of them is no text, too. */
export function putPair(column: usize, row: usize, first: u32, second: u32): bool {
  if (first == 0 && second == 0) {
    putWord(column, row, 0);
    return true;
  }
  for (let i: u32 = 0; i < min(pairCount, MAX_PAIRS); i++) {
    const pair = pairs + <usize>i * 12;
    if (load<u32>(pair) != first || load<u32>(pair + 4) != second) continue;
    putWord(column, row, load<u32>(pair + 8));
    return true;
  }
  asked = first;
  askedWith = second;
  return false;
}

/** What `putText` asks for, and `putPair`: the answer of whoever packs. */
export function askText(): u32 {
  return TEXT;
}
export function askPair(): u32 {
  return PAIR;
}

// @ts-ignore: decorator
@inline
export function putWord(column: usize, row: usize, value: u32): void {
  store<u32>(stage + CAPACITY * (8 * DOUBLES + 4 * column) + (row << 2), value);
}

// @ts-ignore: decorator
@inline
export function putDouble(column: usize, row: usize, value: f64): void {
  store<f64>(stage + CAPACITY * (8 * column) + (row << 3), value);
}

// @ts-ignore: decorator
@inline
export function putFlags(row: usize, flags: u32): void {
  store<u8>(stage + FLAGS_AT + row, flags);
}

/** A key at a place of the texts that will be staged with these rows. */
export function putKey(row: usize, start: u32, length: u32, number: u32): void {
  putWord(KEY_START, row, <u32>(keyBase + keyBytes) + start);
  putWord(KEY_LENGTH, row, length);
  putWord(KEY_NUMBER, row, number);
}

/** All rows are written, and their keys lie in these texts. */
export function stageRows(count: usize, texts: usize, length: usize): void {
  if (keyBytes + length > keyCapacity) {
    const capacity = max(65_536, 2 * (keyBytes + length));
    const wider = allocate(capacity);
    if (keyBytes > 0) memory.copy(wider, keys, keyBytes);
    keys = wider;
    keyCapacity = capacity;
  }
  memory.copy(keys + keyBytes, texts, length);
  keyBytes += length;
  staged += count;
}
