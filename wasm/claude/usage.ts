/**
 * Replies with usage of a session, one entry each: of its records, the largest of each count, and of the first one
 * everything else (src/agents/claude/usage.ts has the rules). JavaScript reads them where they lie, and adds those it had
 * to parse (src/agents/claude/usage-entries.ts has the same numbers).
 */
import { isText, kindOf, nodeOf, numberAt, placeOf, timeAt, tokensAt } from "../json/fields";
import { allocate, NUMBERS, TRUE } from "../json/memory";
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
const KEY_START: usize = 0; // u32 from the start of the texts
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
let texts: usize = 0;
let textCapacity: u32 = 0;
let textLength: u32 = 0;

export function forgetUsage(): void {
  count = 0;
  textLength = 0;
}

export function usageCount(): u32 {
  return count;
}

export function usageEntries(): usize {
  return entries;
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
  store<u32>(entry + KEY_START, textLength);
  store<u32>(entry + KEY_LENGTH, addBytes(key, length));
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
