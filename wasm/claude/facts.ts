/** What JavaScript has to know of the records since it last asked, in places that both know. */
import { addBytes, addText, usageTextLength } from "./usage";
import { CONTENT, CWD, GIT_BRANCH, MESSAGE_ID, TIMESTAMP, UUID, VERSION } from "./fields";
import { isText, numberAt, placeOf, timeAt } from "../json/fields";
import { cutOf } from "../json/title";

// The same numbers are in record-scan.ts.
const FACTS: usize = 12_032;
export const FIRST_TIME: usize = FACTS; // f64, NaN for none
export const LAST_TIME: usize = FACTS + 8; // f64, NaN for none
export const REPLY_TIME: usize = FACTS + 16; // f64, of what was billed; NaN for none
export const FIRST_CWD: usize = FACTS + 24; // u32 word
export const LAST_BRANCH: usize = FACTS + 28; // u32 word
export const LAST_VERSION: usize = FACTS + 32; // u32 word
export const SEEN: usize = FACTS + 36; // u32: 1 conversation, 2 a note
const ID_COUNT: usize = FACTS + 40; // u32: ids of the main line's records
export const REPLY_COUNT: usize = FACTS + 44; // u32: changes of the reply
export const FIRST_REPLY: usize = FACTS + 48; // u32 start in the texts, u32 length
export const LAST_REPLY: usize = FACTS + 56; // u32 start in the texts, u32 length
export const MODEL_COUNT: usize = FACTS + 64; // u32; then for each u32 word, u32 replies, in the order of their last use
export const MODELS: usize = FACTS + 72;
const MAX_MODELS: u32 = 15;
// What comes first in a transcript, and what it is called: places in the texts, u32 start and u32 length (0: not met).
const MORE_FACTS: usize = 11_744;
export const STARTED: usize = MORE_FACTS; // f64, when the file itself was begun; NaN for none
export const FIRST_UUID: usize = MORE_FACTS + 8;
export const FIRST_PROMPT: usize = MORE_FACTS + 16;
export const LAST_AI_TITLE: usize = MORE_FACTS + 24;
export const LAST_CUSTOM_TITLE: usize = MORE_FACTS + 32;
export const MORE_END: usize = MORE_FACTS + 40;
const IDS: usize = 12_288; // 64 slots of 64 bytes
const ID_LENGTHS: usize = 12_224; // u8 for each slot

let begun: bool = false;
let prompted: bool = false;

/** Set by JavaScript, which parses what comes before. */
export function goOnWith(hasRecord: bool, hasFirstPrompt: bool): void {
  begun = hasRecord;
  prompted = hasFirstPrompt;
}

/** The first record of the chain was met. */
export function hasBegun(): bool {
  return begun;
}

export function begin(): void {
  begun = true;
}

export function hasPrompt(): bool {
  return prompted;
}

export function forgetFacts(): void {
  store<f64>(FIRST_TIME, NaN);
  store<f64>(LAST_TIME, NaN);
  store<f64>(REPLY_TIME, NaN);
  for (let p = FIRST_CWD; p < MODELS; p += 4) store<u32>(p, 0);
  store<f64>(STARTED, NaN);
  for (let p = FIRST_UUID; p < MORE_END; p += 8) store<u64>(p, 0);
}

/** True when the record has a date. */
export function takeFacts(): bool {
  const time = timeAt(TIMESTAMP);
  const isDated = time == time;
  if (isDated) {
    const first = load<f64>(FIRST_TIME);
    if (first != first) store<f64>(FIRST_TIME, time);
    if (!(time <= load<f64>(LAST_TIME))) store<f64>(LAST_TIME, time);
  }
  const cwd = numberAt(CWD);
  if (cwd != 0 && load<u32>(FIRST_CWD) == 0) store<u32>(FIRST_CWD, cwd);
  const branch = numberAt(GIT_BRANCH);
  if (branch != 0) store<u32>(LAST_BRANCH, branch);
  const version = numberAt(VERSION);
  if (version != 0) store<u32>(LAST_VERSION, version);
  return isDated;
}

/** Another reply than the last one. */
export function takeReply(model: u32): void {
  const start = usageTextLength();
  const length = addText(MESSAGE_ID);
  if (load<u32>(REPLY_COUNT) == 0) {
    store<u32>(FIRST_REPLY, start);
    store<u32>(FIRST_REPLY + 4, length);
  }
  store<u32>(LAST_REPLY, start);
  store<u32>(LAST_REPLY + 4, length);
  store<u32>(REPLY_COUNT, load<u32>(REPLY_COUNT) + 1);
  countModel(model);
}

/** Notes where the texts have a string of the line; nothing when there is none. */
export function keepText(fact: usize, field: usize): void {
  if (!isText(field)) return;
  store<u32>(fact, usageTextLength());
  store<u32>(fact + 4, addText(field));
}

export function promptEnd(): usize {
  return cutOf(<usize>load<u32>(placeOf(CONTENT)), <usize>load<u32>(placeOf(CONTENT) + 4));
}

export function keepPrompt(): void {
  const start = <usize>load<u32>(placeOf(CONTENT));
  store<u32>(FIRST_PROMPT, usageTextLength());
  store<u32>(FIRST_PROMPT + 4, addBytes(start, <u32>(promptEnd() - start)));
  prompted = true;
}

export function keepId(): void {
  const slot = load<u32>(ID_COUNT) & 63;
  store<u32>(ID_COUNT, load<u32>(ID_COUNT) + 1);
  const from = <usize>load<u32>(placeOf(UUID));
  const to = IDS + ((<usize>slot) << 6);
  v128.store(to, v128.load(from));
  v128.store(to, v128.load(from, 16), 16);
  v128.store(to, v128.load(from, 32), 32);
  v128.store(to, v128.load(from, 48), 48);
  store<u8>(ID_LENGTHS + <usize>slot, lengthOf(UUID));
}

export function lengthOf(field: usize): u32 {
  return load<u32>(placeOf(field) + 4) - load<u32>(placeOf(field));
}

export function hasRoomFor(model: u32): bool {
  return modelIndex(model) < MAX_MODELS;
}

/** Moves the model to the end: among equals the latest used stands last. */
function countModel(model: u32): void {
  const index = modelIndex(model);
  let count = load<u32>(MODEL_COUNT);
  let replies: u32 = 1;
  if (index == count) store<u32>(MODEL_COUNT, ++count);
  else replies += load<u32>(MODELS + ((<usize>index) << 3) + 4);
  for (let i = index; i + 1 < count; i++) {
    store<u64>(MODELS + ((<usize>i) << 3), load<u64>(MODELS + ((<usize>(i + 1)) << 3)));
  }
  const last = MODELS + ((<usize>(count - 1)) << 3);
  store<u32>(last, model);
  store<u32>(last + 4, replies);
}

function modelIndex(model: u32): u32 {
  const count = load<u32>(MODEL_COUNT);
  for (let i: u32 = 0; i < count; i++) if (load<u32>(MODELS + ((<usize>i) << 3)) == model) return i;
  return count;
}
