/**
 * The texts of a message, and which of them is shown: the first that has the word. What was said comes before what was thought, and
 * that before what tools were called with. JavaScript's side is src/agents/shared/said-scan.ts.
 */
import { at, isSame, key, plain, quoted, value } from "./json";

/** Of src/lib/byte-scan.wat, whose memory this works in. */
// @ts-ignore: decorator
@external("env", "find")
declare function find(
  from: usize,
  end: usize,
  text: usize,
  length: i32,
  i: i32,
  j: i32,
  isLoose: i32,
  escapes: i32,
): i32;

/** In the memory of src/lib/byte-scan.wat: whether the place found last is a loose one, */
const LOOSE: usize = 516;
/** and what that leaves free. */
const TEXT: usize = 528;
const TEXT_END: usize = 532;
const TIME: usize = 536;
const TIME_END: usize = 540;
const PLACE: usize = 544;
const TOOL: usize = 548;
const TOOL_END: usize = 552;
const KEYS: usize = 560;
const KEYS_END: usize = 1024;

const NOWHERE: i32 = 0;
const SAID: i32 = 1;
const THOUGHT: i32 = 2;
const CALLED: i32 = 3;
const UNSURE: i32 = 4;

/** In place of a place: it takes more to tell. */
const MORE: usize = 1;

/** Deeper than what tools are called with. */
const MAX_DEPTH: i32 = 16;

let word: usize = 0;
let length: i32 = 0;
let rarest: i32 = 0;
let second: i32 = 0;

/** Where the word was found; it is not before that. */
let hit: usize = 0;
let said: usize = 0;
let saidEnd: usize = 0;
let thought: usize = 0;
let thoughtEnd: usize = 0;
/** The first of those that has the word. */
let called: usize = 0;
let calledEnd: usize = 0;
let calledPlace: usize = 0;
let hasCalls = false;
/** Keys of the objects that are gone through. */
let keys: usize = KEYS;

export function setWord(address: usize, bytes: i32, i: i32, j: i32): void {
  word = address;
  length = bytes;
  rarest = i;
  second = j;
}

export function findWord(from: usize, end: usize): i32 {
  return find(from, end, word, length, rarest, second, 128, 255);
}

export function isLoose(): bool {
  return load<u8>(LOOSE) != 0;
}

/** To be called for each message. */
export function forget(place: usize): void {
  hit = place;
  said = thought = called = calledPlace = 0;
  hasCalls = false;
  keys = KEYS;
  store<u64>(TIME, 0);
}

/** Without its quotes. */
export function takeTime(start: usize, end: usize): void {
  store<u32>(TIME, <u32>start);
  store<u32>(TIME_END, <u32>end);
}

/** From its quote on; behind it. 0 for a second one, or what is no text. */
export function takeSaid(p: usize): usize {
  const end = said == 0 && at(p) == 34 ? quoted(p) : 0;
  said = p + 1;
  saidEnd = end - 1;
  return end;
}

export function takeThought(p: usize): usize {
  const end = thought == 0 && at(p) == 34 ? quoted(p) : 0;
  thought = p + 1;
  thoughtEnd = end - 1;
  return end;
}

/** From the quote of its name on; what it is called with is told by what follows. False for a name that is out of the ordinary. */
export function takeCall(p: usize): bool {
  const end = at(p) == 34 ? plain(p + 1) : 0;
  if (end <= p + 1) return false;
  hasCalls = true;
  if (calledPlace != 0) return true;
  store<u32>(TOOL, <u32>p + 1);
  store<u32>(TOOL_END, <u32>end);
  takeCalled(p + 1, end);
  return true;
}

/** The texts in what a tool is called with, in the order that JavaScript has them in; 0 when it may be another one. */
export function takeInput(p: usize, depth: i32): usize {
  const byte = at(p);
  if (byte == 34) {
    const end = quoted(p);
    if (end != 0) takeCalled(p + 1, end - 1);
    return end;
  }
  if (byte != 123 && byte != 91) return value(p, depth);
  const isObject = byte == 123;
  const close: u32 = isObject ? 125 : 93;
  if (at(p + 1) == close) return p + 2;
  if (depth == MAX_DEPTH) return 0;
  const first = keys;
  do {
    p++;
    if (isObject) {
      const name = p + 1;
      p = key(p);
      if (p == 0 || !takeKey(first, name, p - 2)) return 0;
    }
    p = takeInput(p, depth + 1);
    if (p == 0) return 0;
  } while (at(p) == 44);
  keys = first;
  return at(p) == close ? p + 1 : 0;
}

/** False for one that is there already, or that JavaScript may put before others, as it does with numbers. */
function takeKey(first: usize, start: usize, end: usize): bool {
  if (at(start) - 48 < 10 || keys == KEYS_END) return false;
  for (let known = first; known < keys; known += 8) {
    const other = <usize>load<u32>(known);
    if (<usize>load<u32>(known + 4) - other == end - start && isSame(other, start, end)) return false;
  }
  store<u32>(keys, <u32>start);
  store<u32>(keys + 4, <u32>end);
  keys += 8;
  return true;
}

function takeCalled(start: usize, end: usize): void {
  if (calledPlace != 0) return;
  calledPlace = placeIn(start, end);
  called = start;
  calledEnd = end;
}

/** What a tool is called with, written in a way that is not gone through here. */
export function takeUnread(start: usize, end: usize): void {
  if (calledPlace == 0 && placeIn(start, end) != 0) calledPlace = MORE;
}

/** Of what was said. */
export function saidStart(): usize {
  return said;
}

/** Whether anything was. */
export function isMessage(): bool {
  return said != 0 || hasCalls || (thought != 0 && thought < thoughtEnd);
}

/** Which text is shown. */
export function shown(): i32 {
  let place = said == 0 ? 0 : placeIn(said, saidEnd);
  if (place != 0) return show(SAID, place, said, saidEnd);
  place = thought == 0 ? 0 : placeIn(thought, thoughtEnd);
  if (place != 0) return show(THOUGHT, place, thought, thoughtEnd);
  return calledPlace == 0 ? NOWHERE : show(CALLED, calledPlace, called, calledEnd);
}

function show(kind: i32, place: usize, start: usize, end: usize): i32 {
  if (place == MORE) return UNSURE;
  store<u32>(TEXT, <u32>start);
  store<u32>(TEXT_END, <u32>end);
  store<u32>(PLACE, <u32>place);
  return kind;
}

/** The first place of the word in a text; 0 for none. */
function placeIn(start: usize, end: usize): usize {
  if (hit >= end) return 0;
  if (hit >= start) return hit;
  const found = findWord(start, end);
  if (found == -1) return 0;
  return found < 0 || isLoose() ? MORE : <usize>found;
}
