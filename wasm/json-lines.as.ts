/**
 * Reads lines of JSON without building objects: checks each line as strictly as JSON.parse does and notes the values at
 * the paths it was told, where they lie and what they are. What it cannot say with certainty (a key twice, an escaped
 * key, a structure too deep) it calls odd, and JavaScript parses that line.
 *
 * AssemblyScript; `node scripts/gen-wasm.mjs` compiles it into src/lib/json-lines.gen.ts. The memory map below is
 * repeated in src/lib/json-lines.ts, which fills in keys and nodes before the first line.
 */

// Memory map, offsets in bytes. A node is a place in the structure that is asked for; node 1 is the line's own object.
const HEADER: usize = 0; // i32: start of the line, its end, items, whether a line feed ended it
const NODE_FLAGS: usize = 64; // u8 for each node
const ITEM_FIELD: usize = 128; // u8 for each node: its number among the fields of an item, from 1
const KINDS: usize = 192; // u8 for each node: what the line has there
const PLACES: usize = 256; // 4 x i32 for each node: start, end, id, flags
const NUMBERS: usize = 1280; // f64 for each node
const PREFIXES: usize = 1792; // i32: how many; 16 bytes on, i32 length and 60 bytes for each
const SCRATCH: usize = 2816; // where JavaScript puts strings to be looked at
const KEY_TABLE: usize = 16384; // u32 parent node, u32 address of the key, for each slot
const KEY_SLOTS: u32 = 2048;
const KEYS: usize = 32768; // entries of 64 bytes: the beginnings of objects by node, then keys
const ITEMS: usize = 102400; // 4 x i32 for each field of each item: kind, start, end, id
const MAX_ITEMS: i32 = 1024;
const FREE: usize = 167936;

const MAX_DEPTH: i32 = 500;

// Answers of next()
const MORE: i32 = 0;
const RECORD: i32 = 1;
const ODD: i32 = 2;
const DAMAGED: i32 = 3;
const MOVED: i32 = 4; // added to the others: memory has grown, and views of it are void

const FLAG_ID: u32 = 1;
const FLAG_TIME: u32 = 2;
const FLAG_PARENT: u32 = 4;
const FLAG_ITEMS: u32 = 8;
const FLAG_WORD: u32 = 16;

const NULL: u32 = 1;
const FALSE: u32 = 2;
const TRUE: u32 = 3;
const NUMBER: u32 = 4;
const STRING: u32 = 5;
const ARRAY: u32 = 6;
const OBJECT: u32 = 7;

const ESCAPED: u32 = 1;
const WIDE: u32 = 2; // bytes beyond ASCII
const PARSED: u32 = 4; // the number in NUMBERS is the value

let position: usize = 0;
let end: usize = 0;
let final: bool = false;
let stop: usize = 0; // where a check failed
let odd: bool = false;
let escaped: bool = false; // whether the last string was
let items: i32 = 0;
let itemFields: i32 = 0;

// @ts-ignore: decorator
@inline
function at(p: usize): u32 {
  return load<u8>(p);
}

/** Lines from `from` to `to`; the byte at `to` must be a line feed and 64 more must be readable. */
export function feed(from: usize, to: usize, isFinal: bool): void {
  position = from;
  end = to;
  final = isFinal;
}

export function configure(fieldsOfItems: i32): void {
  itemFields = fieldsOfItems;
}

/** Goes on to the next line that is not blank and does not start with a prefix to be passed over. */
export function next(): i32 {
  for (;;) {
    let p = position;
    while (p < end && isPadding(at(p))) p++;
    if (p >= end) {
      if (final) position = end;
      return MORE;
    }
    if (at(p) == 10) {
      position = p + 1;
      continue;
    }
    if (hasPrefix(p)) {
      const feedAt = lineFeed(p);
      if (feedAt == end && !final) return MORE;
      position = feedAt + 1;
      continue;
    }
    return line(p);
  }
}

