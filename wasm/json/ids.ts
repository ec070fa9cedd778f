/** Strings as small numbers, equal ones alike: ids of one file, and words, which are kept for good. */
import { allocate } from "./memory";
import { hashOf } from "./text";

// Ids: a hash table that is begun anew for each file. Two tables take turns, so that one can grow into the other.
let idTable: usize = 0; // u64 hash, u32 generation, u32 number
let idSlots: u32 = 0;
let idCapacity: u32 = 0;
let spareTable: usize = 0;
let spareCapacity: u32 = 0;
let idCount: u32 = 0;
let generation: u32 = 0;

/** Forgets all ids; `slots`, a power of two, is how many are expected. */
export function forgetIds(slots: u32): void {
  generation++;
  idCount = 0;
  if (slots > idCapacity) {
    idTable = allocate((<usize>slots) << 4);
    idCapacity = slots;
  }
  idSlots = slots;
}

function growIds(): void {
  const slots = idSlots << 1;
  if (spareCapacity < slots) {
    spareTable = allocate((<usize>slots) << 4);
    spareCapacity = slots;
  }
  const old = idTable;
  const oldSlots = idSlots;
  const oldCapacity = idCapacity;
  const oldGeneration = generation++;
  idTable = spareTable;
  idCapacity = spareCapacity;
  idSlots = slots;
  spareTable = old;
  spareCapacity = oldCapacity;
  for (let i: u32 = 0; i < oldSlots; i++) {
    const entry = old + ((<usize>i) << 4);
    if (load<u32>(entry + 8) != oldGeneration) continue;
    const place = find(load<u64>(entry));
    store<u64>(place, load<u64>(entry));
    store<u32>(place + 8, generation);
    store<u32>(place + 12, load<u32>(entry + 12));
  }
}

/** The entry of a hash, or the free one it belongs into. */
function find(hash: u64): usize {
  let slot = <u32>(hash >> 20) & (idSlots - 1);
  for (;;) {
    const entry = idTable + ((<usize>slot) << 4);
    if (load<u32>(entry + 8) != generation || load<u64>(entry) == hash) return entry;
    slot = (slot + 1) & (idSlots - 1);
  }
  return 0;
}

/** From 1 on, in the order they are first seen. */
export function numberOf(hash: u64): u32 {
  let entry = find(hash);
  if (load<u32>(entry + 8) == generation) return load<u32>(entry + 12);
  if (idCount >= idSlots >> 1) {
    growIds();
    entry = find(hash);
  }
  store<u64>(entry, hash);
  store<u32>(entry + 8, generation);
  store<u32>(entry + 12, ++idCount);
  return idCount;
}

/** How many there are. */
export function distinctIds(): u32 {
  return idCount;
}

/** The number of a string that JavaScript wrote to an address. */
export function idAt(p: usize, length: usize): u32 {
  return numberOf(hashOf(p, length));
}

const WORD_SLOTS: u32 = 8192;
let wordTable: usize = 0; // u64 hash, u32 number
let wordPlaces: usize = 0; // u32 address of the text, u32 its length, for each number
let wordCount: u32 = 0;

/** From 1 on; 0 when there are too many. */
export function wordOf(start: usize, length: usize): u32 {
  const hash = hashOf(start, length);
  let slot = <u32>(hash >> 20) & (WORD_SLOTS - 1);
  for (;;) {
    const entry = wordTable + ((<usize>slot) << 4);
    const number = load<u32>(entry + 8);
    if (number == 0) return addWord(entry, hash, start, length);
    if (load<u64>(entry) == hash) return number;
    slot = (slot + 1) & (WORD_SLOTS - 1);
  }
  return 0;
}

function addWord(entry: usize, hash: u64, start: usize, length: usize): u32 {
  if (wordCount >= WORD_SLOTS >> 1) return 0;
  store<u64>(entry, hash);
  store<u32>(entry + 8, ++wordCount);
  const text = allocate(length);
  memory.copy(text, start, length);
  const place = wordPlaces + ((<usize>wordCount) << 3);
  store<u32>(place, <u32>text);
  store<u32>(place + 4, <u32>length);
  return wordCount;
}

export function startWords(): void {
  if (wordTable != 0) return;
  wordTable = allocate((<usize>WORD_SLOTS) << 4);
  wordPlaces = allocate((<usize>WORD_SLOTS) << 3);
}

/** Where address and length of a word's text lie. */
export function wordPlace(number: u32): usize {
  return wordPlaces + ((<usize>number) << 3);
}
