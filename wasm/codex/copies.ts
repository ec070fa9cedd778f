/** Which records of a file were written by another thread, by the rules of src/agents/codex/copied-history.ts. */
import { isText, placeOf } from "../json/fields";
import { bytesEnd, lineFeed, place, setPlace } from "../json/line";
import { allocate, at } from "../json/memory";
import { timeOf } from "../json/time";
import { HEADER_ID, TURN_ID } from "./fields";
import { addField, isField, textEnd } from "./text-pool";

/** Of more than these it gives up. */
export const MAX_ANCESTORS: usize = 64;
/** Between two copied records lie microseconds; before the first own turn a program starts or a person types. */
const BURST_GAP_MS: f64 = 100;

let own: u32 = 0;
let ownLength: u32 = 0;
let startedMs: f64 = 0;
let descending: bool = false;
let ancestors: u32 = 0;
let places: usize = 0; // u32 start and length of each in the texts
let turn: u32 = 0;
let turnLength: u32 = 0;
let copying: bool = false;
let lastMs: f64 = NaN;

/** A thread with this id, which lies in the texts. */
export function startCopies(id: u32, idLength: u32, started: f64, descends: bool): void {
  own = id;
  ownLength = idLength;
  startedMs = started;
  descending = descends;
  ancestors = 0;
  turnLength = 0;
  copying = false;
  lastMs = NaN;
}

export function ownId(): u32 {
  return own;
}
export function ownIdLength(): u32 {
  return ownLength;
}
export function turnId(): u32 {
  return turn;
}
export function turnIdLength(): u32 {
  return turnLength;
}
export function descends(): bool {
  return descending;
}
export function ancestorCount(): u32 {
  return ancestors;
}
/** What is read now was written by another thread. */
export function isCopying(): bool {
  return copying;
}
/** The nearest is 0. Where its id begins in the texts. */
export function ancestorAt(index: u32): u32 {
  return load<u32>(places + ((<usize>index) << 3));
}
export function ancestorLengthAt(index: u32): u32 {
  return load<u32>(places + ((<usize>index) << 3) + 4);
}

/** A further header. */
export function takeHeader(time: f64): bool {
  // A resumed thread may repeat its own header.
  if (!isText(HEADER_ID) || isField(HEADER_ID, own, ownLength)) return copying;
  const start = textEnd();
  addField(HEADER_ID);
  if (places == 0) places = allocate(MAX_ANCESTORS << 3);
  if (ancestors < <u32>MAX_ANCESTORS) {
    store<u32>(places + ((<usize>ancestors) << 3), start);
    store<u32>(places + ((<usize>ancestors) << 3) + 4, textEnd() - start);
  }
  ancestors++;
  descending = true;
  copying = true;
  lastMs = time;
  return true;
}

/** A record that opens a turn and may say which. */
export function takeTurn(time: f64): bool {
  if (isText(TURN_ID)) {
    if (!isField(TURN_ID, turn, turnLength)) {
      turn = textEnd();
      addField(TURN_ID);
      turnLength = textEnd() - turn;
    }
    const begun = uuidTime(<usize>load<u32>(placeOf(TURN_ID)), turnLength);
    if (begun == begun) {
      copying = descending && begun < startedMs;
      return goOn(time);
    }
  }
  return takeStart(time);
}

/** A record that may be the first of a turn. */
export function takeStart(time: f64): bool {
  if (copying && time >= startedMs && time - lastMs >= BURST_GAP_MS) copying = false;
  return goOn(time);
}

/** Any other record. */
export function goOn(time: f64): bool {
  if (copying) lastMs = time;
  return copying;
}

/** As long as the beginning of a record can be, up to what it is. */
const LONGEST_BEGINNING: usize = 160;

/** While copies are read: passes over lines that are copies as well, by how they begin, without checking them. */
export function passCopies(): void {
  if (!copying) return;
  const end = bytesEnd();
  for (let p = place(); p + LONGEST_BEGINNING <= end;) {
    if (!opensNothing(p)) return;
    const time = <f64>timeOf(p + 14, 24);
    if (time < 0 || (time >= startedMs && time - lastMs >= BURST_GAP_MS)) return;
    const feed = lineFeed(p + 48);
    if (feed >= end) return;
    lastMs = time;
    p = feed + 1;
    setPlace(p);
  }
}

/** Whether the line at a place is an item, or an event that does not start a turn. */
function opensNothing(p: usize): bool {
  // `{"timestamp":"…",`
  if (load<u64>(p) != 0x7473656d6974227b || load<u64>(p + 6) != 0x223a22706d617473) return false;
  if (load<u16>(p + 38) != 0x2c22) return false;
  let q = p + 40;
  // `"ordinal":…,`
  if (load<u64>(q) == 0x6c616e6964726f22) {
    q += 10;
    while (at(q) - 48 <= 9) q++;
    q++;
  }
  // `"type":"`
  if (load<u64>(q) != 0x223a226570797422) return false;
  q += 8;
  // `response`, then `_item",`
  if (load<u64>(q) == 0x65736e6f70736572) return (load<u64>(q + 8) & 0xff_ffff_ffff_ffff) == 0x2c_226d_6574_695f;
  // `event_msg","payload":{"type":"`
  if (load<u64>(q) != 0x736d5f746e657665 || load<u64>(q + 8) != 0x6c796170222c2267) return false;
  if (load<u64>(q + 16) != 0x74227b3a2264616f || load<u64>(q + 22) != 0x223a226570797422) return false;
  // `task_started` and `turn_started`
  const inner = load<u64>(q + 30);
  return inner != 0x6174735f6b736174 && inner != 0x6174735f6e727574;
}

/** Milliseconds since the epoch in a version 7 UUID; NaN for anything else. */
export function uuidTime(p: usize, length: u32): f64 {
  if (length != 36 || at(p + 14) != 55) return NaN;
  let ms: f64 = 0;
  for (let i: usize = 0; i < 36; i++) {
    const c = at(p + i);
    if (i == 8 || i == 13 || i == 18 || i == 23) {
      if (c != 45) return NaN;
      continue;
    }
    const digit = c - 48 <= 9 ? c - 48 : (c | 32) - 97 <= 5 ? (c | 32) - 87 : 16;
    if (digit == 16) return NaN;
    if (i < 13) ms = ms * 16 + <f64>digit;
  }
  return ms;
}
