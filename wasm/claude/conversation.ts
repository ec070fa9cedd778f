/**
 * Messages and turns of the main line, from what the records are and what they hang on. The rules are those of
 * `Transcript` (src/agents/claude/transcript.ts), which builds the messages.
 */
import { allocate } from "../json/memory";

// The kinds of src/agents/claude/record.ts, in the order of its RECORD_KINDS.
export const CONTEXT: u32 = 0;
export const PROMPT: u32 = 1;
export const RESULT: u32 = 2;
export const REPLY: u32 = 3;
export const ERROR: u32 = 4;
export const SUMMARY: u32 = 5;

// Records: u8 kind, u8 side-chain, u8 follows in its reply, u8 marked; u32 parent; i32 next of its reply; u32 first result
const RECORD_SIZE: usize = 16;
let records: usize = 0;
let recordCount: u32 = 0;
let recordCapacity: u32 = 0;

let results: usize = 0; // u32 id of the call, for each result
let resultCount: u32 = 0;
let resultCapacity: u32 = 0;

// By id: u32 record, u32 last record of the reply, u32 calling record, u32 usage; each from 1, 0 for none
const ID_SIZE: usize = 16;
const RECORD_OF: usize = 0;
const LAST_OF_REPLY: usize = 4;
const CALLER_OF: usize = 8;
export const USAGE_OF: usize = 12;
let byId: usize = 0;
let idCapacity: u32 = 0;
let maxId: u32 = 0;
let leaf: u32 = 0;

export function forgetRecords(): void {
  if (byId != 0) memory.fill(byId, 0, (<usize>maxId + 1) * ID_SIZE);
  recordCount = 0;
  resultCount = 0;
  maxId = 0;
  leaf = 0;
}

export function entryOf(id: u32): usize {
  if (id >= idCapacity) {
    const capacity = max(4096, max(id + 1, idCapacity * 2));
    const wider = allocate(<usize>capacity * ID_SIZE);
    memory.fill(wider, 0, <usize>capacity * ID_SIZE);
    if (byId != 0) memory.copy(wider, byId, <usize>idCapacity * ID_SIZE);
    byId = wider;
    idCapacity = capacity;
  }
  if (id > maxId) maxId = id;
  return byId + <usize>id * ID_SIZE;
}

// @ts-ignore: decorator
@inline
function recordAt(index: u32): usize {
  return records + <usize>index * RECORD_SIZE;
}

/** The parent of a record without any ids: it follows the one before it. */
const NOT_SAID: u32 = 0xffff_ffff;

/** A record of the chain, in file order. Its calls and results are given before it. */
export function addRecord(kind: u32, id: u32, parent: u32, isSide: bool, reply: u32): void {
  if (recordCount + 1 >= recordCapacity) {
    const capacity = max(4096, recordCapacity * 2);
    const wider = allocate(<usize>capacity * RECORD_SIZE);
    if (records != 0) memory.copy(wider, records, <usize>(recordCount + 1) * RECORD_SIZE);
    records = wider;
    recordCapacity = capacity;
  }
  if (recordCount == 0) store<u32>(records + 12, 0);
  const record = recordAt(recordCount);
  store<u32>(record, kind | (isSide ? 0x100 : 0));
  store<u32>(record + 4, id == 0 && parent == 0 ? NOT_SAID : parent);
  store<i32>(record + 8, -1);
  store<u32>(record + RECORD_SIZE + 12, resultCount);
  leaf = 0;
  const number = ++recordCount;
  if (id != 0) store<u32>(entryOf(id) + RECORD_OF, number);
  if (kind != REPLY) return;
  const entry = entryOf(reply);
  const previous = load<u32>(entry + LAST_OF_REPLY);
  if (previous != 0) {
    store<i32>(recordAt(previous - 1) + 8, <i32>(number - 1));
    store<u8>(record + 2, 1);
  }
  store<u32>(entry + LAST_OF_REPLY, number);
}

/** A tool call of the record that is added next. */
export function addCall(call: u32): void {
  store<u32>(entryOf(call) + CALLER_OF, recordCount + 1);
}

/** A tool result in the record that is added next. */
export function addResult(call: u32): void {
  if (resultCount == resultCapacity) {
    const capacity = max(1024, resultCapacity * 2);
    const wider = allocate(<usize>capacity << 2);
    if (results != 0) memory.copy(wider, results, <usize>resultCount << 2);
    results = wider;
    resultCapacity = capacity;
  }
  store<u32>(results + (<usize>resultCount << 2), call);
  resultCount++;
}

/** The record that was chosen to go on from; a record that follows makes it void. */
export function goOnFrom(id: u32): void {
  leaf = id;
}

let turns: u32 = 0;

export function turnCount(): u32 {
  return turns;
}

/** Messages of the main line; counts its turns as well. */
export function messageCount(): u32 {
  markMainLine();
  let messages: u32 = 0;
  let isOpen = false;
  turns = 0;
  for (let i: u32 = 0; i < recordCount; i++) {
    const record = recordAt(i);
    const kind = <u32>load<u8>(record);
    if (kind == CONTEXT || load<u8>(record + 2) != 0 || !isShown(record, kind)) continue;
    messages += kind == RESULT ? load<u32>(record + RECORD_SIZE + 12) - load<u32>(record + 12) : 1;
    if (kind == PROMPT) isOpen = true;
    else if (kind == REPLY && isOpen) {
      turns++;
      isOpen = false;
    }
  }
  return messages;
}

// @ts-ignore: decorator
@inline
function isMarked(record: usize): bool {
  return load<u8>(record + 3) != 0;
}

function isShown(record: usize, kind: u32): bool {
  if (isMarked(record)) return true;
  if (kind == RESULT) {
    for (let i = load<u32>(record + 12); i < load<u32>(record + RECORD_SIZE + 12); i++) {
      const caller = load<u32>(entryOf(load<u32>(results + (<usize>i << 2))) + CALLER_OF);
      if (caller != 0 && caller <= recordCount && isMarked(recordAt(caller - 1))) return true;
    }
  } else if (kind == REPLY) {
    for (let next = load<i32>(record + 8); next != -1; next = load<i32>(recordAt(next) + 8)) {
      if (isMarked(recordAt(next))) return true;
    }
  }
  return false;
}

/** From the newest leaf back to the root. What a rewind left behind stays unmarked. */
function markMainLine(): void {
  const chosen = leaf == 0 ? 0 : load<u32>(entryOf(leaf) + RECORD_OF);
  let number = chosen != 0 ? chosen : previous(recordCount + 1);
  while (number != 0) {
    const record = recordAt(number - 1);
    if (isMarked(record)) return;
    store<u8>(record + 3, 1);
    const parent = load<u32>(record + 4);
    if (parent == 0) return;
    const found = parent == NOT_SAID ? 0 : load<u32>(entryOf(parent) + RECORD_OF);
    // A chain that breaks (a damaged line, a parent in another file) goes on with the record before it.
    number = found != 0 ? found : previous(number);
  }
}

/** The record before one that is no side-chain's; 0 for none. */
function previous(number: u32): u32 {
  let before = number - 1;
  while (before > 0 && load<u8>(recordAt(before - 1) + 1) != 0) before--;
  return before;
}
