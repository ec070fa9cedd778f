/** Strings as they are written in JSON: where they end, whether they are the same, what they hash to. */
import { at } from "./memory";

let stop: usize = 0;

/** Notes where a check failed; the answer that says so. */
// @ts-ignore: decorator
@inline
export function fail(p: usize): usize {
  stop = p;
  return 0;
}

export function stoppedAt(): usize {
  return stop;
}

/** After the opening quote; gives the place of the closing one, 0 when the string breaks JSON's rules. */
export function string(p: usize): usize {
  const quotes = i8x16.splat(34);
  const slashes = i8x16.splat(92);
  const spaces = i8x16.splat(32);
  // Most strings are short and without escapes.
  const bytes = v128.load(p);
  const special = v128.or(v128.or(i8x16.eq(bytes, quotes), i8x16.eq(bytes, slashes)), i8x16.lt_u(bytes, spaces));
  const low = i64x2.extract_lane(special, 0);
  let q = p + 16;
  if (low != 0) {
    q = p + <usize>(ctz(low) >> 3);
    if (at(q) == 34) return q;
  } else {
    const high = i64x2.extract_lane(special, 1);
    if (high != 0) {
      q = p + 8 + <usize>(ctz(high) >> 3);
      if (at(q) == 34) return q;
    }
  }
  if (lastString != 0 && isAsLast(p, bytes)) return p + lastLength;
  const close = longString(q);
  if (close > p + MIN_LAST) {
    lastString = p;
    lastLength = close - p;
  }
  return close;
}

// The last string that was long, for as long as its bytes lie there: what a tool gave is told twice in a line, and a prompt in two.
let lastString: usize = 0;
let lastLength: usize = 0;
const MIN_LAST: usize = 128;

/** What was read lies there no more. */
export function forgetString(): void {
  lastString = 0;
}

/**
 * Whether it is the same string, which was checked: no byte of it, nor the quote behind, is what ends the bytes that were read. A
 * string that is none goes on to be checked.
 */
// @ts-ignore: decorator
@inline
function isAsLast(p: usize, bytes: v128): bool {
  if (v128.any_true(v128.xor(bytes, v128.load(lastString)))) return false;
  // The last 64 bytes with the quote are compared by themselves.
  const last = lastLength - 63;
  for (let i: usize = 16; i < last; i += 64) if (!isSame64(p + i, lastString + i)) return false;
  return isSame64(p + last, lastString + last);
}

// @ts-ignore: decorator
@inline
function isSame64(a: usize, b: usize): bool {
  const first = v128.or(v128.xor(v128.load(a), v128.load(b)), v128.xor(v128.load(a, 16), v128.load(b, 16)));
  const second = v128.or(v128.xor(v128.load(a, 32), v128.load(b, 32)), v128.xor(v128.load(a, 48), v128.load(b, 48)));
  return !v128.any_true(v128.or(first, second));
}

/**
 * The same, 64 bytes at a time, from a place that no slash before it belongs to. Common escapes, checked by the byte behind
 * the slash, are passed over without stopping.
 */
function longString(p: usize): usize {
  let start = p;
  let before = i8x16.replace_lane(v128.load(p - 1), 0, 0);
  for (;;) {
    let stop = stopsIn(v128.load(p), before);
    let stop2 = stopsIn(v128.load(p, 16), v128.load(p, 15));
    const stop3 = stopsIn(v128.load(p, 32), v128.load(p, 31));
    const stop4 = stopsIn(v128.load(p, 48), v128.load(p, 47));
    if (!v128.any_true(v128.or(v128.or(stop, stop2), v128.or(stop3, stop4)))) {
      before = v128.load(p, 63);
      p += 64;
      continue;
    }
    if (!v128.any_true(v128.or(stop, stop2))) {
      p += 32;
      stop = stop3;
      stop2 = stop4;
    }
    // Taken out in halves: a mask of single bits takes twice as long on ARM.
    let bits = i64x2.extract_lane(stop, 0);
    if (bits == 0) {
      p += 8;
      bits = i64x2.extract_lane(stop, 1);
      if (bits == 0) {
        p += 8;
        bits = i64x2.extract_lane(stop2, 0);
        if (bits == 0) {
          p += 8;
          bits = i64x2.extract_lane(stop2, 1);
        }
      }
    }
    p += <usize>(ctz(bits) >> 3);
    const c = at(p);
    if (p == start || at(p - 1) != 92) return c == 34 ? p : fail(p);
    if (c == 117) {
      for (let i: usize = 1; i < 5; i++) if (!isHex(at(p + i))) return fail(p + i);
      p += 5;
    } else if (isEscape(c)) p++;
    else return fail(p);
    start = p;
    before = i8x16.replace_lane(v128.load(p - 1), 0, 0);
  }
  return 0;
}

