/**
 * Fields of an agent's records, in the order they were asked for, and words that occur in them, by the numbers JavaScript gave
 * to them. Where a field is told apart when this is compiled, so are the addresses of what is noted of it, and none is checked.
 */
import { FIRST_FIELD, KINDS, NUMBER, NUMBERS, PLACES, STRING } from "./memory";

const WORDS: usize = 11_904; // u32 for each word, up to 32 of them

export function setWord(word: usize, number: u32): void {
  store<u32>(WORDS + (word << 2), number);
}

// @ts-ignore: decorator
@inline
export function wordNumber(word: usize): u32 {
  return load<u32>(WORDS + (word << 2));
}

// @ts-ignore: decorator
@inline
export function nodeOf(field: usize): usize {
  return FIRST_FIELD + field;
}

// @ts-ignore: decorator
@inline
export function kindOf(field: usize): u32 {
  return load<u8>(KINDS + nodeOf(field));
}

// @ts-ignore: decorator
@inline
export function placeOf(field: usize): usize {
  return PLACES + (nodeOf(field) << 4);
}

/** A string that is not empty. */
// @ts-ignore: decorator
@inline
export function isText(field: usize): bool {
  const place = placeOf(field);
  return kindOf(field) == STRING && load<u32>(place) < load<u32>(place + 4);
}

/** The number of an id or a word; 0 when there is none. */
// @ts-ignore: decorator
@inline
export function numberAt(field: usize): u32 {
  return isText(field) ? load<u32>(placeOf(field) + 8) : 0;
}

/** A word for which there was no number any more. */
// @ts-ignore: decorator
@inline
export function isUnnumbered(field: usize): bool {
  return isText(field) && load<u32>(placeOf(field) + 8) == 0;
}

/** A number or a date in a form that only JavaScript reads. */
// @ts-ignore: decorator
@inline
export function isUnread(field: usize): bool {
  const kind = kindOf(field);
  return (kind == NUMBER || kind == STRING) && load<u32>(placeOf(field) + 12) == 0;
}

/** More tokens than this in one request is a broken record. */
const MAX_TOKENS: f64 = 1e12;

// @ts-ignore: decorator
@inline
export function tokensAt(field: usize): f64 {
  if (kindOf(field) != NUMBER) return 0;
  const count = load<f64>(NUMBERS + (nodeOf(field) << 3));
  return count > 0 && count <= MAX_TOKENS ? count : 0;
}

/** Milliseconds; NaN when there is no date, or one outside 2000 to 2100. */
// @ts-ignore: decorator
@inline
export function timeAt(field: usize): f64 {
  if (kindOf(field) != STRING) return NaN;
  const ms = load<f64>(NUMBERS + (nodeOf(field) << 3));
  return ms >= 946_684_800_000 && ms < 4_102_444_800_000 ? ms : NaN;
}
