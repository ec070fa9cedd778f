/**
 * Lines of a Codex rollout in which a word was found: whether that is part of their envelope (src/agents/codex/envelope.ts), and
 * whether the message that begins there is a prompt, a tool's output or a reply, and what it says. What `quickMessage` in
 * src/agents/codex/quick-message.ts makes of it, without parsing it.
 *
 * AssemblyScript; `node scripts/gen-wasm.mjs` compiles it into src/agents/codex/said.gen.ts.
 */
import { at, digits, isSame, isText, key, plain, quoted, stands, value } from "./said/json";
import {
  findWord,
  forget,
  isLoose,
  isMessage,
  saidStart,
  takeCall,
  takeInput,
  takeSaid,
  takeThought,
  takeTime,
  takeUnread,
} from "./said/parts";

export { setWord, shown } from "./said/parts";

const BASE: usize = 65536;

const NO: i32 = 0;
const PROMPT_ITEM: i32 = 1;
const OUTPUT: i32 = 2;
const REPLY: i32 = 3;
const PROMPT_EVENT: i32 = 4;

/** Types of the line looked at last: without their quotes, 0 for what it has not. */
let outer: usize = 0;
let outerEnd: usize = 0;
let inner: usize = 0;
let innerEnd: usize = 0;
let item: usize = 0;
let itemEnd: usize = 0;
/** Whether a name follows. */
let isNamed = false;
let time: usize = 0;
let timeEnd: usize = 0;

/** Names of types nothing of which is part of a message, one to a line. */
let silent: usize = 0;
let silentEnd: usize = 0;

export function setSilent(start: usize, end: usize): void {
  silent = start;
  silentEnd = end;
}

/** Finds the word, but for what stands in envelopes. A loose place may do so. */
export function findSaid(from: usize, end: usize): i32 {
  while (from < end) {
    const found = findWord(from, end);
    if (found < 0 || isLoose()) return found;
    from = afterEnvelope(<usize>found, end);
    if (from == 0) return found;
  }
  return -1;
}

/** 0 for a place that is in none. */
function afterEnvelope(place: usize, end: usize): usize {
  const line = lineStart(place);
  const after = head(line);
  if (after == 0) return 0;
  if (isSilent()) return lineEnd(place, end);
  const isEvent = inner != 0 && isText(outer, outerEnd, "event_msg");
  const isItem = inner != 0 && isText(outer, outerEnd, "response_item");
  return (isEvent || (isItem && (isNamed || isNoCall()))) && after > place ? after : 0;
}

function lineStart(p: usize): usize {
  while (p >= BASE + 16) {
    const breaks = i8x16.bitmask(i8x16.eq(v128.load(p - 16), i8x16.splat(10)));
    if (breaks != 0) return p - 15 + (31 - clz(breaks));
    p -= 16;
  }
  while (p > BASE && at(p - 1) != 10) p--;
  return p;
}

function lineEnd(p: usize, end: usize): usize {
  for (; p < end; p += 16) {
    const breaks = i8x16.bitmask(i8x16.eq(v128.load(p), i8x16.splat(10)));
    if (breaks != 0) return min(p + ctz(breaks), end);
  }
  return end;
}

/** The place behind the types; 0 when the line does not begin as expected. */
function head(line: usize): usize {
  inner = item = 0;
  isNamed = false;
  if (!stands(line, '{"timestamp":"')) return 0;
  time = line + 14;
  timeEnd = plain(time);
  if (timeEnd == 0 || at(timeEnd + 1) != 44) return 0;
  let p = timeEnd + 2;
  if (stands(p, '"ordinal":')) {
    p = digits(p + 10);
    if (p == 0 || at(p) != 44) return 0;
    p++;
  }
  if (!stands(p, '"type":"')) return 0;
  outer = p + 8;
  outerEnd = word(outer);
  if (outerEnd == 0 || !stands(outerEnd, '","payload":{')) return 0;
  p = outerEnd + 13;
  const type = stands(p, '"type":"') ? word(p + 8) : 0;
  if (type == 0) return p;
  inner = p + 8;
  innerEnd = type;
  p = type + 1;
  if (stands(p, ',"thread_id":"')) return itemBehind(p);
  let name = p + 1;
  if (stands(p, ',"id":"')) {
    name = plain(p + 7);
    name = name != 0 && at(name + 1) == 44 ? name + 2 : p;
  }
  isNamed = at(p) == 44 && stands(name, '"name":"') && at(name + 8) != 34 && at(name + 8) != 92;
  return p;
}

