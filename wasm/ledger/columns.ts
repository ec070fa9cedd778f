/** Where the columns of requests and sessions lie; the same numbers are in src/sessions/cost/row-ledger.ts. */

// f64 for each row
export const AT: usize = 0;
export const INPUT: usize = 1;
export const CACHED: usize = 2;
export const WRITE: usize = 3;
export const WRITE_1H: usize = 4;
export const OUTPUT: usize = 5;
export const THINKING: usize = 6;
export const SEARCHES: usize = 7;
export const REPORTED: usize = 8; // micro-dollars, NaN for none
// u32 for each row
export const MODEL: usize = 9;
export const CWD: usize = 10;
export const BRANCH: usize = 11;
export const SUBAGENT: usize = 12;
export const MODIFIERS: usize = 13;
export const KEY_NUMBER: usize = 14;
export const KEY_START: usize = 15;
export const KEY_LENGTH: usize = 16;
export const FLAGS: usize = 17; // u8 for each row
export const KEYS: usize = 18; // bytes of all keys
// for each session
export const SESSION_FROM: usize = 19; // u32 first row
export const SESSION_TO: usize = 20; // u32 after the last one
export const SESSION_STARTED: usize = 21; // f64
export const SESSION_CWD: usize = 22; // u32, of requests that have none
export const SESSION_BRANCH: usize = 23; // u32
export const SESSION_COVERS: usize = 24; // u32 rows that the agent's own total includes
// made here
export const OWNERS: usize = 25; // u32 for each row
export const SESSION_OF: usize = 26; // u32 for each row

const PLACES: usize = 1024; // u32 for each column
const FREE: usize = 8192;

export const LOWER_BOUND: u32 = 1;
export const UNKNOWN: u32 = 2;
export const COPIED: u32 = 4;

let base: usize = FREE;
let top: usize = FREE;
export let rows: u32 = 0;
export let sessions: u32 = 0;

/** Begins anew: nothing of what was there before is needed, but for what is kept. */
export function start(rowCount: u32, sessionCount: u32): void {
  top = base;
  rows = rowCount;
  sessions = sessionCount;
}

/** Nothing is kept any more. */
export function forget(): void {
  base = top = FREE;
}

/** Keeps all that was allocated so far. Gives where it ends. */
export function keep(): usize {
  base = top;
  return top;
}

export function allocate(bytes: usize): usize {
  const place = top;
  top += (bytes + 15) & ~15;
  reserve(top);
  return place;
}

/** Pages: V8 looks at all it holds whenever memory has grown so and so often. */
const LEAST_GROWTH: i32 = 16;

/** Makes memory reach up to an address. Vectors are loaded some bytes beyond what was asked for. */
export function reserve(end: usize): void {
  const missing = <i32>((end + 64 + 65_535) >> 16) - memory.size();
  if (missing > 0 && memory.grow(max(missing, LEAST_GROWTH)) < 0) memory.grow(missing);
}

export function setColumn(column: usize, place: usize): void {
  store<u32>(PLACES + (column << 2), <u32>place);
}

// @ts-ignore: decorator
@inline
export function columnAt(column: usize): usize {
  return <usize>load<u32>(PLACES + (column << 2));
}

// @ts-ignore: decorator
@inline
export function double(column: usize, row: u32): f64 {
  return load<f64>(columnAt(column) + ((<usize>row) << 3));
}

// @ts-ignore: decorator
@inline
export function word(column: usize, row: u32): u32 {
  return load<u32>(columnAt(column) + ((<usize>row) << 2));
}

// @ts-ignore: decorator
@inline
export function flagsOf(row: u32): u32 {
  return load<u8>(columnAt(FLAGS) + <usize>row);
}
