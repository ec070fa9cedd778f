/**
 * Which ids files have in common: values of a key, found in bytes and kept as hashes, those of one file behind those of the
 * one before it. JavaScript's side is src/agents/claude/record-ids.ts.
 *
 * AssemblyScript; `node scripts/gen-wasm.mjs` compiles it into src/agents/claude/record-ids.gen.ts.
 */

/** What is shorter is a number in somebody's list. */
const LEAST_ID: usize = 16;
/** Key and value. */
const LONGEST: usize = 128;
/** Vectors are loaded whole, beyond the last byte. */
const SLACK: usize = 192;

const BYTES: usize = 4096;
let ids: usize = 0; // u64 hashes
let count: u32 = 0;
let capacity: u32 = 0;
let slots: usize = 0; // u64 hash, u32 set
let slotCount: u32 = 0;
/** The set that is being made. */
let set: u32 = 0;
/** Of it. */
let first: u32 = 0;
let top: usize = 0;
/** Which set had an id first, of those that were handed on: u64 hash, u32 number of the set plus one. */
let holders: usize = 0;
let holderSlots: u32 = 0;
let held: u32 = 0;
let youngest: u32 = 0;

/** Where bytes are to be put; so many of them. */
export function startBytes(length: usize): usize {
  top = BYTES;
  allocate(length + SLACK);
  slotCount = 0;
  capacity = 0;
  holderSlots = 0;
  held = 0;
  forgetAll();
  return BYTES;
}

/** All sets. */
export function forgetAll(): void {
  count = 0;
  first = 0;
}

/** Begins a set; gives how many ids there are before it. */
export function startSet(): u32 {
  set++;
  first = count;
  makeRoom();
  return count;
}

export function idCount(): u32 {
  return count;
}

/** Adds ids whose key begins between two addresses; `end`: of what was read. The key is at most 8 bytes, as a number. */
export function addIds(from: usize, to: usize, end: usize, key: u64, keyLength: usize): void {
  const quotes = i8x16.splat(34);
  const second = i8x16.splat(<u8>(key >> 8));
  const bits: u64 = keyLength == 8 ? ~(<u64>0) : ((<u64>1) << (<u64>keyLength << 3)) - 1;
  for (let p = from; p < to; p += 16) {
    const found = v128.and(i8x16.eq(v128.load(p), quotes), i8x16.eq(v128.load(p, 1), second));
    if (!v128.any_true(found)) continue;
    for (let mask = <u32>i8x16.bitmask(found); mask != 0; mask &= mask - 1) {
      const start = p + <usize>ctz(mask);
      if (start < to && (load<u64>(start) & bits) == key) addId(start + keyLength, end, LONGEST - keyLength);
    }
  }
}

function addId(start: usize, end: usize, longest: usize): void {
  let close = start;
  while (close < end && load<u8>(close) != 34) {
    if (++close - start >= longest) return;
  }
  if (close == end || close - start < LEAST_ID) return;
  const hash = hashOf(start, close - start);
  const slot = slotOf(hash);
  if (load<u64>(slot) == hash && load<u32>(slot + 8) == set) return;
  store<u64>(slot, hash);
  store<u32>(slot + 8, set);
  store<u64>(ids + ((<usize>count) << 3), hash);
  count++;
  makeRoom();
}

/** How many ids two sets have in common, each given as the ids before it and those at its end. */
export function sharedIds(from: u32, to: u32, otherFrom: u32, otherTo: u32): u32 {
  set++;
  for (let i = from; i < to; i++) {
    const slot = slotOf(load<u64>(ids + ((<usize>i) << 3)));
    store<u64>(slot, load<u64>(ids + ((<usize>i) << 3)));
    store<u32>(slot + 8, set);
  }
  let shared: u32 = 0;
  for (let i = otherFrom; i < otherTo; i++) {
    const hash = load<u64>(ids + ((<usize>i) << 3));
    const slot = slotOf(hash);
    if (load<u64>(slot) == hash && load<u32>(slot + 8) == set) shared++;
  }
  return shared;
}

