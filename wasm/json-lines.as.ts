/**
 * Reads lines of JSON without building objects: checks each line as strictly as JSON.parse does and notes the values at
 * the paths it was told, where they lie and what they are. What it cannot say with certainty (a key twice, an escaped
 * key, a structure too deep) it calls odd, and JavaScript parses that line.
 *
 * AssemblyScript; `node scripts/gen-wasm.mjs` compiles it into src/lib/json-lines.gen.ts. The beginning of the memory
 * map is repeated in src/lib/json-lines.ts, which configures the module and reads what it noted.
 */

// Memory map, offsets in bytes. A node is a place in the structure that is asked for; node 1 is the line's own object,
// node 0 stands for all that nobody asked for.
const HEADER: usize = 0; // i32: start of the line, its end, items, whether a line feed ended it
const NODE_FLAGS: usize = 64; // u8 for each node
const ITEM_FIELD: usize = 128; // u8 for each node: its number among the fields of an item, from 1
const KINDS: usize = 192; // u8 for each node: what the line has there
const PLACES: usize = 256; // 4 x i32 for each node: start, end, id, whether the number is parsed
const NUMBERS: usize = 1280; // f64 for each node
const PREFIXES: usize = 1792; // i32: how many; 16 bytes on, i32 length and 60 bytes for each
const KEPT: usize = 12_288; // 64 slots of 64 bytes
const ITEMS: usize = 16_384; // 4 x i32 for each field of each item: kind, start, end, id
const MAX_ITEMS: i32 = 1024;
const KEY_TABLE: usize = 81_920; // u32 parent node, u32 address of the key, for each slot
const KEY_SLOTS: u32 = 2048;
const KEYS: usize = 98_304; // entries of 256 bytes
const FREE: usize = 360_448;

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

let position: usize = 0;
let end: usize = 0;
let final: bool = false;
let stop: usize = 0; // where a check failed
let odd: bool = false;
let items: i32 = 0;
let itemFields: i32 = 0;

// @ts-ignore: decorator
@inline
function at(p: usize): u32 {
  return load<u8>(p);
}

/** Lines from `from` to `to`; the byte at `to` must be a line feed, and 64 more must be readable. */
export function feed(from: usize, to: usize, isFinal: bool): void {
  position = from;
  end = to;
  final = isFinal;
}

/** Where the first line begins that was not answered yet. */
export function unread(): usize {
  return min(position, end);
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
    if (!hasPrefix(p)) return line(p);
    const feedAt = lineFeed(p);
    if (feedAt == end && !final) return MORE;
    position = feedAt + 1;
  }
  return MORE;
}

function line(start: usize): i32 {
  const zero = i64x2.splat(0);
  v128.store(KINDS, zero);
  v128.store(KINDS + 16, zero);
  v128.store(KINDS + 32, zero);
  v128.store(KINDS + 48, zero);
  odd = false;
  items = 0;
  let state = DAMAGED;
  stop = start;
  if (at(start) == 123) {
    let after = object(start + 1, 1, ROOT, 0);
    if (after != 0) {
      while (isPadding(at(after)) && after < end) after++;
      stop = after;
      if (at(after) == 10) state = RECORD;
    }
  }
  const feedAt = lineFeed(stop);
  if (feedAt == end && !final) return MORE;
  let last = feedAt;
  while (last > start && isPadding(at(last - 1))) last--;
  // What is too deep to be judged here may be sound.
  if (odd) state = ODD;
  store<i32>(HEADER, <i32>start);
  store<i32>(HEADER + 4, <i32>last);
  store<i32>(HEADER + 8, items);
  store<i32>(HEADER + 12, feedAt < end ? 1 : 0);
  position = feedAt + 1;
  if (!moved) return state;
  moved = false;
  return state | MOVED;
}

// @ts-ignore: decorator
@inline
function isPadding(c: u32): bool {
  return c == 32 || c == 0 || c == 13 || c == 9;
}

/** The next line feed from `p` on, at most the one at `end`. */
function lineFeed(p: usize): usize {
  if (at(p) == 10) return p;
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
    if (load<u64>(prefix + 4) == load<u64>(p) && p + length <= end && isSame(prefix + 4, p, length)) return true;
  }
  return false;
}

