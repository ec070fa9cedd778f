/**
 * Replies with usage of a session, one entry each: of its records, the largest of each count, and of the first one
 * everything else (src/agents/claude/usage.ts has the rules). JavaScript reads them where they lie, and adds those it had
 * to parse (src/agents/claude/usage-entries.ts has the same numbers).
 */
import { isText, kindOf, nodeOf, numberAt, placeOf, timeAt, tokensAt } from "../json/fields";
import { allocate, SCRATCH, TRUE } from "../json/memory";
import * as rows from "../json/staged-rows";
import { keyNumberOf } from "../json/text";
import { entryOf, USAGE_OF } from "./conversation";
import {
  AGENT_ID,
  CACHE_READ,
  CACHE_WRITE,
  CACHE_WRITE_1H,
  CACHE_WRITE_5M,
  CWD,
  GIT_BRANCH,
  INFERENCE_GEO,
  INPUT_TOKENS,
  IS_ABORTED_MID_STREAM,
  MESSAGE_ID,
  MODEL,
  OUTPUT_TOKENS,
  REQUEST_ID,
  SPEED,
  STOP_REASON,
  THINKING_TOKENS,
  TIMESTAMP,
  WEB_SEARCHES,
} from "./fields";

// Entries of 128 bytes
const KEY_START: usize = 0; // u32 from the start of the keys
const KEY_LENGTH: usize = 4; // u32
const FLAGS: usize = 8; // u32
const MODEL_WORD: usize = 12; // u32; words follow
const CWD_WORD: usize = 16;
const BRANCH_WORD: usize = 20;
const AGENT_WORD: usize = 24;
const SPEED_WORD: usize = 28;
const GEO_WORD: usize = 32;
const KEY_NUMBER: usize = 36; // u32
const AT: usize = 40; // f64; counts follow
const INPUT: usize = 48;
const CACHED: usize = 56;
const WRITE: usize = 64;
const WRITE_1H: usize = 72;
const OUTPUT: usize = 80;
const THINKING: usize = 88;
const SEARCHES: usize = 96;
const REPORTED: usize = 104; // micro-dollars, NaN for none
const ENTRY_SIZE: usize = 128;

const FINISHED: u32 = 1;
const HAS_REQUEST_ID: u32 = 2;
/** A record of the main line is among those of the reply. */
const ON_MAIN_LINE: u32 = 4;
/** It has been filled. */
const KNOWN: u32 = 16;

let entries: usize = 0;
let capacity: u32 = 0;
let count: u32 = 0;
let keys: usize = 0;
let keyCapacity: u32 = 0;
let keyLength: u32 = 0;
let texts: usize = 0;
let textCapacity: u32 = 0;
let textLength: u32 = 0;

export function forgetUsage(): void {
  count = 0;
  keyLength = 0;
  textLength = 0;
}

export function usageCount(): u32 {
  return count;
}

export function usageEntries(): usize {
  return entries;
}

export function usageKeys(): usize {
  return keys;
}

export function usageKeyLength(): u32 {
  return keyLength;
}

export function usageTexts(): usize {
  return texts;
}

export function usageTextLength(): u32 {
  return textLength;
}

/** Takes the usage of an assistant record whose message has an id. */
export function addUsage(reply: u32, isSide: bool): void {
  const byId = entryOf(reply);
  const number = load<u32>(byId + USAGE_OF);
  let entry: usize;
  if (number != 0) entry = entries + <usize>(number - 1) * ENTRY_SIZE;
  else {
    entry = filledEntry();
    store<u32>(byId + USAGE_OF, count);
  }
  let flags = load<u32>(entry + FLAGS);
  if (isText(STOP_REASON) && kindOf(IS_ABORTED_MID_STREAM) != TRUE) flags |= FINISHED;
  if (isText(REQUEST_ID)) flags |= HAS_REQUEST_ID;
  if (!isSide) flags |= ON_MAIN_LINE;
  store<u32>(entry + FLAGS, flags);
  const output = tokensAt(OUTPUT_TOKENS);
  const write1h = tokensAt(CACHE_WRITE_1H);
  keep(entry + INPUT, tokensAt(INPUT_TOKENS));
  keep(entry + CACHED, tokensAt(CACHE_READ));
  keep(entry + WRITE, max(tokensAt(CACHE_WRITE), write1h + tokensAt(CACHE_WRITE_5M)));
  keep(entry + WRITE_1H, write1h);
  keep(entry + OUTPUT, output);
  keep(entry + THINKING, min(tokensAt(THINKING_TOKENS), output));
}