function line(start: usize): i32 {
  clear();
  odd = false;
  items = 0;
  let state = DAMAGED;
  let after: usize = 0;
  stop = start;
  if (at(start) == 123) {
    after = object(start + 1, 1, 0);
    if (after != 0) {
      while (isPadding(at(after)) && after < end) after++;
      stop = after;
      if (at(after) == 10) state = odd ? ODD : RECORD;
    }
  }
  const feedAt = lineFeed(stop);
  if (feedAt == end && !final) return MORE;
  let last = feedAt;
  while (last > start && isPadding(at(last - 1))) last--;
  // Too deep to be judged here is not yet damage.
  if (odd && state == DAMAGED) state = ODD;
  store<i32>(HEADER, <i32>start);
  store<i32>(HEADER + 4, <i32>last);
  store<i32>(HEADER + 8, items);
  store<i32>(HEADER + 12, feedAt < end ? 1 : 0);
  position = feedAt + 1;
  if (!moved) return state;
  moved = false;
  return state | MOVED;
}

export function unread(): usize {
  return min(position, end);
}

function clear(): void {
  const zero = i64x2.splat(0);
  v128.store(KINDS, zero);
  v128.store(KINDS + 16, zero);
  v128.store(KINDS + 32, zero);
  v128.store(KINDS + 48, zero);
}

// @ts-ignore: decorator
@inline
function isPadding(c: u32): bool {
  return c == 32 || c == 0 || c == 13 || c == 9;
}

/** The next line feed from `p` on, at most the one at `end`. */
function lineFeed(p: usize): usize {
  const feeds = i8x16.splat(10);
  while (p < end) {
    const found = i8x16.eq(v128.load(p), feeds);
    if (v128.any_true(found)) return min(p + <usize>ctz(i8x16.bitmask(found)), end);
    p += 16;
  }
  return end;
}

function hasPrefix(p: usize): bool {
  const count = load<i32>(PREFIXES);
  for (let i = 0; i < count; i++) {
    const prefix = PREFIXES + 16 + (<usize>i << 6);
    const length = <usize>load<i32>(prefix);
    if (p + length <= end && same(prefix + 4, p, length)) return true;
  }
  return false;
}

function same(a: usize, b: usize, length: usize): bool {
  let i: usize = 0;
  for (; i + 8 <= length; i += 8) if (load<u64>(a + i) != load<u64>(b + i)) return false;
  for (; i < length; i++) if (at(a + i) != at(b + i)) return false;
  return true;
}

// @ts-ignore: decorator
@inline
function fail(p: usize): usize {
  stop = p;
  return 0;
}

// @ts-ignore: decorator
@inline
function blank(p: usize): usize {
  // Agents write no blanks between tokens; this is for files that something else has re-written.
  while (at(p) == 32 || at(p) == 9 || at(p) == 13) p++;
  return p;
}

/** After the brace that opens it; gives the place after the one that closes it, 0 when it is no object. */
function object(p: usize, node: u32, depth: i32): usize {
  if (depth > MAX_DEPTH) {
    odd = true;
    return fail(p);
  }
  p = blank(p);
  if (at(p) == 125) return p + 1;
  let before = KEYS + <usize>node * KEY_SIZE;
  for (;;) {
    let key = <usize>load<u32>(before + NEXT);
    if (key == 0 || !startsWith(p, key)) key = <usize>load<u32>(before + OTHER);
    if (key != 0 && startsWith(p, key)) p += <usize>load<u32>(key + LENGTH);
    else {
      if (at(p) != 34) return fail(p);
      const start = p + 1;
      p = string(start);
      if (p == 0) return 0;
      if (escaped) {
        if (node != 0) odd = true;
        key = 0;
      } else key = keyOf(node, start, <u32>(p - start));
      const isTight = at(p + 1) == 58;
      p = blank(p + 1);
      if (at(p) != 58) return fail(p);
      p++;
      if (key != 0 && isTight) follow(before, key);
    }
    p = value(blank(p), key == 0 ? 0 : load<u32>(key + NODE), depth);
    if (p == 0) return 0;
    p = blank(p);
    const c = at(p);
    if (c == 44) {
      p = blank(p + 1);
      if (key != 0) before = key;
      continue;
    }
    return c == 125 ? p + 1 : fail(p);
  }
}

