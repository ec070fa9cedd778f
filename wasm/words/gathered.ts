/**
 * All words met so far and the rows they stand in. A word is an entry, found by its hash; its rows are a chain of chunks
 * that hold differences as varints.
 *
 *   entry   u64 hash, u32 last row, u32 where to write, u32 end of the last chunk, u32 first chunk, u32 last chunk,
 *           u32 length, bytes of the word
 *   chunk   u32 next chunk, u32 end of what was written when it was left, bytes
 */
import { allocate } from "./memory";

const LAST_ROW: usize = 8;
const WRITE: usize = 12;
const CHUNK_END: usize = 16;
const FIRST_CHUNK: usize = 20;
const LAST_CHUNK: usize = 24;
const LENGTH: usize = 28;
const WORD: usize = 32;

const CHUNK_HEADER: u32 = 8;
const FIRST_SIZE: u32 = 16;
const LARGEST_SIZE: u32 = 4096;
const FIRST_SLOTS: u32 = 65_536;

let table: usize = 0;
let slots: u32 = 0;
let words: u32 = 0;
let row: u32 = 0;

export function startGathering(): void {
  waiting = 0;
  slots = FIRST_SLOTS;
  table = emptyTable();
  words = 0;
  row = 0;
}

/** From 1 up, in ascending order. */
export function goToRow(number: u32): void {
  gatherWaiting();
  row = number;
}

export function wordCount(): u32 {
  gatherWaiting();
  return words;
}

/** The word stands in the current row. */
export function gather(hash: u64, word: usize, length: u32): void {
  let slot = <u32>hash & (slots - 1);
  for (;;) {
    const entry: usize = load<u32>(table + (<usize>slot << 2));
    if (entry == 0) break;
    if (load<u64>(entry) == hash && isWord(entry, word, length)) {
      addRow(entry);
      return;
    }
    slot = (slot + 1) & (slots - 1);
  }
  const entry = newEntry(hash, word, length);
  store<u32>(table + (<usize>slot << 2), <u32>entry);
  addRow(entry);
  if (++words * 2 > slots) widen();
}

/** Whole words of eight bytes are read, beyond the last letter. */
function isWord(entry: usize, word: usize, length: u32): bool {
  if (load<u32>(entry, LENGTH) != length) return false;
  let i: u32 = 0;
  for (; i + 8 <= length; i += 8) if (load<u64>(entry + i, WORD) != load<u64>(word + i)) return false;
  if (i == length) return true;
  return (load<u64>(entry + i, WORD) ^ load<u64>(word + i)) << (64 - 8 * <u64>(length - i)) == 0;
}

/** u64 hash, u32 length, u32 entry to be expected, 64 bytes of the word; below FREE of memory.ts. */
const WAITING: usize = 344_064;
const WAITING_SIZE: usize = 80;
const MOST_WAITING: usize = 32;
let waiting: usize = 0;
/** Of no meaning: what is only read to be in the cache has to go somewhere. */
export let touched: u32 = 0;

/**
 * As `gather`, for a word of up to 64 bytes, but a little later and together with others: nearly each one lies somewhere else
 * in memory, and so all of these places are fetched at once.
 */
export function gatherSoon(hash: u64, word: usize, length: u32): void {
  const place = WAITING + waiting * WAITING_SIZE;
  store<u64>(place, hash);
  store<u32>(place, length, 8);
  v128.store(place, v128.load(word), 16);
  if (length > 16) {
    v128.store(place, v128.load(word, 16), 32);
    v128.store(place, v128.load(word, 32), 48);
    v128.store(place, v128.load(word, 48), 64);
  }
  if (++waiting == MOST_WAITING) gatherWaiting();
}

export function gatherWaiting(): void {
  const end = WAITING + waiting * WAITING_SIZE;
  waiting = 0;
  for (let place = WAITING; place < end; place += WAITING_SIZE) {
    const slot = <u32>load<u64>(place) & (slots - 1);
    store<u32>(place, load<u32>(table + (<usize>slot << 2)), 12);
  }
  let read: u32 = 0;
  for (let place = WAITING; place < end; place += WAITING_SIZE) {
    const entry: usize = load<u32>(place, 12);
    if (entry != 0) store<u32>(place, load<u32>(entry, WRITE), 12);
  }
  for (let place = WAITING; place < end; place += WAITING_SIZE) read += load<u8>(<usize>load<u32>(place, 12));
  touched = read;
  for (let place = WAITING; place < end; place += WAITING_SIZE)
    gather(load<u64>(place), place + 16, load<u32>(place, 8));
}