/** Not zero where a string ends or breaks the rules, and where what follows a slash needs a closer look. */
// @ts-ignore: decorator
@inline
function stopsIn(bytes: v128, before: v128): v128 {
  // By its lower half: ", t, f, n, /
  const common = i8x16(-1, 0, 34, 0, 116, 0, 102, 0, 0, 0, 0, 0, 0, 0, 110, 47);
  const escaped = i8x16.eq(before, i8x16.splat(92));
  const uncommon = v128.xor(v128.swizzle(common, v128.and(bytes, i8x16.splat(15))), bytes);
  // A quote becomes the number that follows those of control characters.
  const plain = i8x16.lt_u(v128.xor(bytes, i8x16.splat(2)), i8x16.splat(33));
  return v128.bitselect(uncommon, plain, escaped);
}

// @ts-ignore: decorator
@inline
function isEscape(c: u32): bool {
  return c == 92 || c == 34 || c == 110 || c == 116 || c == 114 || c == 98 || c == 102 || c == 47;
}

// @ts-ignore: decorator
@inline
function isHex(c: u32): bool {
  return c - 48 <= 9 || (c | 32) - 97 <= 5;
}

/** For up to 64 bytes; reads, but does not compare, up to 16 of them more. */
// @ts-ignore: decorator
@inline
export function isSame(a: usize, b: usize, length: usize): bool {
  let differs = v128.xor(v128.load(a), v128.load(b));
  if (length < 16) differs = v128.and(differs, i8x16.lt_u(COUNTED, i8x16.splat(<i8>length)));
  else {
    differs = v128.or(differs, v128.xor(v128.load(a + length - 16), v128.load(b + length - 16)));
    if (length > 32) {
      differs = v128.or(differs, v128.xor(v128.load(a, 16), v128.load(b, 16)));
      differs = v128.or(differs, v128.xor(v128.load(a + length - 32), v128.load(b + length - 32)));
    }
  }
  return !v128.any_true(differs);
}

const COUNTED = i8x16(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);

/** Whether a string of this length, 16 to 64, in ASCII and without escapes is at a place, quotes and all; never for 0. */
// @ts-ignore: decorator
@inline
export function isPlainString(p: usize, length: usize): bool {
  if (length == 0 || at(p) != 34 || at(p + 1 + length) != 34) return false;
  let stop = v128.or(beyondPlain(v128.load(p, 1)), beyondPlain(v128.load(p + length - 15)));
  if (length > 32) {
    stop = v128.or(stop, v128.or(beyondPlain(v128.load(p, 17)), beyondPlain(v128.load(p + length - 31))));
  }
  return !v128.any_true(stop);
}

/** Quotes, slashes, control characters, and what is not ASCII: as a signed number, that is less than the others. */
// @ts-ignore: decorator
@inline
function beyondPlain(bytes: v128): v128 {
  const other = i8x16.lt_s(v128.xor(bytes, i8x16.splat(2)), i8x16.splat(33));
  return v128.or(other, i8x16.eq(bytes, i8x16.splat(92)));
}

/** ASCII without escapes. */
export function isPlain(start: usize, close: usize): bool {
  const slashes = i8x16.splat(92);
  let p = start;
  for (; p + 16 <= close; p += 16) {
    const bytes = v128.load(p);
    if (v128.any_true(v128.or(i8x16.eq(bytes, slashes), i8x16.lt_s(bytes, i8x16.splat(0))))) return false;
  }
  for (; p < close; p++) if (at(p) == 92 || at(p) >= 128) return false;
  return true;
}

export function hashOf(p: usize, length: usize): u64 {
  let hash: u64 = (<u64>length + 1) * 0x243f6a8885a308d3;
  if (length >= 8) {
    const last = p + length - 8;
    for (; p < last; p += 8) hash = mixed(hash, load<u64>(p));
    return mixed(hash, load<u64>(last));
  }
  return mixed(hash, load<u64>(p) & (((<u64>1) << (<u64>length << 3)) - 1));
}

// @ts-ignore: decorator
@inline
function mixed(hash: u64, bytes: u64): u64 {
  const product = (hash ^ bytes) * 0x9e3779b97f4a7c15;
  return product ^ (product >> 32);
}

/** FNV-1a, by which JavaScript tells keys of requests apart. */
export function keyNumberOf(p: usize, length: usize): u32 {
  let number: u32 = 0x811c_9dc5;
  for (const end = p + length; p < end; p++) number = (number ^ at(p)) * 0x0100_0193;
  return number;
}
