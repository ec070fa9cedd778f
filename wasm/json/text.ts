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
  if (low != 0) {
    const q = p + <usize>(ctz(low) >> 3);
    return at(q) == 34 ? q : longString(q);
  }
  const high = i64x2.extract_lane(special, 1);
  if (high == 0) return longString(p + 16);
  const q = p + 8 + <usize>(ctz(high) >> 3);
  return at(q) == 34 ? q : longString(q);
}

/**
 * The same, 32 bytes at a time; common escapes, checked by the byte after them, are passed over without stopping. The first
 * byte is no quote, or not behind a slash: all slashes that were passed over begin an escape.
 */
function longString(p: usize): usize {
  const quotes = i8x16.splat(34);
  const slashes = i8x16.splat(92);
  const spaces = i8x16.splat(32);
  const nibbles = i8x16.splat(15);
  // By its lower half: ", t, f, n, /
  const common = i8x16(0, 0, 34, 0, 116, 0, 102, 0, 0, 0, 0, 0, 0, 0, 110, 47);
  for (;;) {
    const bytes = v128.load(p);
    const bytes2 = v128.load(p, 16);
    const after = v128.load(p, 1);
    const after2 = v128.load(p, 17);
    const slash = i8x16.eq(bytes, slashes);
    const slash2 = i8x16.eq(bytes2, slashes);
    const escape = i8x16.eq(v128.swizzle(common, v128.and(after, nibbles)), after);
    const escape2 = i8x16.eq(v128.swizzle(common, v128.and(after2, nibbles)), after2);
    // A quote behind a slash does not end the string. Loaded, not shifted: a shift takes a dozen instructions until V8 optimises.
    const quote = v128.andnot(i8x16.eq(bytes, quotes), i8x16.eq(v128.load(p - 1), slashes));
    const quote2 = v128.andnot(i8x16.eq(bytes2, quotes), i8x16.eq(v128.load(p, 15), slashes));
    const special = v128.or(v128.or(quote, i8x16.lt_u(bytes, spaces)), v128.andnot(slash, escape));
    const special2 = v128.or(v128.or(quote2, i8x16.lt_u(bytes2, spaces)), v128.andnot(slash2, escape2));
    if (!v128.any_true(v128.or(special, special2))) {
      p += 32;
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
    } else if (isEscape(meaning)) p += 2;
    else return fail(p + 1);
    // The escape may have ended with a slash itself.
    if (at(p) == 34) return p;
  }
  return 0;
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

/** For up to 64 bytes; reads, but does not compare, up to 8 of them more. */
// @ts-ignore: decorator
@inline
export function isSame(a: usize, b: usize, length: usize): bool {
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
