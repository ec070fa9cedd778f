/**
 * Lines, one after the other: checked as strictly as JSON.parse does, with the values at the paths that were asked for
 * noted in memory.
 */
import { startWords } from "./ids";
import { ROOT, startKeys } from "./keys";
import { at, HEADER, PREFIXES } from "./memory";
import { isOdd, itemCount, setItemFields, startNotes } from "./notes";
import { learnShape, shaped } from "./shapes";
import { fail, forgetString, isSame, stoppedAt } from "./text";
import { endTrace, startTrace } from "./trace";
import { object } from "./value";

/** What nextLine() found. */
export const MORE: i32 = 0;
export const RECORD: i32 = 1;
export const ODD: i32 = 2;
export const DAMAGED: i32 = 3;

let position: usize = 0;
let end: usize = 0;
let final: bool = false;

export function configure(fieldsOfItems: i32): void {
  setItemFields(fieldsOfItems);
  startKeys();
  startWords();
}

/** Lines from `from` to `to`; the byte at `to` must be a line feed, and 64 more must be readable. */
export function feed(from: usize, to: usize, isFinal: bool): void {
  forgetString();
  position = from;
  end = to;
  final = isFinal;
}

/** Where the first line begins that was not answered yet. */
export function unread(): usize {
  return min(position, end);
}

/** Goes on to the next line that is not blank and does not start with a prefix to be passed over. */
export function nextLine(): i32 {
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

/** The place that `nextLine` goes on from. */
export function place(): usize {
  return position;
}

export function setPlace(p: usize): void {
  position = p;
}

/** Where the bytes end that were read. */
export function bytesEnd(): usize {
  return end;
}

/** No line will be added to these. */
export function isFinal(): bool {
  return final;
}

function line(start: usize): i32 {
  startNotes();
  let state = DAMAGED;
  fail(start);
  if (at(start) == 123) {
    let after = shaped(start);
    if (after == 0) {
      // What was read ends in the middle of it.
      if (!final && lineFeed(stoppedAt()) == end) return MORE;
      after = unshaped(start);
    }
    if (after != 0) {
      while (isPadding(at(after)) && after < end) after++;
      fail(after);
      if (at(after) == 10) state = RECORD;
    }
  }
  const feedAt = lineFeed(stoppedAt());
  if (feedAt == end && !final) return MORE;
  let last = feedAt;
  while (last > start && isPadding(at(last - 1))) last--;
  // What is too deep to be judged here may be sound.
  if (isOdd()) state = ODD;
  store<i32>(HEADER, <i32>start);
  store<i32>(HEADER + 4, <i32>last);
  store<i32>(HEADER + 8, itemCount());
  store<i32>(HEADER + 12, feedAt < end ? 1 : 0);
  position = feedAt + 1;
  return state;
}

/** An object of a shape that was not met yet: learnt for the next one. */
function unshaped(start: usize): usize {
  startNotes();
  startTrace();
  const after = object(start + 1, 1, ROOT, 0);
  if (endTrace() && after != 0 && !isOdd()) learnShape(start, after);
  return after;
}

// @ts-ignore: decorator
@inline
function isPadding(c: u32): bool {
  return c == 32 || c == 0 || c == 13 || c == 9;
}

/** The next line feed from `p` on, at most the one at `end`. */
export function lineFeed(p: usize): usize {
  if (at(p) == 10) return p;
  const feeds = i8x16.splat(10);
  // One at `end` stops it. Of 64 bytes, whether there is one; then where.
  while (p < end) {
    const found = i8x16.eq(v128.load(p), feeds);
    const found2 = i8x16.eq(v128.load(p, 16), feeds);
    const found3 = i8x16.eq(v128.load(p, 32), feeds);
    const found4 = i8x16.eq(v128.load(p, 48), feeds);
    if (v128.any_true(v128.or(v128.or(found, found2), v128.or(found3, found4)))) break;
    p += 64;
  }
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