// Keys that were met, each with the one that followed it last and the one before that: agents write their fields in an
// order of few variations, so most keys are recognised by comparing them with what is expected.
const KEY_SIZE: usize = 64;
const NEXT: usize = 0; // u32 address of the key that is likely to follow
const OTHER: usize = 4; // u32 the same, second guess
const NODE: usize = 8; // u32 the node it leads to, or 0
const LENGTH: usize = 12; // u32 of the text below
const TEXT: usize = 16; // with quotes and colon
const MAX_KEY: u32 = 45;
const MAX_KEYS: u32 = 1024;
const MAX_NODES: u32 = 64;
let keyCount: u32 = 0;

// @ts-ignore: decorator
@inline
function startsWith(p: usize, key: usize): bool {
  const length = <usize>load<u32>(key + LENGTH);
  // Keys of less than five letters are filled up with what is not compared.
  if (length < 8) {
    const mask = ((<u64>1) << (<u64>length << 3)) - 1;
    return ((load<u64>(p) ^ load<u64>(key + TEXT)) & mask) == 0;
  }
  let i: usize = 0;
  for (; i + 8 < length; i += 8) if (load<u64>(p + i) != load<u64>(key + TEXT + i)) return false;
  return load<u64>(p + length - 8) == load<u64>(key + TEXT + length - 8);
}

/** The entry of a key; 0 when it is not worth one. */
function keyOf(node: u32, start: usize, length: u32): usize {
  if (length > MAX_KEY) return 0;
  let slot = slotOf(node, start, length);
  for (;;) {
    const entry = KEY_TABLE + (<usize>slot << 3);
    const key = <usize>load<u32>(entry + 4);
    if (key == 0) return addKey(entry, node, start, length, 0);
    if (load<u32>(entry) == node && load<u32>(key + LENGTH) == length + 3 && startsWith(start - 1, key)) return key;
    slot = (slot + 1) & (KEY_SLOTS - 1);
  }
  return 0;
}

function addKey(entry: usize, parent: u32, start: usize, length: u32, node: u32): usize {
  if (keyCount == MAX_KEYS) return 0;
  const key = KEYS + <usize>(MAX_NODES + keyCount++) * KEY_SIZE;
  store<u32>(entry, parent);
  store<u32>(entry + 4, <u32>key);
  store<u32>(key + NODE, node);
  store<u32>(key + LENGTH, length + 3);
  store<u8>(key + TEXT, 34);
  memory.copy(key + TEXT + 1, start, <usize>length);
  store<u16>(key + TEXT + 1 + <usize>length, 0x3a22);
  return key;
}

function follow(before: usize, key: usize): void {
  store<u32>(before + OTHER, load<u32>(before + NEXT));
  store<u32>(before + NEXT, <u32>key);
}

/** A key at `start` below the node `parent` leads to `node`. */
export function addPath(parent: u32, start: usize, length: u32, node: u32): void {
  let slot = slotOf(parent, start, length);
  while (load<u32>(KEY_TABLE + (<usize>slot << 3) + 4) != 0) slot = (slot + 1) & (KEY_SLOTS - 1);
  addKey(KEY_TABLE + (<usize>slot << 3), parent, start, length, node);
}

/** First two and last two bytes tell most keys apart. */
function slotOf(parent: u32, key: usize, length: u32): u32 {
  const ends = length < 2 ? at(key) : <u32>load<u16>(key) | (<u32>load<u16>(key + <usize>length - 2) << 16);
  return ((ends ^ (parent << 8) ^ (length << 20)) * 0x9e3779b1) >> 21;
}

function array(p: usize, node: u32, depth: i32): usize {
  if (depth > MAX_DEPTH) {
    odd = true;
    return fail(p);
  }
  p = blank(p);
  if (at(p) == 93) return p + 1;
  for (;;) {
    if (node != 0) {
      if (items == MAX_ITEMS) odd = true;
      else {
        memory.fill(ITEMS + <usize>(items * itemFields) * 16, 0, <usize>itemFields * 16);
        items++;
      }
      p = at(p) == 123 ? object(p + 1, node, depth + 1) : value(p, 0, depth);
    } else p = value(p, 0, depth);
    if (p == 0) return 0;
    p = blank(p);
    const c = at(p);
    if (c == 44) {
      p = blank(p + 1);
      continue;
    }
    return c == 93 ? p + 1 : fail(p);
  }
}