/** The same place if it is no item. */
function itemBehind(p: usize): usize {
  let q = plain(p + 14);
  if (q == 0 || at(q + 1) != 44) return p;
  q += 2;
  if (stands(q, '"turn_id":"')) {
    q = plain(q + 11);
    if (q == 0 || at(q + 1) != 44) return p;
    q += 2;
  }
  if (!stands(q, '"item":{"type":"')) return p;
  const end = word(q + 16);
  if (end == 0) return p;
  item = q + 16;
  itemEnd = end;
  return end + 1;
}

/** Letters, digits and underscores up to a quote; gives that. */
function word(p: usize): usize {
  const start = p;
  while ((at(p) | 32) - 97 < 26 || at(p) - 48 < 10 || at(p) == 95) p++;
  return at(p) == 34 && p > start ? p : 0;
}

function isNoCall(): bool {
  return (
    isText(inner, innerEnd, "message") ||
    isText(inner, innerEnd, "reasoning") ||
    (innerEnd - inner >= 7 && stands(innerEnd - 7, "_output"))
  );
}

function isSilent(): bool {
  const isNested = inner != 0 && (isText(outer, outerEnd, "event_msg") || isText(outer, outerEnd, "response_item"));
  const hasItem = isNested && isText(inner, innerEnd, "item_completed");
  let length = outerEnd - outer;
  if (isNested) length += 1 + (innerEnd - inner);
  if (hasItem) length += 1 + (item == 0 ? 0 : itemEnd - item);
  for (let p = silent; p < silentEnd;) {
    let end = p;
    while (at(end) != 10) end++;
    if (end - p == length && isNamedSo(p, isNested, hasItem)) return true;
    p = end + 1;
  }
  return false;
}

function isNamedSo(p: usize, isNested: bool, hasItem: bool): bool {
  if (!isSame(p, outer, outerEnd)) return false;
  if (!isNested) return true;
  p += outerEnd - outer;
  if (at(p) != 47 || !isSame(p + 1, inner, innerEnd)) return false;
  if (!hasItem) return true;
  p += 1 + (innerEnd - inner);
  return at(p) == 47 && (item == 0 || isSame(p + 1, item, itemEnd));
}

/** The message that begins on a line and has the word at `place`. `end`: of its lines. */
export function said(line: usize, end: usize, place: usize): i32 {
  forget(place);
  let p = head(line);
  if (p == 0 || inner == 0) return NO;
  takeTime(time, timeEnd);
  let kind = NO;
  if (isText(outer, outerEnd, "response_item")) {
    const isOutput =
      isText(inner, innerEnd, "function_call_output") || isText(inner, innerEnd, "custom_tool_call_output");
    if (!isOutput) return reply(line, end);
    kind = OUTPUT;
    p = members(p, "output");
  } else if (!isText(outer, outerEnd, "event_msg")) return NO;
  else if (isText(inner, innerEnd, "user_message")) {
    kind = PROMPT_EVENT;
    p = members(p, "message");
  } else if (isText(inner, innerEnd, "item_completed") && item != 0 && isText(item, itemEnd, "UserMessage")) {
    kind = PROMPT_ITEM;
    p = members(p, "content");
    if (p != 0) p = members(p, "");
  }
  if (kind == NO || p == 0 || saidStart() == 0 || !isWhole(p, end)) return NO;
  // JSON in a text, and what an editor puts before a prompt.
  const first = at(saidStart());
  return first == 123 || first == 35 ? NO : kind;
}

/** Whether a record ends as it should, its payload being over. */
function isWhole(p: usize, end: usize): bool {
  p = members(p, "");
  return p != 0 && (p >= end || at(p) == 10);
}

/** From line to line, up to one with which it is over, whatever else that says. */
function reply(line: usize, end: usize): i32 {
  for (let next = line; next < end; next++) {
    let p = head(next);
    const isEvent = isText(outer, outerEnd, "event_msg");
    const isItem = isText(outer, outerEnd, "response_item");
    if (p == 0 || ((isEvent || isItem) && inner == 0)) return NO;
    const isOver = isEvent ? isTurn() : isText(outer, outerEnd, "token_usage_record");
    if (!isOver && isSilent()) {
      if (isEvent && item == 0 && isText(inner, innerEnd, "item_completed")) return NO;
      next = lineEnd(p, end);
      continue;
    }
    if (isOver) p = members(inner == 0 ? member(p - 1, "") : p, "");
    else p = isItem ? part(p) : 0;
    if (p == 0 || !isWhole(p, end)) return NO;
    if (isOver) break;
    next = lineEnd(p, end);
  }
  return isMessage() ? REPLY : NO;
}

