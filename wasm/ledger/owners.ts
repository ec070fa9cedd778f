/** Which session made a request that several hold, by the rules of src/sessions/cost/owners.ts. */
import {
  allocate,
  AT,
  columnAt,
  COPIED,
  double,
  flagsOf,
  KEY_LENGTH,
  KEY_NUMBER,
  KEY_START,
  KEYS,
  OWNERS,
  rows,
  SESSION_FROM,
  SESSION_OF,
  SESSION_STARTED,
  SESSION_TO,
  sessions,
  setColumn,
  word,
} from "./columns";

/** Whether the first of two sessions has the lower id. */
// @ts-ignore: decorator
@external("env", "comesFirst")
declare function comesFirst(a: u32, b: u32): bool;

/** For each row the row it is billed as. */
export function own(): void {
  const bytes = (<usize>rows) << 2;
  const owners = allocate(bytes);
  const sessionOf = allocate(bytes);
  const first = allocate(bytes);
  const best = allocate(bytes);
  setColumn(OWNERS, owners);
  setColumn(SESSION_OF, sessionOf);
  for (let i: u32 = 0; i < sessions; i++) {
    for (let row = word(SESSION_FROM, i); row < word(SESSION_TO, i); row++) store<u32>(sessionOf + ((<usize>row) << 2), i);
  }
  findFirst(first);
  memory.copy(best, first, bytes);
  for (let row: u32 = 0; row < rows; row++) {
    const key = load<u32>(first + ((<usize>row) << 2));
    if (key == row) continue;
    const place = best + ((<usize>key) << 2);
    if (isBetter(row, load<u32>(place))) store<u32>(place, row);
  }
  for (let row: u32 = 0; row < rows; row++) {
    const owner = load<u32>(best + ((<usize>load<u32>(first + ((<usize>row) << 2))) << 2));
    // What one session holds twice was asked twice.
    const isOwn = word(SESSION_OF, owner) == word(SESSION_OF, row);
    store<u32>(owners + ((<usize>row) << 2), isOwn ? row : owner);
  }
}

/** For each row the first one with the same key. */
function findFirst(first: usize): void {
  let slots: u32 = 2;
  let bits: u32 = 1;
  while (slots < 2 * rows + 2) {
    slots <<= 1;
    bits++;
  }
  const table = allocate((<usize>slots) << 2);
  memory.fill(table, 0, (<usize>slots) << 2);
  for (let row: u32 = 0; row < rows; row++) {
    let slot = (word(KEY_NUMBER, row) * 0x9e37_79b1) >> (32 - bits);
    let found: u32 = 0;
    for (;;) {
      const entry = table + ((<usize>slot) << 2);
      found = load<u32>(entry);
      if (found == 0) {
        store<u32>(entry, row + 1);
        found = row + 1;
        break;
      }
      if (isSameKey(found - 1, row)) break;
      slot = (slot + 1) & (slots - 1);
    }
    store<u32>(first + ((<usize>row) << 2), found - 1);
  }
}

function isSameKey(a: u32, b: u32): bool {
  const length = word(KEY_LENGTH, a);
  if (word(KEY_NUMBER, a) != word(KEY_NUMBER, b) || length != word(KEY_LENGTH, b)) return false;
  const keys = columnAt(KEYS);
  return memory.compare(keys + <usize>word(KEY_START, a), keys + <usize>word(KEY_START, b), <usize>length) == 0;
}

/** The original is not marked as a copy; among equals it is dated earliest, in the file begun first. */
function isBetter(a: u32, b: u32): bool {
  const copied = flagsOf(a) & COPIED;
  if (copied != (flagsOf(b) & COPIED)) return copied == 0;
  const at = dateOf(double(AT, a));
  const otherAt = dateOf(double(AT, b));
  if (at != otherAt) return at < otherAt;
  const session = word(SESSION_OF, a);
  const other = word(SESSION_OF, b);
  const started = double(SESSION_STARTED, session);
  const otherStarted = double(SESSION_STARTED, other);
  return started == otherStarted ? comesFirst(session, other) : started < otherStarted;
}

/** The largest whole number of JavaScript. */
const NO_DATE: f64 = 9_007_199_254_740_991;

function dateOf(at: f64): f64 {
  return at != at ? NO_DATE : at;
}
