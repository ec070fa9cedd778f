/** Titles of sessions as src/lib/text.ts makes them of a text: one line of at most 100 characters. */
import { at } from "./memory";

/** Of a longer text only the beginning is looked at. */
const LOOKED_AT: u32 = 400;
const TITLE_LENGTH: u32 = 100;

/** Where a title is put: its bytes, and whether it was cut. */
export const TITLE_CUT: u32 = 0x1_0000;

/**
 * Writes the title a JSON string gives to `out`, where 101 bytes are free. Its length, with TITLE_CUT when an ellipsis
 * belongs behind it; negative when the string is not all plain ASCII, and JavaScript has to make it.
 */
export function titleOf(start: usize, close: usize, out: usize): i32 {
  let length: u32 = 0;
  let isBlank = false;
  let seen: u32 = 0;
  for (let p = start; p < close && seen < LOOKED_AT && length <= TITLE_LENGTH; seen++) {
    let c = at(p++);
    if (c >= 127) return -1;
    if (c == 92) {
      c = at(p++);
      // n, t, r, f are white space; ", / and \ themselves.
      if (c == 110 || c == 116 || c == 114 || c == 102) c = 32;
      else if (c != 34 && c != 47 && c != 92) return -1;
    }
    if (c == 32) {
      isBlank = length > 0;
      continue;
    }
    if (isBlank) {
      store<u8>(out + <usize>length, 32);
      length++;
    }
    isBlank = false;
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