function isTurn(): bool {
  return (
    isText(inner, innerEnd, "task_complete") ||
    isText(inner, innerEnd, "turn_complete") ||
    isText(inner, innerEnd, "task_started") ||
    isText(inner, innerEnd, "turn_started")
  );
}

/** The payload that a reply has a part in, from behind its type on. The last one counts of keys that are the same. */
function part(p: usize): usize {
  let role: usize = 0;
  let content: usize = 0;
  let summary: usize = 0;
  let name: usize = 0;
  let input: usize = 0;
  let json: usize = 0;
  while (at(p) == 44) {
    const start = p + 2;
    p = key(p + 1);
    if (p == 0) return 0;
    const end = p - 2;
    if (isText(start, end, "role")) role = p;
    else if (isText(start, end, "content")) content = p;
    else if (isText(start, end, "summary")) summary = p;
    else if (isText(start, end, "name")) name = p;
    else if (isText(start, end, "input")) input = p;
    else if (isText(start, end, "arguments")) json = p;
    else if (isText(start, end, "type")) return 0;
    p = value(p, 2);
    if (p == 0) return 0;
  }
  if (at(p) != 125) return 0;
  let isTaken = false;
  if (isText(inner, innerEnd, "message")) isTaken = stands(role, '"assistant"') && takeMessage(content);
  else if (isText(inner, innerEnd, "reasoning")) isTaken = takeThoughts(summary) && takeThoughts(content);
  else if (isText(inner, innerEnd, "function_call")) isTaken = takeCall(name) && takeJson(json);
  else if (isText(inner, innerEnd, "custom_tool_call"))
    isTaken = takeCall(name) && (input == 0 || takeInput(input, 0) != 0);
  return isTaken ? p + 1 : 0;
}

function takeMessage(p: usize): bool {
  return (at(p) == 91 ? onlyText(p, false) : takeSaid(p)) != 0;
}

/** Those of a list, if it is one. */
function takeThoughts(p: usize): bool {
  return p == 0 || stands(p, "null") || stands(p, "[]") || (at(p) == 91 && onlyText(p, true) != 0);
}

/** JSON in a text. */
function takeJson(p: usize): bool {
  if (at(p) != 34) return false;
  takeUnread(p + 1, quoted(p) - 1);
  return true;
}

/** Further members of an object, up to its end. The text is that of `wanted`; nothing that was looked at may be said twice. */
function members(p: usize, wanted: string): usize {
  while (at(p) == 44) p = member(p, wanted);
  return at(p) == 125 ? p + 1 : 0;
}

/** From what separates it from others on. */
function member(p: usize, wanted: string): usize {
  const name = p + 2;
  p = key(p + 1);
  if (p == 0) return 0;
  const nameEnd = p - 2;
  if (wanted.length > 0 && isText(name, nameEnd, wanted)) {
    return at(p) == 91 && item != 0 ? onlyText(p, false) : takeSaid(p);
  }
  const isOdd =
    isText(name, nameEnd, "type") ||
    isText(name, nameEnd, "kind") ||
    isText(name, nameEnd, "item") ||
    isText(name, nameEnd, "payload") ||
    isText(name, nameEnd, "timestamp") ||
    isText(name, nameEnd, "metadata");
  return isOdd ? 0 : value(p, 2);
}

/** A list of one part with a text. */
function onlyText(p: usize, isThought: bool): usize {
  let hasText = false;
  if (at(p + 1) != 123) return 0;
  p++;
  do {
    const name = p + 2;
    p = key(p + 1);
    if (p == 0) return 0;
    const isWanted = isText(name, p - 2, "text");
    if (isWanted) p = isThought ? takeThought(p) : takeSaid(p);
    else p = value(p, 4);
    if (p == 0) return 0;
    if (isWanted) hasText = true;
  } while (at(p) == 44);
  return hasText && at(p) == 125 && at(p + 1) == 93 ? p + 2 : 0;
}
