/**
 * Divides a text into words: runs of ASCII letters and digits, folded, and the parts a change of case divides them into.
 * Signs outside ASCII separate; whatever else is there, JavaScript is asked to divide.
 */
import { gather } from "./gathered";
import { isNew } from "./passage";

/** As in words.ts. */
const MAX_WORD: u32 = 64;
const MIN_PART: u32 = 2;

/** u8 for each byte. */
const KINDS: usize = 1024;
const NONE: u32 = 0;
const LOWER: u32 = 1; // and digits
const UPPER: u32 = 2;
const BEYOND: u32 = 3;
/** Where a word is folded. */
const FOLDED: usize = 2048;

const SEED: u64 = 0x9e37_79b9_7f4a_7c15;
const FACTOR: u64 = 0x0000_0100_0000_01b3;

let positions: u32 = 0;
let start: usize = 0;
let end: usize = 0;

export function startTokens(): void {
  for (let byte: u32 = 0; byte < 256; byte++) store<u8>(KINDS + byte, kindOf(byte));
  positions = 0;
}

function kindOf(byte: u32): u32 {
  if (byte >= 0x80) return BEYOND;
  if (byte - 0x41 < 26) return UPPER;
  return byte - 0x30 < 10 || byte - 0x61 < 26 ? LOWER : NONE;
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
      addRun(first, at);
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
  if (!addFolded(first, min(length, MAX_WORD)) || length > MAX_WORD) return;
  let from = first;
  for (let at = first + 1; at < last; at++) {
    if (load<u8>(KINDS + load<u8>(at)) != UPPER) continue;
    const isBoundary = isSmall(at - 1) || (at + 1 < last && isSmall(at + 1));
    if (!isBoundary) continue;
    if (<u32>(at - from) >= MIN_PART) addFolded(from, <u32>(at - from));
    from = at;
  }
  if (from > first && <u32>(last - from) >= MIN_PART) addFolded(from, <u32>(last - from));
}

function isSmall(at: usize): bool {
  return <u32>load<u8>(at) - 0x61 < 26;
}

/** Whether there is an upper-case letter behind the first place. */
function addFolded(first: usize, length: u32): bool {
  let hash = SEED;
  let hasUpper = false;
  for (let i: u32 = 0; i < length; i++) {
    let byte: u32 = load<u8>(first + i);
    if (byte - 0x41 < 26) {
      byte |= 0x20;
      if (i > 0) hasUpper = true;
    }
    store<u8>(FOLDED + i, byte);
    hash = (hash ^ byte) * FACTOR;
  }
  if (isNew(mixed(hash))) gather(mixed(hash), FOLDED, length);
  return hasUpper;
}

/** A word that JavaScript has folded. */
export function addForm(word: usize, length: u32): void {
  let hash = SEED;
  for (let i: u32 = 0; i < length; i++) hash = (hash ^ load<u8>(word + i)) * FACTOR;
  if (isNew(mixed(hash))) gather(mixed(hash), word, length);
}

/** All bits of a byte have a say in the low ones. */
function mixed(hash: u64): u64 {
  const turned = (hash ^ (hash >> 32)) * 0xff51_afd7_ed55_8ccd;
  return turned ^ (turned >> 29);
}
