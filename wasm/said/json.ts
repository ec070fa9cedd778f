/**
 * JSON as agents write it, without blanks between its tokens, checked as strictly as JSON.parse does. Each of these gives the place
 * behind what it is about; 0 when that is not what stands there. Behind the bytes there are zeros, which no token goes over.
 */

/** Deeper than what agents write. */
const MAX_DEPTH: i32 = 64;

// @ts-ignore: decorator
@inline
export function at(p: usize): u32 {
  return load<u8>(p);
}

/** Whether a text of ASCII stands there. */
export function stands(p: usize, text: string): bool {
  const length = text.length;
  for (let i = 0; i < length; i++) {
    if (load<u8>(p + i) != <u8>load<u16>(changetype<usize>(text) + (<usize>i << 1))) return false;
  }
  return true;
}

/** Whether the same stands at `p` as from `start` to `end`. */
export function isSame(p: usize, start: usize, end: usize): bool {
  for (; start < end; start++, p++) if (at(p) != at(start)) return false;
  return true;
}

/** Whether it is just that. */
export function isText(start: usize, end: usize, text: string): bool {
  return end - start == <usize>text.length && stands(start, text);
}

/** From its quote on. */
export function quoted(p: usize): usize {
  p++;
  do {
    let odd = oddIn(p);
    while (odd == 0) odd = oddIn((p += 16));
    p += ctz(odd);
    const byte = at(p);
    if (byte == 34) return p + 1;
    if (byte != 92) return 0;
    p = escape(p);
  } while (p != 0);
  return 0;
}

/** Among 16 bytes: quotes, backslashes, and what may not stand in a string. */
// @ts-ignore: decorator
@inline
function oddIn(p: usize): i32 {
  const bytes = v128.load(p);
  return i8x16.bitmask(
    v128.or(
      i8x16.lt_u(bytes, i8x16.splat(32)),
      v128.or(i8x16.eq(bytes, i8x16.splat(34)), i8x16.eq(bytes, i8x16.splat(92))),
    ),
  );
}

function escape(p: usize): usize {
  const byte = at(p + 1);
  if (byte == 117) return isHex(p + 2) && isHex(p + 3) && isHex(p + 4) && isHex(p + 5) ? p + 6 : 0;
  // b, f, n, r and t, beside a quote, a slash and a backslash.
  const isLetter = byte - 97 < 26 && ((0xa2022 >> (byte - 97)) & 1) == 1;
  return isLetter || byte == 34 || byte == 47 || byte == 92 ? p + 2 : 0;
}

function isHex(p: usize): bool {
  return at(p) - 48 < 10 || (at(p) | 32) - 97 < 6;
}

export function value(p: usize, depth: i32): usize {
  const byte = at(p);
  if (byte == 34) return quoted(p);
  if (byte == 123 || byte == 91) return depth < MAX_DEPTH ? group(p, depth) : 0;
  if (byte == 116) return stands(p, "true") ? p + 4 : 0;
  if (byte == 102) return stands(p, "false") ? p + 5 : 0;
  if (byte == 110) return stands(p, "null") ? p + 4 : 0;
  return number(p);
}

/** An object or an array. */
function group(p: usize, depth: i32): usize {
  const isObject = at(p) == 123;
  const close: u32 = isObject ? 125 : 93;
  if (at(p + 1) == close) return p + 2;
  do {
    p++;
    if (isObject) {
      p = key(p);
      if (p == 0) return 0;
    }
    p = value(p, depth + 1);
    if (p == 0) return 0;
  } while (at(p) == 44);
  return at(p) == close ? p + 1 : 0;
}

/** A key and its colon, from its quote on. One with escapes is none that anybody looks for, or hides one. */
export function key(p: usize): usize {
  const end = at(p) == 34 ? plain(p + 1) : 0;
  return end != 0 && at(end + 1) == 58 ? end + 2 : 0;
}

function number(p: usize): usize {
  if (at(p) == 45) p++;
  const first = at(p);
  const whole = digits(p);
  if (whole == 0 || (first == 48 && whole > p + 1)) return 0;
  p = at(whole) == 46 ? digits(whole + 1) : whole;
  // With an exponent there are hardly any.
  return p == 0 || (at(p) | 32) == 101 ? 0 : p;
}

/** At least one. */
export function digits(p: usize): usize {
  const start = p;
  while (at(p) - 48 < 10) p++;
  return p == start ? 0 : p;
}

/** Behind a text without escapes, at its quote. */
export function plain(p: usize): usize {
  while (at(p) != 34) {
    if (at(p) == 92 || at(p) < 32) return 0;
    p++;
  }
  return p;
}