function value(p: usize, node: u32, depth: i32): usize {
  const c = at(p);
  if (c == 34) {
    const close = string(p + 1);
    if (close == 0) return 0;
    if (node != 0) takeString(node, p + 1, close);
    return close + 1;
  }
  if (c == 123) {
    if (node == 0) return object(p + 1, 0, depth + 1);
    take(node, OBJECT, p, p);
    return object(p + 1, (flagsOf(node) & FLAG_PARENT) != 0 ? node : 0, depth + 1);
  }
  if (c == 91) {
    if (node == 0) return array(p + 1, 0, depth + 1);
    take(node, ARRAY, p, p);
    return array(p + 1, (flagsOf(node) & FLAG_ITEMS) != 0 ? node : 0, depth + 1);
  }
  if (c == 45 || (c >= 48 && c <= 57)) return number(p, node);
  if (load<u32>(p) == 0x65757274) return word(p, 4, node, TRUE);
  if (load<u32>(p) == 0x6c6c756e) return word(p, 4, node, NULL);
  if (c == 102 && load<u32>(p + 1) == 0x65736c61) return word(p, 5, node, FALSE);
  return fail(p);
}

// @ts-ignore: decorator
@inline
function word(p: usize, length: usize, node: u32, kind: u32): usize {
  if (node != 0) take(node, kind, p, p + length);
  return p + length;
}

/** After the opening quote; gives the place of the closing one, 0 when the string breaks JSON's rules. */
function string(p: usize): usize {
  const quotes = i8x16.splat(34);
  const slashes = i8x16.splat(92);
  const spaces = i8x16.splat(32);
  escaped = false;
  for (;;) {
    const bytes = v128.load(p);
    const special = v128.or(v128.or(i8x16.eq(bytes, quotes), i8x16.eq(bytes, slashes)), i8x16.lt_u(bytes, spaces));
    // Taken out in halves: a mask of single bits takes twice as long on ARM.
    const low = i64x2.extract_lane(special, 0);
    if (low != 0) p += <usize>(ctz(low) >> 3);
    else {
      const high = i64x2.extract_lane(special, 1);
      if (high == 0) {
        p += 16;
        continue;
      }
      p += 8 + <usize>(ctz(high) >> 3);
    }
    const c = at(p);
    if (c == 34) return p;
    if (c != 92) return fail(p);
    escaped = true;
    const meaning = at(p + 1);
    if (isEscape(meaning)) p += 2;
    else if (meaning == 117) {
      for (let i: usize = 2; i < 6; i++) if (!isHex(at(p + i))) return fail(p + i);
      p += 6;
    } else return fail(p + 1);
  }
  return 0;
}

// @ts-ignore: decorator
@inline
function isEscape(c: u32): bool {
  return c == 110 || c == 34 || c == 92 || c == 116 || c == 47 || c == 114 || c == 98 || c == 102;
}

// @ts-ignore: decorator
@inline
function isHex(c: u32): bool {
  return (c >= 48 && c <= 57) || ((c | 32) >= 97 && (c | 32) <= 102);
}

function number(p: usize, node: u32): usize {
  const start = p;
  const negative = at(p) == 45;
  if (negative) p++;
  let c = at(p);
  if (c < 48 || c > 57) return fail(p);
  let whole: u64 = c - 48;
  p++;
  if (c != 48) {
    for (c = at(p); c >= 48 && c <= 57; c = at(++p)) whole = whole * 10 + (c - 48);
  }
  let simple = p - start <= 15;
  c = at(p);
  if (c == 46) {
    simple = false;
    c = at(++p);
    if (c < 48 || c > 57) return fail(p);
    while (c >= 48 && c <= 57) c = at(++p);
  }
  if ((c | 32) == 101) {
    simple = false;
    c = at(++p);
    if (c == 43 || c == 45) c = at(++p);
    if (c < 48 || c > 57) return fail(p);
    while (c >= 48 && c <= 57) c = at(++p);
  }
  if (node != 0) {
    const place = take(node, NUMBER, start, p);
    if (simple && load<u8>(ITEM_FIELD + <usize>node) == 0) {
      store<f64>(NUMBERS + (<usize>node << 3), negative ? -(<f64>whole) : <f64>whole);
      store<i32>(place + 12, PARSED);
    }
  }
  return p;
}

