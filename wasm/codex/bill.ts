/**
 * What a rollout file bills, by the rules of src/agents/codex/token-usage.ts and thread-stream.ts. JavaScript
 * (src/agents/codex/thread-count.ts has the same numbers) reads the requests where they lie.
 */
import { isText, tokensAt } from "../json/fields";
import { distinctIds, numberOf } from "../json/ids";
import { allocate } from "../json/memory";
import * as rows from "../json/staged-rows";
import { hashOf, keyNumberOf } from "../json/text";
import { ancestorAt, ancestorCount, ancestorLengthAt, ownId, ownIdLength, turnId, turnIdLength } from "./copies";
import { LAST_TOKENS, RESPONSE_ID, THREAD_ID, THREAD_TOKENS, TOTAL_TOKENS, USAGE_TOKENS } from "./fields";
import { addByte, addBytes, addField, addNumber, cutTexts, isField, textEnd, textPool } from "./text-pool";

// Requests of 96 bytes: u32 start and length of the key in the texts; u32 flags, word of the model, word of the tier, number of the key;
// then f64 time, input, cache reads, cache writes, output, thinking, web searches.
const REQUEST_SIZE: usize = 96;
const COPIED: u32 = 1;

let requests: usize = 0;
let capacity: u32 = 0;
let count: u32 = 0;

let hasTotal: bool = false;
let lastInput: f64 = 0;
let lastCached: f64 = 0;
let lastOutput: f64 = 0;
let lastReasoning: f64 = 0;
let recordSinceTotal: bool = false;
let replySeen: bool = false;
let searches: u32 = 0;

let recordsOnly: bool = false;
let isForeign: bool = false;

export function forgetRequests(): void {
  count = 0;
}

/** The next file: one that continues another bills by records only, and another thread's is not billed here. */
export function startBill(continues: bool, inherited: bool): void {
  recordsOnly = continues;
  isForeign = inherited;
  hasTotal = false;
  recordSinceTotal = false;
  replySeen = false;
  searches = 0;
}

export function requestCount(): u32 {
  return count;
}

/** The running total was written once more. */
export function seeSameCount(): void {
  recordSinceTotal = false;
}

export function hasReply(): bool {
  return replySeen;
}

export function seeReply(): void {
  replySeen = true;
}

export function seeSearch(): void {
  searches++;
}

/** Whether the record bills a request. */
export function takeUsageRecord(time: f64, copied: bool, model: u32, tier: u32): bool {
  recordSinceTotal = true;
  return addRequest(USAGE_TOKENS, THREAD_TOKENS, true, time, copied, model, tier);
}

/** Whether the count bills a request. `descends`: the thread started with another one's running total. */
export function takeCount(time: f64, copied: bool, model: u32, tier: u32, descends: bool): bool {
  const input = tokensAt(TOTAL_TOKENS);
  const cached = tokensAt(TOTAL_TOKENS + 1);
  const output = tokensAt(TOTAL_TOKENS + 2);
  const reasoning = tokensAt(TOTAL_TOKENS + 3);
  const isSame =
    hasTotal && input == lastInput && cached == lastCached && output == lastOutput && reasoning == lastReasoning;
  const isRepeated = isSame || recordSinceTotal;
  hasTotal = true;
  lastInput = input;
  lastCached = cached;
  lastOutput = output;
  lastReasoning = reasoning;
  recordSinceTotal = false;
  if (isRepeated || recordsOnly || (descends && !replySeen)) return false;
  return addRequest(LAST_TOKENS, TOTAL_TOKENS, false, time, copied, model, tier);
}

