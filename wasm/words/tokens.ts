/**
 * Divides a text into words: runs of ASCII letters and digits, folded, and the parts a change of case or a code divides them into.
 * Signs outside ASCII separate; whatever else is there, JavaScript is asked to divide.
 */
import { gather, gatherSoon } from "./gathered";
import { isNew } from "./passage";

/** As in words.ts. */
const MAX_WORD: u32 = 64;
const MIN_PART: u32 = 2;
const MAX_CODE_LETTERS: u32 = 5;
const MIN_CODE_DIGITS: u32 = 3;

/** u8 for each byte. */
const KINDS: usize = 1024;
const NONE: u32 = 0;
const LOWER: u32 = 1; // and digits
const UPPER: u32 = 2;
const BEYOND: u32 = 3;
/** Where a word is folded. */
const FOLDED: usize = 2048;
/** 16 bytes for each number of them up to 15: as many are set. */
const REST: usize = 3072;

const SEED: u64 = 0x9e37_79b9_7f4a_7c15;
const FACTOR: u64 = 0x9fb2_1c65_1e98_df25;

let positions: u32 = 0;
/** Words are counted, and not gathered. */
let isCounting: bool = false;
let start: usize = 0;
let end: usize = 0;

export function startTokens(): void {
  for (let byte: u32 = 0; byte < 256; byte++) store<u8>(KINDS + byte, kindOf(byte));
  for (let set: u32 = 0; set < 16; set++)
    for (let byte: u32 = 0; byte < 16; byte++) store<u8>(REST + 16 * set + byte, byte < set ? 0xff : 0);
  positions = 0;
}

function kindOf(byte: u32): u32 {
  if (byte >= 0x80) return BEYOND;
  if (byte - 0x41 < 26) return UPPER;
  return byte - 0x30 < 10 || byte - 0x61 < 26 ? LOWER : NONE;
}

export function setCounting(counting: bool): void {
  isCounting = counting;
}

/** Positions counted since this was last asked. */
export function takePositions(): u32 {
  const counted = positions;
  positions = 0;
  return counted;
}

/** Where the stretch begins that JavaScript has to divide. */
export function stretchStart(): usize {
  return start;
}

/** True when there is such a stretch, which ends where reading is to go on; false at the end of the text. */
export function tokenize(from: usize, to: usize): bool {
  let at = from;
  while (at < to) {
    const kind: u32 = load<u8>(KINDS + load<u8>(at));
    if (kind == NONE) at++;
    else if (kind == BEYOND) {
      const width = signAt(at, to);
      if (width > 0) at += width;
      else {
        setStretch(at, at, to);
        return true;
      }
    } else {
      const first = at;
      at = runEnd(at, to);
      if (at < to && load<u8>(at) >= 0x80 && signAt(at, to) == 0) {
        setStretch(first, at, to);
        return true;
      }
      positions++;
      if (!isCounting) addRun(first, at);
    }
  }
  return false;
}

export function stretchEnd(): usize {
  return end;
}

/** From a run's beginning to the next byte that separates for certain. */
function setStretch(from: usize, at: usize, to: usize): void {
  start = from;
  while (at < to) {
    const byte = load<u8>(at);
    if (byte < 0x80) {
      if (load<u8>(KINDS + byte) == NONE) break;
      at++;
    } else {
      if (signAt(at, to) > 0) break;
      at++;
      while (at < to && (load<u8>(at) & 0xc0) == 0x80) at++;
    }
  }
  end = at;
}

/** Bytes of a character at this place that is known to be a sign (U+2000 to U+2BFF, U+1F000 to U+1FFFF), else 0. */
function signAt(at: usize, to: usize): u32 {
  const byte = load<u8>(at);
  if (byte == 0xe2) return at + 3 <= to && load<u8>(at + 1) < 0xb0 ? 3 : 0;
  return byte == 0xf0 && at + 4 <= to && load<u8>(at + 1) == 0x9f ? 4 : 0;
}

// @ts-ignore: decorator
@inline
function runEnd(at: usize, to: usize): usize {
  while (at < to) {
    const kind: u32 = load<u8>(KINDS + load<u8>(at));
    if (kind == NONE || kind == BEYOND) break;
    at++;
  }
  return at;
}