// @ts-ignore: decorator
@inline
function flagsOf(node: u32): u32 {
  return load<u8>(NODE_FLAGS + <usize>node);
}

/** Notes what lies at a node: in its own place or, for a field of an item, in the item's row. */
function take(node: u32, kind: u32, start: usize, close: usize): usize {
  const field = <i32>load<u8>(ITEM_FIELD + <usize>node);
  if (field != 0) {
    const place = ITEMS + <usize>((items - 1) * itemFields + field - 1) * 16;
    if (load<i32>(place) != 0) odd = true;
    store<i32>(place, <i32>kind);
    store<i32>(place + 4, <i32>start);
    store<i32>(place + 8, <i32>close);
    store<i32>(place + 12, 0);
    return place;
  }
  if (load<u8>(KINDS + <usize>node) != 0) odd = true;
  store<u8>(KINDS + <usize>node, kind);
  const place = PLACES + (<usize>node << 4);
  store<i32>(place, <i32>start);
  store<i32>(place + 4, <i32>close);
  store<i64>(place + 8, 0);
  return place;
}

function takeString(node: u32, start: usize, close: usize): void {
  const isEscaped = escaped;
  const place = take(node, STRING, start, close);
  const flags = flagsOf(node);
  const isField = load<u8>(ITEM_FIELD + <usize>node) != 0;
  const id = isField ? place + 12 : place + 8;
  if (isEscaped && !isField) store<i32>(place + 12, ESCAPED);
  if ((flags & FLAG_ID) != 0) {
    const hash = hashOf(start, close - start);
    // The same id may be written in several ways; only plain ones can be compared by their bytes.
    if (isEscaped || hashWide) odd = true;
    else store<u32>(id, numberOf(hash));
  } else if ((flags & FLAG_WORD) != 0) store<u32>(id, wordOf(hashOf(start, close - start)));
  else if ((flags & FLAG_TIME) != 0 && !isEscaped) {
    const time = timeOf(start, close - start);
    if (time < 0) return;
    store<f64>(NUMBERS + (<usize>node << 3), <f64>time);
    store<i32>(place + 12, PARSED);
  }
}

let hashWide: bool = false;

function hashOf(p: usize, length: usize): u64 {
  let hash: u64 = 0x243f6a8885a308d3 ^ <u64>length;
  let all: u64 = 0;
  let i: usize = 0;
  for (; i + 8 <= length; i += 8) {
    const bytes = load<u64>(p + i);
    all |= bytes;
    hash = (hash ^ bytes) * 0x9e3779b97f4a7c15;
    hash ^= hash >> 29;
  }
  let rest: u64 = 0;
  for (; i < length; i++) rest = (rest << 8) | at(p + i);
  all |= rest;
  hash = (hash ^ rest) * 0x9e3779b97f4a7c15;
  hashWide = (all & 0x8080808080808080) != 0;
  return hash ^ (hash >> 32);
}

// Ids: a hash table from the hash of a string to a small number, begun anew for each file. Two tables take turns, so
// that one can grow into the other.
let idTable: usize = 0; // u64 hash, u32 generation, i32 number
let idSlots: u32 = 0;
let idCapacity: u32 = 0;
let spareTable: usize = 0;
let spareCapacity: u32 = 0;
let idCount: u32 = 0;
let generation: u32 = 0;
let moved: bool = false;

/** Forgets all ids; `slots`, a power of two, is how many are expected. */
export function forgetIds(slots: u32): void {
  generation++;
  idCount = 0;
  if (slots > idCapacity) {
    idTable = allocate(<usize>slots << 4);
    idCapacity = slots;
  }
  idSlots = slots;
}

