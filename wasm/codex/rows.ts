/**
 * Records of a rollout as rows of numbers, which JavaScript (src/agents/codex/rollout-scan.ts) takes before the bytes they
 * point at are replaced. The same numbers are there.
 */
import { kindOf, nodeOf, placeOf, tokensAt } from "../json/fields";
import { allocate, NUMBER, NUMBERS, STRING } from "../json/memory";
import { LAST_TOKENS, ORDINAL, RESPONSE_ID, THREAD_ID, THREAD_TOKENS, TOTAL_TOKENS, USAGE_TOKENS } from "./fields";

// A row: u32 start and end of the line; u32 kind; u32 words of the type, the inner type and the item's type; u32 start
// and end of the thread's id and of the response's; u32 records passed over before it; then f64 their last time, its own
// time and ordinal (NaN for none), five counts of the request, four of the total.
const ROW_SIZE: usize = 144;
const MAX_ROWS: u32 = 2048;

/** Only its type, time and place are told. */
export const PLAIN: u32 = 0;
/** A token count, and one that counts nothing. */
export const COUNT: u32 = 1;
export const EMPTY_COUNT: u32 = 2;
export const USAGE_RECORD: u32 = 3;
/** A message; in place of the item's type stands its role. */
export const MESSAGE_ITEM: u32 = 4;
/** The end of a turn without a failure. */
export const TURN_END: u32 = 5;

let rows: usize = 0;
let count: u32 = 0;
let passed: u32 = 0;
let passedTime: f64 = NaN;

export function forgetRows(): void {
  if (rows == 0) rows = allocate(<usize>MAX_ROWS * ROW_SIZE);
  count = 0;
}

export function forgetPassed(): void {
  passed = 0;
  passedTime = NaN;
}

export function rowCount(): u32 {
  return count;
}

export function rowsAt(): usize {
  return rows;
}

/** Records that were passed over since the last row. */
export function passedCount(): u32 {
  return passed;
}

export function lastPassedTime(): f64 {
  return passedTime;
}

export function isFull(): bool {
  return count == MAX_ROWS;
}

/** A record of which only its date counts. */
export function passOver(time: f64): void {
  passed++;
  passedTime = time;
}

export function addRow(start: u32, end: u32, kind: u32, type: u32, inner: u32, item: u32, time: f64): void {
  const row = rows + <usize>count * ROW_SIZE;
  count++;
  store<u32>(row, start);
  store<u32>(row, end, 4);
  store<u32>(row, kind, 8);
  store<u32>(row, type, 12);
  store<u32>(row, inner, 16);
  store<u32>(row, item, 20);
  putText(row + 24, THREAD_ID);
  putText(row + 32, RESPONSE_ID);
  store<u32>(row, passed, 40);
  store<f64>(row, passedTime, 48);
  store<f64>(row, time, 56);
  store<f64>(row, kindOf(ORDINAL) == NUMBER ? load<f64>(NUMBERS + (nodeOf(ORDINAL) << 3)) : NaN, 64);
  forgetPassed();
  if (kind == COUNT) putTokens(row, LAST_TOKENS, TOTAL_TOKENS);
  else if (kind == USAGE_RECORD) putTokens(row, USAGE_TOKENS, THREAD_TOKENS);
}

function putText(place: usize, field: usize): void {
  const isString = kindOf(field) == STRING;
  store<u32>(place, isString ? load<u32>(placeOf(field)) : 0);
  store<u32>(place, isString ? load<u32>(placeOf(field) + 4) : 0, 4);
}

function putTokens(row: usize, request: usize, total: usize): void {
  for (let i: usize = 0; i < 5; i++) store<f64>(row + 72 + (i << 3), tokensAt(request + i));
  for (let i: usize = 0; i < 4; i++) store<f64>(row + 112 + (i << 3), tokensAt(total + i));
}