/** For up to 64 bytes; reads, but does not compare, up to 8 of them more. */
// @ts-ignore: decorator
@inline
function isSame(a: usize, b: usize, length: usize): bool {
  if (length <= 16) {
    if (length < 8) return ((load<u64>(a) ^ load<u64>(b)) & (((<u64>1) << (<u64>length << 3)) - 1)) == 0;
    const last = length - 8;
    return ((load<u64>(a) ^ load<u64>(b)) | (load<u64>(a + last) ^ load<u64>(b + last))) == 0;
  }
  let differs = v128.or(
    v128.xor(v128.load(a), v128.load(b)),
    v128.xor(v128.load(a + length - 16), v128.load(b + length - 16)),
  );
  if (length > 32) {
    differs = v128.or(differs, v128.xor(v128.load(a, 16), v128.load(b, 16)));
    differs = v128.or(differs, v128.xor(v128.load(a + length - 32), v128.load(b + length - 32)));
  }
  return !v128.any_true(differs);
}

// @ts-ignore: decorator
@inline
function fail(p: usize): usize {
  stop = p;
  return 0;
}

/** Agents write no blanks between tokens; this is for files that something else has re-written. */
// @ts-ignore: decorator
@inline
function blank(p: usize): usize {
  while (at(p) == 32 || at(p) == 9 || at(p) == 13) p++;
  return p;
}

/**
 * After the brace that opens it; gives the place after the one that closes it, 0 when it is no object. `holder` is the
 * key whose value it is, or is in.
 */
function object(p: usize, node: u32, holder: usize, depth: i32): usize {
  if (at(p) != 34) {
    p = blank(p);
    if (at(p) == 125) return p + 1;
  }
  if (depth > MAX_DEPTH) {
    odd = true;
    return fail(p);
  }
  let guess = holder + FIRST;
  for (;;) {
    let key = <usize>load<u32>(guess);
    let after = repeated(p, key);
    if (after == 0) {
      if (!isSame(p, key + TEXT, <usize>load<u32>(key + LENGTH))) {
        key = <usize>load<u32>(guess + 4);
        if (!isSame(p, key + TEXT, <usize>load<u32>(key + LENGTH))) key = 0;
      }
      if (key != 0) {
        after = p + <usize>load<u32>(key + LENGTH);
        if (at(after) <= 32) after = blank(after);
        after = value(after, load<u32>(key + NODE), key, depth);
        if (after == 0) return 0;
        if (load<i32>(key + WAIT) > 0) store<i32>(key + WAIT, load<i32>(key + WAIT) - 1);
        else remember(p, after, key);
      } else {
        if (at(p) != 34) return fail(p);
        after = string(p + 1);
        if (after == 0) return 0;
        key = keyOf(node, p + 1, <u32>(after - p - 1));
        after++;
        if (at(after) == 58) {
          if (key != NO_KEY) follow(guess, key);
        } else {
          after = blank(after);
          if (at(after) != 58) return fail(after);
        }
        after++;
        if (at(after) <= 32) after = blank(after);
        after = value(after, load<u32>(key + NODE), key, depth);
        if (after == 0) return 0;
      }
    }
    p = after;
    let c = at(p);
    if (c <= 32) {
      p = blank(p);
      c = at(p);
    }
    if (c != 44) return c == 125 ? p + 1 : fail(p);
    if (at(++p) <= 32) p = blank(p);
    guess = key + NEXT;
  }
  return 0;
}

function array(p: usize, node: u32, holder: usize, depth: i32): usize {
  p = blank(p);
  if (at(p) == 93) return p + 1;
  if (depth > MAX_DEPTH) {
    odd = true;
    return fail(p);
  }
  for (;;) {
    if (node != 0 && at(p) == 123) {
      if (items == MAX_ITEMS) odd = true;
      else {
        memory.fill(ITEMS + <usize>(items * itemFields) * 16, 0, <usize>itemFields * 16);
        items++;
      }
      p = object(p + 1, node, holder, depth + 1);
    } else p = value(p, 0, holder, depth);
    if (p == 0) return 0;
    p = blank(p);
    const c = at(p);
    if (c != 44) return c == 93 ? p + 1 : fail(p);
    p = blank(p + 1);
  }
  return 0;
}