function growIds(): void {
  const slots = idSlots << 1;
  if (spareCapacity < slots) {
    spareTable = allocate(<usize>slots << 4);
    spareCapacity = slots;
    moved = true;
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
    const entry = old + (<usize>i << 4);
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
    const entry = idTable + (<usize>slot << 4);
    if (load<u32>(entry + 8) != generation || load<u64>(entry) == hash) return entry;
    slot = (slot + 1) & (idSlots - 1);
  }
  return 0;
}

/** From 1 on, in the order they are first seen. */
function numberOf(hash: u64): u32 {
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

export function ids(): u32 {
  return idCount;
}

/** The number of a string that JavaScript wrote to an address. */
export function idAt(p: usize, length: usize): u32 {
  return numberOf(hashOf(p, length));
}

// Words: the same for strings of which there are few (types, models, directories), kept for good.
const WORD_SLOTS: u32 = 8192;
let wordTable: usize = 0;
let wordCount: u32 = 0;

/** From 1 on; 0 when there are too many. */
function wordOf(hash: u64): u32 {
  if (wordTable == 0) wordTable = allocate(<usize>WORD_SLOTS << 4);
  let slot = <u32>(hash >> 20) & (WORD_SLOTS - 1);
  for (;;) {
    const entry = wordTable + (<usize>slot << 4);
    const number = load<u32>(entry + 8);
    if (number == 0) {
      if (wordCount >= WORD_SLOTS >> 1) return 0;
      store<u64>(entry, hash);
      store<u32>(entry + 8, ++wordCount);
      return wordCount;
    }
    if (load<u64>(entry) == hash) return number;
    slot = (slot + 1) & (WORD_SLOTS - 1);
  }
  return 0;
}

export function wordAt(p: usize, length: usize): u32 {
  return wordOf(hashOf(p, length));
}

// Memory is only ever added to; tables and buffers double, so at most half of it is left behind.
let top: usize = FREE;

export function allocate(bytes: usize): usize {
  const start = top;
  top += (bytes + 63) & ~63;
  const missing = <i32>((top + SLACK + 65_535) >> 16) - memory.size();
  if (missing > 0) memory.grow(missing);
  return start;
}

/** Vectors are loaded whole, beyond the last byte of a line. */
const SLACK: usize = 64;

/** Milliseconds of `2026-01-31T12:00:00.000Z`; negative for any other form, which JavaScript's own parser gets. */
function timeOf(p: usize, length: usize): i64 {
  if (length != 24 || at(p + 23) != 90 || at(p + 10) != 84 || at(p + 19) != 46) return -1;
  if (at(p + 4) != 45 || at(p + 7) != 45 || at(p + 13) != 58 || at(p + 16) != 58) return -1;
  const year = two(p) * 100 + two(p + 2);
  const month = two(p + 5);
  const day = two(p + 8);
  const hour = two(p + 11);
  const minute = two(p + 14);
  const second = two(p + 17);
  const hundreds = at(p + 20) - 48;
  const milli = two(p + 21);
  if (year > 9999 || year < 1970 || month - 1 > 11 || day - 1 > 30 || hour > 23 || minute > 59) return -1;
  if (second > 59 || hundreds > 9 || milli > 99) return -1;
  if (day > 28 && day > daysBefore(month == 12 ? year + 1 : year, (month % 12) + 1) - daysBefore(year, month)) return -1;
  return (
    (((<i64>daysBefore(year, month) + <i64>day - 1) * 24 + <i64>hour) * 60 + <i64>minute) * 60_000 +
    <i64>(second * 1000 + hundreds * 100 + milli)
  );
}

/** Two digits; something above 9999 when they are none. */
function two(p: usize): u32 {
  const tens = at(p) - 48;
  const ones = at(p + 1) - 48;
  return tens > 9 || ones > 9 ? 0x10000 : tens * 10 + ones;
}

/** Days from 1970 to the first of a month, in the Gregorian calendar. */
function daysBefore(year: u32, month: u32): u32 {
  const y = month <= 2 ? year - 1 : year;
  const m = month <= 2 ? month + 9 : month - 3;
  return 365 * y + y / 4 - y / 100 + y / 400 + (153 * m + 2) / 5 - 719_468;
}