/** Nothing was handed on yet. */
export function startHolders(): void {
  if (held > 0) memory.fill(holders, 0, (<usize>holderSlots) << 4);
  held = 0;
}

/** How many ids of a set were in one that was handed on before it; the others are its own from now on. */
export function handOn(from: u32, to: u32, number: u32): u32 {
  let inherited: u32 = 0;
  youngest = 0;
  for (let i = from; i < to; i++) {
    if (held << 1 >= holderSlots) widenHolders();
    const hash = load<u64>(ids + ((<usize>i) << 3));
    const place = holderOf(hash);
    const holder = load<u32>(place + 8);
    if (holder == 0) {
      store<u64>(place, hash);
      store<u32>(place + 8, number + 1);
      held++;
    } else {
      inherited++;
      youngest = max(youngest, holder);
    }
  }
  return inherited;
}

/** The last of the sets that had one of those ids first. */
export function youngestHolder(): u32 {
  return youngest - 1;
}

function holderOf(hash: u64): usize {
  let slot = <u32>(hash >> 24) & (holderSlots - 1);
  for (;;) {
    const place = holders + ((<usize>slot) << 4);
    if (load<u32>(place + 8) == 0 || load<u64>(place) == hash) return place;
    slot = (slot + 1) & (holderSlots - 1);
  }
  return 0;
}

function widenHolders(): void {
  const before = holders;
  const end = before + ((<usize>holderSlots) << 4);
  holderSlots = max(4096, 4 * holderSlots);
  holders = allocate((<usize>holderSlots) << 4);
  memory.fill(holders, 0, (<usize>holderSlots) << 4);
  for (let old = before; old < end; old += 16) {
    const holder = load<u32>(old + 8);
    if (holder == 0) continue;
    const place = holderOf(load<u64>(old));
    store<u64>(place, load<u64>(old));
    store<u32>(place + 8, holder);
  }
}

/** Where a hash is in the set, or belongs: a place of another set is free. */
function slotOf(hash: u64): usize {
  let slot = <u32>(hash >> 24) & (slotCount - 1);
  for (;;) {
    const place = slots + ((<usize>slot) << 4);
    if (load<u32>(place + 8) != set || load<u64>(place) == hash) return place;
    slot = (slot + 1) & (slotCount - 1);
  }
  return 0;
}

/** For one more id: the table is at most half full of one set. */
function makeRoom(): void {
  if (count >= capacity) {
    const wider = max(8192, 2 * capacity);
    const moved = allocate((<usize>wider) << 3);
    memory.copy(moved, ids, (<usize>count) << 3);
    ids = moved;
    capacity = wider;
  }
  if ((count - first) << 1 < slotCount) return;
  const wider = max(4096, 4 * slotCount);
  slots = allocate((<usize>wider) << 4);
  memory.fill(slots, 0, (<usize>wider) << 4);
  slotCount = wider;
  for (let i = first; i < count; i++) {
    const hash = load<u64>(ids + ((<usize>i) << 3));
    const slot = slotOf(hash);
    store<u64>(slot, hash);
    store<u32>(slot + 8, set);
  }
}

function allocate(bytes: usize): usize {
  const start = top;
  top += (bytes + 63) & ~63;
  const missing = <i32>((top + 65_535) >> 16) - memory.size();
  if (missing > 0) memory.grow(missing);
  return start;
}

function hashOf(p: usize, length: usize): u64 {
  let hash: u64 = (<u64>length + 1) * 0x243f6a8885a308d3;
  const last = p + length - 8;
  for (; p < last; p += 8) hash = mixed(hash, load<u64>(p));
  return mixed(hash, load<u64>(last));
}

// @ts-ignore: decorator
@inline
function mixed(hash: u64, bytes: u64): u64 {
  const product = (hash ^ bytes) * 0x9e3779b97f4a7c15;
  return product ^ (product >> 32);
}