function value(p: usize, node: u32, key: usize, depth: i32): usize {
  const c = at(p);
  if (c == 34) {
    const close = string(p + 1);
    if (close == 0) return 0;
    if (node != 0) takeString(node, p + 1, close);
    return close + 1;
  }
  if (c - 48 <= 9 || c == 45) return number(p, node);
  if (c == 123) {
    if (node != 0) {
      take(node, OBJECT, p, p);
      if ((flagsOf(node) & FLAG_PARENT) == 0) node = 0;
    }
    return object(p + 1, node, key, depth + 1);
  }
  if (c == 91) {
    if (node != 0) {
      take(node, ARRAY, p, p);
      if ((flagsOf(node) & FLAG_ITEMS) == 0) node = 0;
    }
    return array(p + 1, node, key, depth + 1);
  }
  const word = load<u32>(p);
  if (word == 0x65757274) return constant(p, 4, node, TRUE);
  if (word == 0x6c6c756e) return constant(p, 4, node, NULL);
  if (c == 102 && load<u32>(p + 1) == 0x65736c61) return constant(p, 5, node, FALSE);
  return fail(p);
}

// @ts-ignore: decorator
@inline
function constant(p: usize, length: usize, node: u32, kind: u32): usize {
  if (node != 0) take(node, kind, p, p + length);
  return p + length;
}

/** After the opening quote; gives the place of the closing one, 0 when the string breaks JSON's rules. */
function string(p: usize): usize {
  const quotes = i8x16.splat(34);
  const slashes = i8x16.splat(92);
  const spaces = i8x16.splat(32);
  // Most strings are short and without escapes.
  const bytes = v128.load(p);
  const special = v128.or(v128.or(i8x16.eq(bytes, quotes), i8x16.eq(bytes, slashes)), i8x16.lt_u(bytes, spaces));
  const low = i64x2.extract_lane(special, 0);
  if (low != 0) {
    const q = p + <usize>(ctz(low) >> 3);
    return at(q) == 34 ? q : longString(q);
  }
  const high = i64x2.extract_lane(special, 1);
  if (high == 0) return longString(p + 16);
  const q = p + 8 + <usize>(ctz(high) >> 3);
  return at(q) == 34 ? q : longString(q);
}

/** The same, 32 bytes at a time; common escapes, checked by the byte after them, are passed over without stopping. */
function longString(p: usize): usize {
  const quotes = i8x16.splat(34);
  const slashes = i8x16.splat(92);
  const spaces = i8x16.splat(32);
  const nibbles = i8x16.splat(15);
  // By its lower half: ", t, f, n, /
  const common = i8x16(0, 0, 34, 0, 116, 0, 102, 0, 0, 0, 0, 0, 0, 0, 110, 47);
  // Slashes just before: a quote behind one of them does not end the string.
  let slashBefore = i8x16.splat(0);
  for (;;) {
    const bytes = v128.load(p);
    const bytes2 = v128.load(p, 16);
    const after = v128.load(p, 1);
    const after2 = v128.load(p, 17);
    const slash = i8x16.eq(bytes, slashes);
    const slash2 = i8x16.eq(bytes2, slashes);
    const escape = i8x16.eq(v128.swizzle(common, v128.and(after, nibbles)), after);
    const escape2 = i8x16.eq(v128.swizzle(common, v128.and(after2, nibbles)), after2);
    const quote = v128.andnot(i8x16.eq(bytes, quotes), oneLater(slashBefore, slash));
    const quote2 = v128.andnot(i8x16.eq(bytes2, quotes), oneLater(slash, slash2));
    const special = v128.or(v128.or(quote, i8x16.lt_u(bytes, spaces)), v128.andnot(slash, escape));
    const special2 = v128.or(v128.or(quote2, i8x16.lt_u(bytes2, spaces)), v128.andnot(slash2, escape2));
    if (!v128.any_true(v128.or(special, special2))) {
      p += 32;
      slashBefore = slash2;
      continue;
    }
    // Taken out in halves: a mask of single bits takes twice as long on ARM.
    let bits = i64x2.extract_lane(special, 0);
    if (bits == 0) {
      p += 8;
      bits = i64x2.extract_lane(special, 1);
      if (bits == 0) {
        p += 8;
        bits = i64x2.extract_lane(special2, 0);
        if (bits == 0) {
          p += 8;
          bits = i64x2.extract_lane(special2, 1);
        }
      }
    }
    p += <usize>(ctz(bits) >> 3);
    const c = at(p);
    if (c == 34) return p;
    if (c != 92) return fail(p);
    const meaning = at(p + 1);
    if (meaning == 117) {
      for (let i: usize = 2; i < 6; i++) if (!isHex(at(p + i))) return fail(p + i);
      p += 6;
    } else if (meaning == 92 || meaning == 114 || meaning == 98 || isCommonEscape(meaning)) p += 2;
    else return fail(p + 1);
    slashBefore = i8x16.splat(0);
  }
  return 0;
}