function newEntry(hash: u64, word: usize, length: u32): usize {
  const entry = allocate(WORD + length);
  const chunk = allocate(FIRST_SIZE);
  store<u32>(chunk, 0);
  store<u64>(entry, hash);
  store<u32>(entry, 0, LAST_ROW);
  store<u32>(entry, <u32>chunk + CHUNK_HEADER, WRITE);
  store<u32>(entry, <u32>chunk + FIRST_SIZE, CHUNK_END);
  store<u32>(entry, <u32>chunk, FIRST_CHUNK);
  store<u32>(entry, <u32>chunk, LAST_CHUNK);
  store<u32>(entry, length, LENGTH);
  memory.copy(entry + WORD, word, length);
  return entry;
}

function addRow(entry: usize): void {
  const last = load<u32>(entry, LAST_ROW);
  if (last == row) return;
  store<u32>(entry, row, LAST_ROW);
  let difference = row - last;
  let at: usize = load<u32>(entry, WRITE);
  if (at + varintBytes(difference) > <usize>load<u32>(entry, CHUNK_END)) at = nextChunk(entry, at);
  while (difference >= 0x80) {
    store<u8>(at++, (difference & 0x7f) | 0x80);
    difference >>= 7;
  }
  store<u8>(at++, difference);
  store<u32>(entry, <u32>at, WRITE);
}

function nextChunk(entry: usize, at: usize): usize {
  const left: usize = load<u32>(entry, LAST_CHUNK);
  const size = min(LARGEST_SIZE, (load<u32>(entry, CHUNK_END) - <u32>left) * 2);
  const chunk = allocate(size);
  store<u32>(chunk, 0);
  store<u32>(left, <u32>chunk);
  store<u32>(left, <u32>at, 4);
  store<u32>(entry, <u32>chunk, LAST_CHUNK);
  store<u32>(entry, <u32>chunk + size, CHUNK_END);
  return chunk + CHUNK_HEADER;
}

function emptyTable(): usize {
  const bytes = <usize>slots << 2;
  const start = allocate(bytes);
  memory.fill(start, 0, bytes);
  return start;
}

function widen(): void {
  const old = table;
  const end = old + (<usize>slots << 2);
  slots *= 2;
  table = emptyTable();
  for (let place = old; place < end; place += 4) {
    const entry: usize = load<u32>(place);
    if (entry == 0) continue;
    let slot = <u32>load<u64>(entry) & (slots - 1);
    while (load<u32>(table + (<usize>slot << 2)) != 0) slot = (slot + 1) & (slots - 1);
    store<u32>(table + (<usize>slot << 2), <u32>entry);
  }
}

// @ts-ignore: decorator
@inline
export function varintBytes(value: u32): u32 {
  return value < 0x80 ? 1 : value < 0x4000 ? 2 : value < 0x20_0000 ? 3 : value < 0x1000_0000 ? 4 : 5;
}

/** Entries in no order, one behind the other, as u32. */
export function copyEntries(to: usize): void {
  const end = table + (<usize>slots << 2);
  for (let place = table; place < end; place += 4) {
    const entry = load<u32>(place);
    if (entry == 0) continue;
    store<u32>(to, entry);
    to += 4;
  }
}

// @ts-ignore: decorator
@inline
export function wordOf(entry: usize): usize {
  return entry + WORD;
}

// @ts-ignore: decorator
@inline
export function lengthOf(entry: usize): u32 {
  return load<u32>(entry, LENGTH);
}

/** Bytes of the rows' differences. */
export function rowBytes(entry: usize): u32 {
  let bytes: u32 = 0;
  for (let chunk: usize = load<u32>(entry, FIRST_CHUNK); chunk != 0; chunk = load<u32>(chunk)) {
    bytes += endOf(entry, chunk) - <u32>chunk - CHUNK_HEADER;
  }
  return bytes;
}

/** Answers where they end. */
export function copyRows(entry: usize, to: usize): usize {
  for (let chunk: usize = load<u32>(entry, FIRST_CHUNK); chunk != 0; chunk = load<u32>(chunk)) {
    const bytes = endOf(entry, chunk) - <u32>chunk - CHUNK_HEADER;
    memory.copy(to, chunk + CHUNK_HEADER, bytes);
    to += bytes;
  }
  return to;
}

function endOf(entry: usize, chunk: usize): u32 {
  return load<u32>(chunk) == 0 ? load<u32>(entry, WRITE) : load<u32>(chunk, 4);
}
