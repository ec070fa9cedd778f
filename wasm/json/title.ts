/** Titles of sessions as src/lib/text.ts makes them of a text: one line of at most 100 characters. */
import { at } from "./memory";

/** Of a longer text only the beginning is looked at. */
const LOOKED_AT: u32 = 400;
const TITLE_LENGTH: u32 = 100;

/** What an escape stands for, where that is not the character behind the slash. */
const BLANK: u32 = 32;
const NOTHING: u32 = 0;
const UNKNOWN: u32 = 1;

/** Of the escape whose slash is before `p`: a character, a blank, nothing for a control, or UNKNOWN. */
function escaped(p: usize): u32 {
  const c = at(p);
  if (c == 34 || c == 47 || c == 92) return c;
  // n, t, r, f are white space.
  if (c == 110 || c == 116 || c == 114 || c == 102) return BLANK;
  if (c == 98) return NOTHING;
  // `u00`, and what is below a blank
  if ((load<u32>(p) & 0xff_ffff) != 0x30_3075 || at(p + 3) - 48 > 1) return UNKNOWN;
  const digit = at(p + 4);
  const code = ((at(p + 3) - 48) << 4) | (digit <= 57 ? digit - 48 : (digit | 32) - 87);
  return code >= 9 && code <= 13 ? BLANK : NOTHING;
}

/** How long it is, with the slash. */
// @ts-ignore: decorator
@inline
function escapeSize(p: usize): usize {
  return at(p) == 117 ? 6 : 2;
}

/** Where a title is put: its bytes, and whether it was cut. */
export const TITLE_CUT: u32 = 0x1_0000;

/**
 * Writes the title a JSON string gives to `out`, where 101 bytes are free. Its length, with TITLE_CUT when an ellipsis
 * belongs behind it; negative when the string is not all ASCII, or blanks stand around a control, and JavaScript has to make it.
 */
export function titleOf(start: usize, close: usize, out: usize): i32 {
  let length: u32 = 0;
  let isBlank = false;
  // By a control that is left out, so that a blank behind it is another one.
  let isBroken = false;
  let seen: u32 = 0;
  for (let p = start; p < close && seen < LOOKED_AT && length <= TITLE_LENGTH; seen++) {
    let c = at(p++);
    if (c >= 127) return -1;
    if (c == 92) {
      c = escaped(p);
      if (c == UNKNOWN) return -1;
      p += escapeSize(p) - 1;
      if (c == NOTHING) {
        isBroken = isBlank;
        continue;
      }
    }
    if (c == 32) {
      if (isBroken) return -1;
      isBlank = length > 0;
      continue;
    }
    if (isBlank) {
      store<u8>(out + <usize>length, 32);
      length++;
    }
    isBlank = false;
    isBroken = false;
    if (length > TITLE_LENGTH) break;
    store<u8>(out + <usize>length, c);
    length++;
  }
  if (length <= TITLE_LENGTH) return <i32>length;
  length = TITLE_LENGTH - 1;
  while (length > 0 && at(out + <usize>(length - 1)) == 32) length--;
  return <i32>(length | TITLE_CUT);
}

/** More than any title shows, however it is written. */
const MAX_BYTES: usize = 2560;

/** Where to cut what a title is made of: neither inside an escape nor inside a character. 0 when that cannot be told nearby. */
export function cutOf(start: usize, close: usize): usize {
  if (close - start <= MAX_BYTES) return close;
  let end = start + MAX_BYTES;
  while ((at(end) & 0xc0) == 0x80) end--;
  // An escape has at most six bytes, and the first of several slashes begins one.
  for (let p = end - 6; p < end; p++) {
    if (at(p) != 92) continue;
    while (at(p - 1) == 92) p--;
    end = p;
    break;
  }
  return end < start + MAX_BYTES - 64 ? 0 : end;
}

/**
 * The same of a string with letters beyond ASCII, as UTF-8, of which `out` takes 320 bytes; its length in bytes. Negative
 * where JavaScript has to make it: other white space and controls than ASCII's, other escapes, characters of four bytes.
 */
export function wideTitleOf(start: usize, close: usize, out: usize): i32 {
  let length: u32 = 0;
  let end = out;
  /** After the last character that is shown when the title is cut, without the blank behind it. */
  let cut = out;
  let isBlank = false;
  let isBroken = false;
  let seen: u32 = 0;
  for (let p = start; p < close && seen < LOOKED_AT && length <= TITLE_LENGTH; seen++) {
    let c = at(p++);
    let size: usize = 1;
    if (c >= 127) {
      size = plainSize(p - 1, close);
      if (size == 0) return -1;
    } else if (c == 92) {
      c = escaped(p);
      if (c == UNKNOWN) return -1;
      p += escapeSize(p) - 1;
      if (c == NOTHING) {
        isBroken = isBlank;
        continue;
      }
    }
    if (c == 32) {
      if (isBroken) return -1;
      isBlank = length > 0;
      continue;
    }
    if (isBlank) {
      store<u8>(end++, 32);
      length++;
    }
    isBlank = false;
    isBroken = false;
    if (length > TITLE_LENGTH) break;
    store<u8>(end, c);
    for (let i: usize = 1; i < size; i++) store<u8>(end + i, at(p++));
    end += size;
    length++;
    if (length < TITLE_LENGTH) cut = end;
  }
  return length <= TITLE_LENGTH ? <i32>(end - out) : <i32>(<u32>(cut - out) | TITLE_CUT);
}

/** Of a character of two or three bytes that is neither white space nor a control; 0 for any other. */
function plainSize(p: usize, close: usize): usize {
  const c = at(p);
  if (c < 0xc2 || c >= 0xf0 || (at(p + 1) & 0xc0) != 0x80) return 0;
  if (c < 0xe0) {
    const code = ((c & 31) << 6) | (at(p + 1) & 63);
    return p + 2 <= close && code > 0xa0 ? 2 : 0;
  }
  if (p + 3 > close || (at(p + 2) & 0xc0) != 0x80) return 0;
  const code = ((c & 15) << 12) | ((at(p + 1) & 63) << 6) | (at(p + 2) & 63);
  if (code < 0x800 || (code >= 0xd800 && code < 0xe000)) return 0;
  if (code == 0x1680 || code == 0x3000 || code == 0xfeff) return 0;
  if (code >= 0x2000 && code < 0x2070)
    return (code >= 0x2010 && code < 0x2028) || (code >= 0x2030 && code < 0x205f) ? 3 : 0;
  return 3;
}