// @ts-ignore: decorator
@inline
function oneLater(before: v128, vector: v128): v128 {
  return i8x16.shuffle(before, vector, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30);
}

// @ts-ignore: decorator
@inline
function isCommonEscape(c: u32): bool {
  return c == 34 || c == 116 || c == 102 || c == 110 || c == 47;
}

// @ts-ignore: decorator
@inline
function isHex(c: u32): bool {
  return c - 48 <= 9 || (c | 32) - 97 <= 5;
}

function number(p: usize, node: u32): usize {
  const start = p;
  if (at(p) == 45) p++;
  let c = at(p);
  if (c - 48 > 9) return fail(p);
  let whole: u64 = c - 48;
  c = at(++p);
  if (whole != 0) {
    for (; c - 48 <= 9; c = at(++p)) whole = whole * 10 + (c - 48);
  }
  let isPlain = p - start <= 15;
  if (c == 46) {
    isPlain = false;
    c = at(++p);
    if (c - 48 > 9) return fail(p);
    while (c - 48 <= 9) c = at(++p);
  }
  if ((c | 32) == 101) {
    isPlain = false;
    c = at(++p);
    if (c == 43 || c == 45) c = at(++p);
    if (c - 48 > 9) return fail(p);
    while (c - 48 <= 9) c = at(++p);
  }
  if (node == 0) return p;
  const place = take(node, NUMBER, start, p);
  if (isPlain && load<u8>(ITEM_FIELD + <usize>node) == 0) {
    store<f64>(NUMBERS + (<usize>node << 3), at(start) == 45 ? -(<f64>whole) : <f64>whole);
    store<i32>(place + 12, 1);
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
  const place = take(node, STRING, start, close);
  const flags = flagsOf(node);
  if ((flags & (FLAG_ID | FLAG_WORD)) != 0) {
    const hash = hashOf(start, close - start);
    const number = load<u8>(ITEM_FIELD + <usize>node) != 0 ? place + 12 : place + 8;
    if ((flags & FLAG_WORD) != 0) store<u32>(number, wordOf(hash));
    // The same id may be written in several ways; only plain ones can be compared by their bytes.
    else if (isPlainText(start, close)) store<u32>(number, numberOf(hash));
    else odd = true;
  } else if ((flags & FLAG_TIME) != 0) {
    const time = timeOf(start, close - start);
    if (time < 0) return;
    store<f64>(NUMBERS + (<usize>node << 3), <f64>time);
    store<i32>(place + 12, 1);
  }
}

/** Copies the string at a node, if it is no longer than a slot, to where the next lines leave it alone. */
export function keep(node: u32, slot: u32): void {
  const place = PLACES + (<usize>node << 4);
  const start = <usize>load<u32>(place);
  const kept = KEPT + (<usize>slot << 6);
  v128.store(kept, v128.load(start));
  v128.store(kept, v128.load(start, 16), 16);
  v128.store(kept, v128.load(start, 32), 32);
  v128.store(kept, v128.load(start, 48), 48);
}

/** ASCII without escapes. */
function isPlainText(start: usize, close: usize): bool {
  const slashes = i8x16.splat(92);
  let p = start;
  for (; p + 16 <= close; p += 16) {
    const bytes = v128.load(p);
    if (v128.any_true(v128.or(i8x16.eq(bytes, slashes), i8x16.lt_s(bytes, i8x16.splat(0))))) return false;
  }
  for (; p < close; p++) if (at(p) == 92 || at(p) >= 128) return false;
  return true;
}

function hashOf(p: usize, length: usize): u64 {
  let hash: u64 = (<u64>length + 1) * 0x243f6a8885a308d3;
  if (length >= 8) {
    const last = p + length - 8;
    for (; p < last; p += 8) hash = mixed(hash, load<u64>(p));
    return mixed(hash, load<u64>(last));
  }
  const mask = ((<u64>1) << (<u64>length << 3)) - 1;
  return mixed(hash, load<u64>(p) & mask);
}

// @ts-ignore: decorator
@inline
function mixed(hash: u64, bytes: u64): u64 {
  const product = (hash ^ bytes) * 0x9e3779b97f4a7c15;
  return product ^ (product >> 32);
}

// Keys that were met, each with the one that followed it last and the one before that: agents write their fields in an
// order of few variations, so most keys are recognised by comparing them with what is expected.
const KEY_SIZE: usize = 256;
const NEXT: usize = 0; // 2 x u32: addresses of the keys that are likely to follow
const FIRST: usize = 8; // 2 x u32: of those likely to come first in its value
const NODE: usize = 16; // u32 the node it leads to, or 0
const LENGTH: usize = 20; // u32 of the text below
const TEXT: usize = 24; // with quotes and colon
// The last value it had, if short: many fields have the same one in every line of a file.
const TRUSTED: usize = 80; // u32: length of key and value if they are likely to come again, else 0
const WAIT: usize = 84; // i32 how often not to look whether they have
const PAIR_LENGTH: usize = 88; // u32 of key and value
const VALUE_START: usize = 92; // u32 from the start of the key
const VALUE_KIND: usize = 96; // u32
const VALUE_WORD: usize = 100; // u32
const VALUE_PARSED: usize = 104; // i32
const VALUE_NUMBER: usize = 112; // f64
const PAIR_TEXT: usize = 128;
const MAX_PAIR: usize = 64;
const MAX_KEY: u32 = 29;
const MAX_KEYS: u32 = 1024;
let keyCount: u32 = 0;

/** The place after key and value if they are what they were last time; else 0. */
function repeated(p: usize, key: usize): usize {
  const length = <usize>load<u32>(key + TRUSTED);
  if (length == 0 || !isSame(p, key + PAIR_TEXT, length)) return 0;
  const after = p + length;
  // A number may go on.
  if (at(after) != 44 && at(after) != 125) return 0;
  const node = load<u32>(key + NODE);
  if (node == 0) return after;
  const kind = load<u32>(key + VALUE_KIND);
  const start = p + <usize>load<u32>(key + VALUE_START);
  if (kind == STRING && (flagsOf(node) & FLAG_ID) != 0) {
    takeString(node, start, after - 1);
    return after;
  }
  const place = take(node, kind, start, kind == STRING ? after - 1 : after);
  if (load<u8>(ITEM_FIELD + <usize>node) != 0) store<u32>(place + 12, load<u32>(key + VALUE_WORD));
  else {
    store<u32>(place + 8, load<u32>(key + VALUE_WORD));
    store<i32>(place + 12, load<i32>(key + VALUE_PARSED));
    store<f64>(NUMBERS + (<usize>node << 3), load<f64>(key + VALUE_NUMBER));
  }
  return after;
}

/** Keeps key and value to be compared with the next ones, unless they have turned out not to repeat. */
function remember(p: usize, after: usize, key: usize): void {
  const length = after - p;
  const start = <usize>load<u32>(key + LENGTH);
  const c = at(p + start);
  if (length > MAX_PAIR || c <= 32 || c == 123 || c == 91) {
    store<u32>(key + TRUSTED, 0);
    store<u32>(key + PAIR_LENGTH, 0);
    store<i32>(key + WAIT, PATIENCE);
    return;
  }
  if (length == <usize>load<u32>(key + PAIR_LENGTH) && isSame(p, key + PAIR_TEXT, length)) {
    store<u32>(key + TRUSTED, <u32>length);
    return;
  }
  if (load<u32>(key + TRUSTED) != 0) store<u32>(key + TRUSTED, 0);
  else if (load<u32>(key + PAIR_LENGTH) != 0) store<i32>(key + WAIT, PATIENCE);
  store<u32>(key + PAIR_LENGTH, <u32>length);
  v128.store(key, v128.load(p), PAIR_TEXT);
  v128.store(key, v128.load(p, 16), PAIR_TEXT + 16);
  v128.store(key, v128.load(p, 32), PAIR_TEXT + 32);
  v128.store(key, v128.load(p, 48), PAIR_TEXT + 48);
  store<u32>(key + VALUE_START, <u32>(c == 34 ? start + 1 : start));
  const node = load<u32>(key + NODE);
  if (node == 0) return;
  const field = load<u8>(ITEM_FIELD + <usize>node) != 0;
  const place = field ? ITEMS + <usize>((items - 1) * itemFields + <i32>load<u8>(ITEM_FIELD + <usize>node) - 1) * 16 : PLACES + (<usize>node << 4);
  store<u32>(key + VALUE_KIND, field ? load<u32>(place) : load<u8>(KINDS + <usize>node));
  store<u32>(key + VALUE_WORD, load<u32>(field ? place + 12 : place + 8));
  store<i32>(key + VALUE_PARSED, field ? 0 : load<i32>(place + 12));
  store<f64>(key + VALUE_NUMBER, load<f64>(NUMBERS + (<usize>node << 3)));
}

/** Lines for which a value that differed is not compared again. */
const PATIENCE: i32 = 64;

export function configure(fieldsOfItems: i32): void {
  itemFields = fieldsOfItems;
  if (keyCount > 0) return;
  keyCount = 3;
  store<u32>(IMPOSSIBLE + LENGTH, 8);
  resetGuesses(NO_KEY);
  resetGuesses(IMPOSSIBLE);
  resetGuesses(ROOT);
}

/** In place of keys that get no entry. */
const NO_KEY: usize = KEYS;
/** The guess where nothing is known yet; no text matches it. */
const IMPOSSIBLE: usize = KEYS + KEY_SIZE;
/** Holds the line's own object. */
const ROOT: usize = KEYS + 2 * KEY_SIZE;

function resetGuesses(entry: usize): void {
  store<u32>(entry + NEXT, <u32>IMPOSSIBLE);
  store<u32>(entry + NEXT + 4, <u32>IMPOSSIBLE);
  store<u32>(entry + FIRST, <u32>IMPOSSIBLE);
  store<u32>(entry + FIRST + 4, <u32>IMPOSSIBLE);
}

/** The entry of a key. */
function keyOf(node: u32, start: usize, length: u32): usize {
  if (!isPlainKey(start, length)) {
    if (node != 0) odd = true;
    return NO_KEY;
  }
  if (length > MAX_KEY) return NO_KEY;
  let slot = slotOf(node, start, length);
  for (;;) {
    const entry = KEY_TABLE + (<usize>slot << 3);
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

function isPlainKey(start: usize, length: u32): bool {
  for (let i: usize = 0; i < <usize>length; i++) if (at(start + i) == 92) return false;
  return true;
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

function follow(guess: usize, key: usize): void {
  store<u32>(guess + 4, load<u32>(guess));
  store<u32>(guess, <u32>key);
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

// Ids: a hash table from the hash of a string to a small number, begun anew for each file. Two tables take turns, so
// that one can grow into the other.
let idTable: usize = 0; // u64 hash, u32 generation, u32 number
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
  if (wordTable == 0) wordTable = allocate(<usize>WORD_SLOTS << 4);
  return wordOf(hashOf(p, length));
}

// Memory is only ever added to; tables and buffers double, so at most half of it is left behind.
let top: usize = FREE;
/** Vectors are loaded whole, beyond the last byte of a line. */
const SLACK: usize = 64;

export function allocate(bytes: usize): usize {
  const start = top;
  top += (bytes + 63) & ~63;
  const missing = <i32>((top + SLACK + 65_535) >> 16) - memory.size();
  if (missing > 0) memory.grow(missing);
  return start;
}

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