function addRequest(tokens: usize, total: usize, isRecord: bool, time: f64, copied: bool, model: u32, tier: u32): bool {
  const allInput = tokensAt(tokens);
  const cached = min(tokensAt(tokens + 1), allInput);
  const write = min(tokensAt(tokens + 2), allInput - cached);
  const output = tokensAt(tokens + 3);
  const thinking = min(tokensAt(tokens + 4), output);
  if (allInput + output <= 0) return false;
  // A sub-agent's request that was also written here is billed in the sub-agent's own file.
  if (isRecord && !copied && isText(THREAD_ID) && !isField(THREAD_ID, ownId(), ownIdLength())) return false;
  const key = textEnd();
  if (!addKey(total, isRecord, copied)) return false;
  if (isForeign) {
    searches = 0;
    return true;
  }
  if (count == capacity) {
    const wider = max(256, capacity * 2);
    const moved = allocate(<usize>wider * REQUEST_SIZE);
    if (requests != 0) memory.copy(moved, requests, <usize>count * REQUEST_SIZE);
    requests = moved;
    capacity = wider;
  }
  const request = requests + <usize>count * REQUEST_SIZE;
  count++;
  store<u32>(request, key);
  store<u32>(request, textEnd() - key, 4);
  store<u32>(request, copied ? COPIED : 0, 8);
  store<u32>(request, model, 12);
  store<u32>(request, tier, 16);
  store<u32>(request, keyNumberOf(textPool() + <usize>key, <usize>(textEnd() - key)), 20);
  store<f64>(request, time, 24);
  store<f64>(request, allInput - cached - write, 32);
  store<f64>(request, cached, 40);
  store<f64>(request, write, 48);
  store<f64>(request, output, 56);
  store<f64>(request, thinking, 64);
  store<f64>(request, <f64>searches, 72);
  searches = 0;
  return true;
}

/** The same for a request and its copies in other files; false when the original's cannot be known, or it was met before. */
function addKey(total: usize, isRecord: bool, copied: bool): bool {
  const start = textEnd();
  if (isRecord && isText(RESPONSE_ID)) {
    addField(RESPONSE_ID);
    if (isNewKey(start)) return true;
    cutTexts(start);
    return false;
  }
  const hasTurn = turnIdLength() > 0;
  // Copied through several threads, a request without turn id may be of any of them.
  if (copied && !hasTurn && ancestorCount() != 1) return false;
  if (hasTurn) addBytes(textPool() + <usize>turnId(), turnIdLength());
  else if (copied) addBytes(textPool() + <usize>ancestorAt(0), ancestorLengthAt(0));
  else addBytes(textPool() + <usize>ownId(), ownIdLength());
  addByte(58);
  for (let i: usize = 0; i < 4; i++) {
    if (i > 0) addByte(45);
    addNumber(tokensAt(total + i));
  }
  // Early versions began a resumed thread's total at zero again, so it can come to the same sum twice.
  while (!isNewKey(start)) addByte(43);
  return true;
}

function isNewKey(start: u32): bool {
  const before = distinctIds();
  numberOf(hashOf(textPool() + <usize>start, <usize>(textEnd() - start)));
  return distinctIds() > before;
}

/** Stages all requests for JavaScript; 0, or what it has to tell first. */
export function packRequests(): u32 {
  const first = rows.stagedRows();
  for (let i: u32 = 0; i < count; i++) {
    const request = requests + <usize>i * REQUEST_SIZE;
    const row = first + <usize>i;
    rows.putKey(row, load<u32>(request), load<u32>(request, 4), load<u32>(request, 20));
    rows.putDouble(rows.AT, row, load<f64>(request, 24));
    rows.putDouble(rows.INPUT, row, load<f64>(request, 32));
    rows.putDouble(rows.CACHED, row, load<f64>(request, 40));
    rows.putDouble(rows.CACHE_WRITE, row, load<f64>(request, 48));
    rows.putDouble(rows.CACHE_WRITE_1H, row, 0);
    rows.putDouble(rows.OUTPUT, row, load<f64>(request, 56));
    rows.putDouble(rows.THINKING, row, load<f64>(request, 64));
    rows.putDouble(rows.WEB_SEARCHES, row, load<f64>(request, 72));
    rows.putDouble(rows.REPORTED, row, NaN);
    rows.putFlags(row, (load<u32>(request, 8) & COPIED) == 0 ? 0 : rows.COPIED);
    rows.putWord(rows.CWD, row, 0);
    rows.putWord(rows.BRANCH, row, 0);
    rows.putWord(rows.SUBAGENT, row, 0);
    if (!rows.putText(rows.MODEL, row, load<u32>(request, 12))) return rows.askText();
    if (!rows.putPair(rows.MODIFIERS, row, load<u32>(request, 16), 0)) return rows.askPair();
  }
  rows.stageRows(<usize>count, textPool(), <usize>textEnd());
  return 0;
}
