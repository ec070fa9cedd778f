/**
 * The words in the order of their bytes, written in blocks. Of a word in a block: how many bytes it shares with the one
 * before it, how many follow, these bytes, how many bytes its rows take, and these: differences, the first from 0. All
 * numbers are varints.
 */
import { copyEntries, copyRows, lengthOf, rowBytes, varintBytes, wordCount, wordOf } from "./gathered";
import { allocate } from "./memory";

/** A block and what is kept beside it fill one page of the database: more would need further ones, less would waste some. */
const BLOCK_BYTES: u32 = 3_900;

/** u64 first bytes of the word, u32 entry, for each. */
const ITEM: usize = 16;
let items: usize = 0;
let count: u32 = 0;
let next: u32 = 0;
let block: usize = 0;
let room: u32 = 0;

/** Answers how many there are. */
export function sortWords(): u32 {
  count = wordCount();
  next = 0;
  items = allocate(<usize>count * ITEM + ITEM);
  const entries = allocate(<usize>count << 2);
  copyEntries(entries);
  for (let i: u32 = 0; i < count; i++) {
    const entry: usize = load<u32>(entries + (<usize>i << 2));
    setItem(i, firstBytes(entry), <u32>entry);
  }
  if (count > 1) quicksort(0, count - 1);
  room = 2 * BLOCK_BYTES;
  block = allocate(room);
  return count;
}

function setItem(i: u32, key: u64, entry: u32): void {
  const place = items + <usize>i * ITEM;
  store<u64>(place, key);
  store<u32>(place, entry, 8);
}

// @ts-ignore: decorator
@inline
function keyAt(i: u32): u64 {
  return load<u64>(items + <usize>i * ITEM);
}

// @ts-ignore: decorator
@inline
function entryAt(i: u32): u32 {
  return load<u32>(items + <usize>i * ITEM, 8);
}

function firstBytes(entry: usize): u64 {
  const length = min(lengthOf(entry), 8);
  const word = wordOf(entry);
  let key: u64 = 0;
  for (let i: u32 = 0; i < length; i++) key |= (<u64>load<u8>(word + i)) << (56 - 8 * i);
  return key;
}

function isBefore(key: u64, entry: usize, otherKey: u64, other: usize): bool {
  if (key != otherKey) return key < otherKey;
  return compareWords(entry, other) < 0;
}

function compareWords(entry: usize, other: usize): i32 {
  const shared = min(lengthOf(entry), lengthOf(other));
  const difference = memory.compare(wordOf(entry), wordOf(other), shared);
  return difference != 0 ? difference : <i32>lengthOf(entry) - <i32>lengthOf(other);
}

function swap(i: u32, j: u32): void {
  const key = keyAt(i);
  const entry = entryAt(i);
  setItem(i, keyAt(j), entryAt(j));
  setItem(j, key, entry);
}

function quicksort(low: u32, high: u32): void {
  while (low < high) {
    const middle = low + ((high - low) >> 1);
    const key = keyAt(middle);
    const entry: usize = entryAt(middle);
    let i = low;
    let j = high;
    for (;;) {
      while (isBefore(keyAt(i), entryAt(i), key, entry)) i++;
      while (isBefore(key, entry, keyAt(j), entryAt(j))) j--;
      if (i >= j) break;
      swap(i++, j--);
    }
    // The smaller part first, so that the depth stays small.
    const split = j;
    if (split - low < high - split) {
      quicksort(low, split);
      low = split + 1;
    } else {
      quicksort(split + 1, high);
      high = split;
    }
  }
}

/** Writes the next block; answers its length, 0 when there are no more words. */
export function writeBlock(): u32 {
  let at = block;
  let previous: usize = 0;
  while (next < count) {
    const entry: usize = entryAt(next);
    const rows = rowBytes(entry);
    const length = lengthOf(entry);
    const shared = previous == 0 ? 0 : sharedBytes(previous, entry);
    const bytes = length - shared + rows + varintBytes(shared) + varintBytes(length - shared) + varintBytes(rows);
    if (previous != 0 && <u32>(at - block) + bytes > BLOCK_BYTES) break;
    at = makeRoom(at, bytes);
    next++;
    at = varint(at, shared);
    at = varint(at, length - shared);
    memory.copy(at, wordOf(entry) + shared, length - shared);
    at = varint(at + (length - shared), rows);
    at = copyRows(entry, at);
    previous = entry;
  }
  return <u32>(at - block);
}

/** A word that is in very many rows may be more than a block by itself. */
function makeRoom(at: usize, bytes: u32): usize {
  const used = <u32>(at - block);
  if (used + bytes <= room) return at;
  room = used + bytes * 2;
  const wider = allocate(room);
  memory.copy(wider, block, used);
  block = wider;
  return block + used;
}

function sharedBytes(entry: usize, other: usize): u32 {
  const most = min(lengthOf(entry), lengthOf(other));
  const a = wordOf(entry);
  const b = wordOf(other);
  let shared: u32 = 0;
  while (shared < most && load<u8>(a + shared) == load<u8>(b + shared)) shared++;
  return shared;
}

function varint(at: usize, value: u32): usize {
  while (value >= 0x80) {
    store<u8>(at++, (value & 0x7f) | 0x80);
    value >>= 7;
  }
  store<u8>(at++, value);
  return at;
}

export function blockAddress(): usize {
  return block;
}