// @ts-ignore: decorator
@inline
function keep(place: usize, value: f64): void {
  if (value > load<f64>(place)) store<f64>(place, value);
}

/** The place of a reply that JavaScript has parsed, whose key it wrote to an address; without flags it is new. */
export function parsedUsage(reply: u32, key: usize, length: u32): u32 {
  const byId = entryOf(reply);
  const number = load<u32>(byId + USAGE_OF);
  if (number != 0) return number - 1;
  const entry = newEntry();
  store<u32>(byId + USAGE_OF, count);
  setKey(entry, key, length);
  return count - 1;
}

/** The place of a reply; -1 when it has no usage. */
export function usageIndex(reply: u32): i32 {
  return <i32>load<u32>(entryOf(reply) + USAGE_OF) - 1;
}

function setKey(entry: usize, key: usize, length: u32): void {
  store<u32>(entry + KEY_NUMBER, keyNumberOf(key, <usize>length));
  store<u32>(entry + KEY_START, keyLength);
  store<u32>(entry + KEY_LENGTH, length);
  if (keyLength + length > keyCapacity) {
    const wider = max(16_384, 2 * (keyLength + length));
    const moved = allocate(<usize>wider);
    if (keys != 0) memory.copy(moved, keys, <usize>keyLength);
    keys = moved;
    keyCapacity = wider;
  }
  memory.copy(keys + <usize>keyLength, key, <usize>length);
  keyLength += length;
}

function newEntry(): usize {
  if (count == capacity) {
    const wider = allocate(<usize>max(256, capacity * 2) * ENTRY_SIZE);
    if (entries != 0) memory.copy(wider, entries, <usize>count * ENTRY_SIZE);
    entries = wider;
    capacity = max(256, capacity * 2);
  }
  const entry = entries + <usize>count * ENTRY_SIZE;
  count++;
  for (let i: usize = 0; i < ENTRY_SIZE; i += 16) v128.store(entry + i, i64x2.splat(0));
  store<f64>(entry + REPORTED, NaN);
  return entry;
}

function filledEntry(): usize {
  const entry = newEntry();
  store<u32>(entry + FLAGS, KNOWN);
  const id = load<u32>(placeOf(MESSAGE_ID));
  setKey(entry, <usize>id, load<u32>(placeOf(MESSAGE_ID) + 4) - id);
  store<u32>(entry + MODEL_WORD, numberAt(MODEL));
  store<u32>(entry + CWD_WORD, numberAt(CWD));
  store<u32>(entry + BRANCH_WORD, numberAt(GIT_BRANCH));
  store<u32>(entry + AGENT_WORD, numberAt(AGENT_ID));
  store<u32>(entry + SPEED_WORD, numberAt(SPEED));
  store<u32>(entry + GEO_WORD, numberAt(INFERENCE_GEO));
  store<f64>(entry + AT, timeAt(TIMESTAMP));
  store<f64>(entry + SEARCHES, tokensAt(WEB_SEARCHES));
  return entry;
}

/** Copies a string to the texts; gives its length. */
export function addText(field: usize): u32 {
  const place = placeOf(field);
  const start = load<u32>(place);
  return addBytes(<usize>start, load<u32>(place + 4) - start);
}

/** The same for bytes that lie anywhere. */
export function addBytes(start: usize, length: u32): u32 {
  if (textLength + length > textCapacity) {
    const wider = allocate(<usize>max(16_384, 2 * (textLength + length)));
    if (texts != 0) memory.copy(wider, texts, <usize>textLength);
    texts = wider;
    textCapacity = max(16_384, 2 * (textLength + length));
  }
  memory.copy(texts + <usize>textLength, start, <usize>length);
  textLength += length;
  return length;
}