/** The whole, and its parts if it is no longer than a word may be. */
function addRun(first: usize, last: usize): void {
  const length = <u32>(last - first);
  const uppers = addFolded(first, min(length, MAX_WORD));
  // Most begin with the only capital letter they have.
  if (uppers == 0 || length > MAX_WORD || (uppers == 1 && !isDigit(last - 1))) return;
  // A passage has most of its names many times; written so, their parts are there already.
  if (!isNew(mixed(lastName ^ uppers))) return;
  if (!addCaseParts(first, last)) addCodeParts(first, last);
}

/** Whether there are any. */
function addCaseParts(first: usize, last: usize): bool {
  let from = first;
  for (let at = first + 1; at < last; at++) {
    if (load<u8>(KINDS + load<u8>(at)) != UPPER) continue;
    const isBoundary = isSmall(at - 1) || (at + 1 < last && isSmall(at + 1));
    if (!isBoundary) continue;
    if (<u32>(at - from) >= MIN_PART) addFolded(from, <u32>(at - from));
    from = at;
  }
  if (from == first) return false;
  if (<u32>(last - from) >= MIN_PART) addFolded(from, <u32>(last - from));
  return true;
}

/** Of a few capital letters and then digits. */
function addCodeParts(first: usize, last: usize): void {
  let digits = first;
  while (digits < last && load<u8>(KINDS + load<u8>(digits)) == UPPER) digits++;
  const letters = <u32>(digits - first);
  if (letters == 0 || letters > MAX_CODE_LETTERS || <u32>(last - digits) < MIN_CODE_DIGITS) return;
  for (let at = digits; at < last; at++) if (!isDigit(at)) return;
  if (letters >= MIN_PART) addFolded(first, letters);
  addFolded(digits, <u32>(last - digits));
}

function isDigit(at: usize): bool {
  return <u32>load<u8>(at) - 0x30 < 10;
}

function isSmall(at: usize): bool {
  return <u32>load<u8>(at) - 0x61 < 26;
}

/** Of the word that was folded last. */
let lastName: u64 = 0;

/** Where upper-case letters stand, a bit for each. Reads whole vectors. */
function addFolded(first: usize, length: u32): u64 {
  const beforeA = i8x16.splat(0x41);
  const letters = i8x16.splat(26);
  const difference = i8x16.splat(0x20);
  let hash = SEED;
  let uppers: u64 = 0;
  for (let i: u32 = 0; i < length; i += 16) {
    let bytes = v128.load(first + i);
    if (length - i < 16) bytes = v128.and(bytes, v128.load(REST + (<usize>(length - i) << 4)));
    const upper = i8x16.lt_u(i8x16.sub(bytes, beforeA), letters);
    bytes = v128.or(bytes, v128.and(upper, difference));
    v128.store(FOLDED + i, bytes);
    hash = added(hash, bytes);
    uppers |= <u64>i8x16.bitmask(upper) << i;
  }
  lastName = mixed(hash ^ length);
  if (isNew(lastName)) gatherSoon(lastName, FOLDED, length);
  return uppers;
}

/** A word that JavaScript has folded. */
export function addForm(word: usize, length: u32): void {
  let hash = SEED;
  for (let i: u32 = 0; i < length; i += 16) {
    let bytes = v128.load(word + i);
    if (length - i < 16) bytes = v128.and(bytes, v128.load(REST + (<usize>(length - i) << 4)));
    hash = added(hash, bytes);
  }
  const name = mixed(hash ^ length);
  if (isNew(name)) gather(name, word, length);
}

// @ts-ignore: decorator
@inline
function added(hash: u64, bytes: v128): u64 {
  hash = (hash ^ i64x2.extract_lane(bytes, 0)) * FACTOR;
  hash = ((hash ^ (hash >> 32)) ^ i64x2.extract_lane(bytes, 1)) * FACTOR;
  return hash ^ (hash >> 29);
}

/** All bits of a byte have a say in the low ones. */
function mixed(hash: u64): u64 {
  const turned = (hash ^ (hash >> 32)) * 0xff51_afd7_ed55_8ccd;
  return turned ^ (turned >> 29);
}
