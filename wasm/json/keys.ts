/**
 * Keys that were met, each with the two that followed it last: agents write their fields in an order of few variations,
 * so most keys are recognised by comparing them with what is expected.
 */
import { at, KEYS, KEY_TABLE } from "./memory";
import { isSame } from "./text";

export const NEXT: usize = 0; // 2 x u32: addresses of the keys that are likely to follow
export const FIRST: usize = 8; // 2 x u32: of those likely to come first in its value
export const NODE: usize = 16; // u32 the node it leads to, or 0
export const LENGTH: usize = 20; // u32 of the text below
export const TEXT: usize = 24; // with quotes and colon
// The last value it had, if short: many fields have the same one in every line of a file.
export const TRUSTED: usize = 80; // u32: length of key and value if they are likely to come again, else 0
export const WAIT: usize = 84; // i32 how often not to look whether they have
export const PAIR_LENGTH: usize = 88; // u32 of key and value
export const VALUE_START: usize = 92; // u32 from the start of the key
export const VALUE_KIND: usize = 96; // u32
export const VALUE_WORD: usize = 100; // u32
export const VALUE_PARSED: usize = 104; // i32
export const PROVEN: usize = 108; // u32: 1 when key and value did come again since they were taken to be likely to
export const VALUE_NUMBER: usize = 112; // f64
export const PAIR_TEXT: usize = 128;
export const MAX_PAIR: usize = 64;

const KEY_SIZE: usize = 256;
const KEY_SLOTS: u32 = 2048;
const MAX_KEY: u32 = 29;
const MAX_KEYS: u32 = 1024;
/** In place of keys that get no entry. */
export const NO_KEY: usize = KEYS;
/** The guess where nothing is known yet; no text matches it. */
const IMPOSSIBLE: usize = KEYS + KEY_SIZE;
/** Holds the line's own object. */
export const ROOT: usize = KEYS + 2 * KEY_SIZE;
let keyCount: u32 = 0;

export function startKeys(): void {
  if (keyCount > 0) return;
  keyCount = 3;
  store<u32>(IMPOSSIBLE + LENGTH, 8);
  resetGuesses(NO_KEY);
  resetGuesses(IMPOSSIBLE);
  resetGuesses(ROOT);
}

function resetGuesses(entry: usize): void {
  store<u32>(entry + NEXT, <u32>IMPOSSIBLE);
  store<u32>(entry + NEXT + 4, <u32>IMPOSSIBLE);
  store<u32>(entry + FIRST, <u32>IMPOSSIBLE);
  store<u32>(entry + FIRST + 4, <u32>IMPOSSIBLE);
}

/** The entry of a key without escapes below a node. */
export function keyOf(node: u32, start: usize, length: u32): usize {
  if (length > MAX_KEY) return NO_KEY;
  let slot = slotOf(node, start, length);
  for (;;) {
    const entry = KEY_TABLE + ((<usize>slot) << 3);
    const key = <usize>load<u32>(entry + 4);
    if (key == 0) return addKey(entry, node, start, length, 0);
    if (
      load<u32>(entry) == node &&
      load<u32>(key + LENGTH) == length + 3 &&
      isSame(key + TEXT + 1, start, <usize>length)
    )
      return key;
    slot = (slot + 1) & (KEY_SLOTS - 1);
  }
  return 0;
}

export function hasEscape(start: usize, length: u32): bool {
  for (let i: usize = 0; i < <usize>length; i++) if (at(start + i) == 92) return true;
  return false;
}

function addKey(entry: usize, parent: u32, start: usize, length: u32, node: u32): usize {
  if (keyCount == MAX_KEYS) return NO_KEY;
  const key = KEYS + <usize>keyCount * KEY_SIZE;
  keyCount++;
  store<u32>(entry, parent);
  store<u32>(entry + 4, <u32>key);
  resetGuesses(key);
  store<u32>(key + NODE, node);
  store<u32>(key + LENGTH, length + 3);
  store<u8>(key + TEXT, 34);
  memory.copy(key + TEXT + 1, start, <usize>length);
  store<u16>(key + TEXT + 1 + <usize>length, 0x3a22);
  return key;
}

export function follow(guess: usize, key: usize): void {
  store<u32>(guess + 4, load<u32>(guess));
  store<u32>(guess, <u32>key);
}

/** A key at `start` below the node `parent` leads to `node`. */
export function addPath(parent: u32, start: usize, length: u32, node: u32): void {
  let slot = slotOf(parent, start, length);
  while (load<u32>(KEY_TABLE + ((<usize>slot) << 3) + 4) != 0) slot = (slot + 1) & (KEY_SLOTS - 1);
  addKey(KEY_TABLE + ((<usize>slot) << 3), parent, start, length, node);
}

/** First two and last two bytes tell most keys apart. */
function slotOf(parent: u32, key: usize, length: u32): u32 {
  const ends = length < 2 ? at(key) : <u32>load<u16>(key) | ((<u32>load<u16>(key + <usize>length - 2)) << 16);
  return ((ends ^ (parent << 8) ^ (length << 20)) * 0x9e3779b1) >> 21;
}