/** Where JavaScript puts helpers' transcripts: u32 replies known before it, u32 number of its name; how many it may be. */
const HELPERS: usize = SCRATCH;
const NO_WORD: u32 = 0;

/**
 * Stages all replies for JavaScript; 0, or what it has to tell first. `startMs`: when the file itself was begun, NaN where that
 * is not known; what is dated earlier was copied in. `sidechain`: the number for helpers that have no name.
 */
export function packUsage(startMs: f64, helpers: u32, sidechain: u32): u32 {
  let someHaveRequestId = false;
  for (let i: u32 = 0; i < count && !someHaveRequestId; i++) {
    someHaveRequestId = (load<u32>(entries + <usize>i * ENTRY_SIZE + FLAGS) & HAS_REQUEST_ID) != 0;
  }
  const first = rows.stagedRows();
  let helper: u32 = 0;
  for (let i: u32 = 0; i < count; i++) {
    const entry = entries + <usize>i * ENTRY_SIZE;
    const row = first + <usize>i;
    const flags = load<u32>(entry + FLAGS);
    const at = load<f64>(entry + AT);
    const isHelpers = (flags & ON_MAIN_LINE) == 0;
    // Resuming with 1.0.85 and older re-wrote history without request ids; only what was asked since has one.
    const lacksRequestId = someHaveRequestId && (flags & HAS_REQUEST_ID) == 0 && !isHelpers;
    const isCopied = at < startMs || lacksRequestId;
    rows.putKey(row, load<u32>(entry + KEY_START), load<u32>(entry + KEY_LENGTH), load<u32>(entry + KEY_NUMBER));
    rows.putDouble(rows.AT, row, at);
    rows.putDouble(rows.INPUT, row, load<f64>(entry + INPUT));
    rows.putDouble(rows.CACHED, row, load<f64>(entry + CACHED));
    rows.putDouble(rows.CACHE_WRITE, row, load<f64>(entry + WRITE));
    rows.putDouble(rows.CACHE_WRITE_1H, row, load<f64>(entry + WRITE_1H));
    rows.putDouble(rows.OUTPUT, row, load<f64>(entry + OUTPUT));
    rows.putDouble(rows.THINKING, row, load<f64>(entry + THINKING));
    rows.putDouble(rows.WEB_SEARCHES, row, load<f64>(entry + SEARCHES));
    rows.putDouble(rows.REPORTED, row, load<f64>(entry + REPORTED));
    rows.putFlags(row, ((flags & FINISHED) == 0 ? rows.LOWER_BOUND : 0) | (isCopied ? rows.COPIED : 0));
    if (!rows.putText(rows.MODEL, row, load<u32>(entry + MODEL_WORD))) return rows.askText();
    if (!rows.putText(rows.CWD, row, load<u32>(entry + CWD_WORD))) return rows.askText();
    if (!rows.putText(rows.BRANCH, row, load<u32>(entry + BRANCH_WORD))) return rows.askText();
    const speed = load<u32>(entry + SPEED_WORD);
    if (!rows.putPair(rows.MODIFIERS, row, speed, load<u32>(entry + GEO_WORD))) return rows.askPair();
    while (helper < helpers && load<u32>(HELPERS + (<usize>helper << 3)) <= i) helper++;
    const agent = load<u32>(entry + AGENT_WORD);
    if (!isHelpers) rows.putWord(rows.SUBAGENT, row, 0);
    else if (helper > 0) rows.putWord(rows.SUBAGENT, row, load<u32>(HELPERS + (<usize>(helper - 1) << 3) + 4));
    else if (agent == NO_WORD) rows.putWord(rows.SUBAGENT, row, sidechain);
    else if (!rows.putText(rows.SUBAGENT, row, agent)) return rows.askText();
  }
  rows.stageRows(<usize>count, keys, <usize>keyLength);
  return 0;
}
