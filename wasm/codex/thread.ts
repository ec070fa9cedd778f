/**
 * Counts and bills a thread (its own file, after the beginnings of those it was forked from) without JavaScript seeing more of it than its header and its first prompt. Whatever
 * is not quite ordinary (errors, compactions, rewinds, reviews, damage, types nobody knows) makes it give up: then the file
 * is read as all others are. JavaScript's side is src/agents/codex/thread-count.ts.
 */
import { isText, isUnnumbered, isUnread, kindOf, nodeOf, numberAt, placeOf, timeAt, wordNumber } from "../json/fields";
import { wordOf } from "../json/ids";
import { bytesEnd, lineFeed, MORE, nextLine, place, RECORD, setPlace } from "../json/line";
import { allocate, answered, at, HEADER, NULL, NUMBER, NUMBERS, OBJECT, STRING } from "../json/memory";
import { isPlain } from "../json/text";
import {
  forgetRequests,
  hasReply,
  seeReply,
  seeSameCount,
  seeSearch,
  startBill,
  takeCount,
  takeUsageRecord,
} from "./bill";
import {
  areModelsFull,
  finish,
  forgetConversation,
  isReplyVisible,
  startTurn,
  takePart,
  takePrompt,
  takeToolOutput,
  takeUsage,
} from "./conversation";
import {
  descends,
  goOn,
  isCopying,
  ownId,
  ownIdLength,
  passCopies,
  startCopies,
  takeHeader,
  takeStart,
  takeTurn,
} from "./copies";
import {
  ACTION_TYPE,
  ASSISTANT,
  AUTO_REVIEW,
  ERROR,
  HEADER_ID,
  INFO,
  INNER_TYPE,
  ITEM,
  ITEM_TYPE,
  KIND,
  LAST_TOKENS,
  METADATA,
  MODEL,
  ORDINAL,
  PAYLOAD,
  PLAIN_KIND,
  RESPONSE_ID,
  ROLE,
  SEARCH,
  SERVICE_TIER,
  THREAD_ID,
  THREAD_TOKENS,
  TIMESTAMP,
  TOTAL_TOKENS,
  TURN_ID,
  TYPE,
  USAGE_TOKENS,
  USER,
} from "./fields";
import { addField, forgetTexts, isField, textEnd } from "./text-pool";

/** What nextCounted() stopped at. */
export const PROMPT: i32 = 1;
export const FILE_HEADER: i32 = 2;
const GIVE_UP: i32 = 3;
const PIECE_END: i32 = 8;

// What a type means, in the order of CLASSES in thread-count.ts; 0 for one that makes it give up.
const IDLE: u32 = 1;
// types of records
const SESSION_META: u32 = 2;
const TURN_CONTEXT: u32 = 3;
const USAGE_RECORD: u32 = 4;
const EVENT: u32 = 5;
const RESPONSE_ITEM: u32 = 6;
// of events
const TURN_STARTED: u32 = 2;
const USER_MESSAGE: u32 = 3;
const TOKEN_COUNT: u32 = 4;
const TURN_ENDED: u32 = 5;
const ITEM_COMPLETED: u32 = 6;
const SETTINGS: u32 = 7;
// of completed items
const USER_ITEM: u32 = 2;
// of response items
const MESSAGE: u32 = 2;
const REASONING: u32 = 3;
const CALL: u32 = 4;
const SEARCH_CALL: u32 = 5;
const OUTPUT: u32 = 6;

const RECORD_TYPES: usize = 0;
const EVENTS: usize = 1;
const ITEMS: usize = 2;
const RESPONSES: usize = 3;
const MAX_WORDS: usize = 4096;
let classes: usize = 0; // u8 for each word, in four tables

let inherited: bool = false;
let endOrdinal: f64 = 0;
let hasBegun: bool = false;
let needsPrompt: bool = false;
let hasPrompt: bool = false;
let hasOwnPrompt: bool = false;
let promptIsCopied: bool = false;
let prompts: u32 = 0;
let hasUserItems: bool = false;
let model: u32 = 0;
let tier: u32 = 0;
let lastModel: u32 = 0;
let lastTime: f64 = NaN;
let hasCounts: bool = false;
let anyCopied: bool = false;
let talked: bool = false;

export function setClass(table: usize, word: usize, value: u32): void {
  if (classes == 0) {
    classes = allocate(4 * MAX_WORDS);
    memory.fill(classes, 0, 4 * MAX_WORDS);
  }
  if (word < MAX_WORDS) store<u8>(classes + table * MAX_WORDS + word, value);
}

/** `forTitle`: the first prompt is to be told. */
export function startThread(forTitle: bool): void {
  forgetTexts();
  forgetRequests();
  forgetConversation();
  needsPrompt = forTitle;
  hasPrompt = false;
  hasOwnPrompt = false;
  prompts = 0;
  hasUserItems = false;
  model = 0;
  lastModel = 0;
  lastTime = NaN;
  hasCounts = false;
  anyCopied = false;
  talked = false;
}

/**
 * The next file. `isInherited`: another thread's, of which records count up to an ordinal. `recordsOnly`: it is built on
 * another one, whose totals it begins with.
 */
export function startPiece(isInherited: bool, recordsOnly: bool, end: f64): void {
  startBill(recordsOnly, isInherited);
  inherited = isInherited;
  endOrdinal = end;
  hasBegun = false;
  tier = 0;
  lastCountLength = 0;
}

/** JavaScript has looked at the header. */
export function beginThread(startedMs: f64, isDescendant: bool): void {
  const start = textEnd();
  addField(HEADER_ID);
  startCopies(start, textEnd() - start, startedMs, isDescendant);
  hasBegun = true;
  if (!inherited) lastTime = timeAt(TIMESTAMP);
}

export function promptCount(): u32 {
  return prompts;
}
export function userItems(): bool {
  return hasUserItems;
}
export function isPromptCopied(): bool {
  return promptIsCopied;
}
export function latestModel(): u32 {
  return lastModel;
}
export function lastOwnTime(): f64 {
  return lastTime;
}
export function countsSeen(): bool {
  return hasCounts;
}
export function hasCopies(): bool {
  return anyCopied;
}

/** All records were taken: counts what the last ones left open. */
export function endThread(): void {
  finish();
}

/** Goes on to the next record JavaScript has to look at. */
export function nextCounted(): i32 {
  for (;;) {
    const line = nextLine();
    const state = line == RECORD ? takeRecord() : line == MORE ? MORE : GIVE_UP;
    if (line == MORE || state != MORE) return answered(state);
  }
  return MORE;
}

/**
 * The same for whoever only wants the bill: records that bill nothing are told by how their lines begin, and passed over
 * without being checked.
 */
export function nextBilled(): i32 {
  for (;;) {
    if (hasBegun) passOver();
    const line = nextLine();
    const state = line == RECORD ? takeRecord() : line == MORE ? MORE : GIVE_UP;
    if (line == MORE || state != MORE) return answered(state);
  }
  return MORE;
}

/** The same for whoever looks for the first prompt of its own in a file that begins with copies. */
export function nextOwn(): i32 {
  for (;;) {
    passCopies();
    const line = nextLine();
    const state = line == RECORD ? takeRecord() : line == MORE ? MORE : GIVE_UP;
    if (line == MORE || state != MORE) return answered(state);
  }
  return MORE;
}

/** There is a conversation: something was called or answered. */
export function hasTalked(): bool {
  return talked;
}

const MAX_TYPE: usize = 40;
const MAX_ID: usize = 120;
/** As long as the beginning of a record can be, up to whose it is. */
const LONGEST_BEGINNING: usize = 320;

/** To a thread that begins with another one's records, every record matters: it may be the first of its own, or of its replies. */
function passOver(): void {
  if (descends() && (isCopying() || !hasReply())) return;
  const end = bytesEnd();
  for (let p = place(); p + LONGEST_BEGINNING <= end;) {
    if (!passes(p)) return;
    const feed = lineFeed(p + 48);
    if (feed >= end) return;
    p = feed + 1;
    setPlace(p);
  }
}

/** Whether the line at a place bills nothing, nor changes what others bill. */
function passes(p: usize): bool {
  // `{"timestamp":"…",`
  if (load<u64>(p) != 0x7473656d6974227b || load<u64>(p + 6) != 0x223a22706d617473) return false;
  if (load<u16>(p + 38) != 0x2c22) return false;
  let q = p + 40;
  if (load<u64>(q) == 0x6c616e6964726f22) {
    // `"ordinal":…,`
    if (load<u16>(q + 8) != 0x3a22) return false;
    q += 10;
    let ordinal: f64 = 0;
    for (; at(q) - 48 <= 9; q++) ordinal = ordinal * 10 + <f64>(at(q) - 48);
    if (at(q++) != 44 || (inherited && ordinal >= endOrdinal)) return false;
  } else if (inherited) return false;
  // `"type":"`
  if (load<u64>(q) != 0x223a226570797422) return false;
  q += 8;
  if (load<u64>(q) == 0x736d5f746e657665) {
    // `event_msg","payload":{"type":"`
    if (
      load<u64>(q + 8) != 0x6c796170222c2267 ||
      load<u64>(q + 16) != 0x74227b3a2264616f ||
      load<u64>(q + 22) != 0x223a226570797422
    )
      return false;
    return passesEvent(q + 30, q);
  }
  // `response_item","payload":{"type":"`
  if (load<u64>(q) != 0x65736e6f70736572 || load<u64>(q + 8) != 0x222c226d6574695f) return false;
  if (load<u64>(q + 16) != 0x2264616f6c796170 || load<u64>(q + 24) != 0x2265707974227b3a || load<u16>(q + 32) != 0x223a)
    return false;
  return passesItem(q + 34);
}

function passesEvent(type: usize, start: usize): bool {
  const close = closeOf(type, MAX_TYPE);
  const kind = classOfWord(EVENTS, wordOf(type, close - type));
  // `","info":null`: nothing was asked yet.
  if (kind == TOKEN_COUNT) {
    return (load<u64>(close) == 0x226f666e69222c22 && load<u32>(close + 8) == 0x6c75_6e3a) || isSameCount(start);
  }
  return kind == IDLE || kind == USER_MESSAGE || kind == TURN_ENDED || kind == ITEM_COMPLETED;
}

// The last token count that was taken, from its type to the end of the line: it is mostly written more than once.
const MAX_COUNT: u32 = 1024;
let lastCount: usize = 0;
let lastCountLength: u32 = 0;

/** Of a line as agents write it, the place of its type; else 0. */
function typeIn(line: usize): usize {
  if (load<u64>(line) != 0x7473656d6974227b || load<u16>(line + 38) != 0x2c22) return 0;
  let p = line + 40;
  if (load<u64>(p) == 0x6c616e6964726f22) {
    p += 10;
    while (at(p) - 48 <= 9) p++;
    p++;
  }
  return load<u64>(p) == 0x223a226570797422 ? p + 8 : 0;
}

function keepCount(): void {
  lastCountLength = 0;
  const start = typeIn(<usize>load<u32>(HEADER));
  const length = load<u32>(HEADER + 4) - <u32>start;
  if (start == 0 || length > MAX_COUNT) return;
  if (lastCount == 0) lastCount = allocate(<usize>MAX_COUNT + 16);
  memory.copy(lastCount, start, <usize>length);
  lastCountLength = length;
}

/** Whether what is at a place is the rest of a line with the same count: then it bills nothing. */
function isSameCount(start: usize): bool {
  const length = <usize>lastCountLength;
  // One that reaches the end of what was read may go on.
  if (length == 0 || start + length >= bytesEnd() || at(start + length) != 10) return false;
  let i: usize = 0;
  for (; i + 16 <= length; i += 16) {
    if (v128.any_true(v128.xor(v128.load(start + i), v128.load(lastCount + i)))) return false;
  }
  for (; i < length; i++) if (at(start + i) != at(lastCount + i)) return false;
  seeSameCount();
  return true;
}

function passesItem(type: usize): bool {
  const close = closeOf(type, MAX_TYPE);
  const kind = classOfWord(RESPONSES, wordOf(type, close - type));
  if (kind == CALL) talked = true;
  if (kind != MESSAGE) return kind == IDLE || kind == REASONING || kind == CALL || kind == OUTPUT;
  let next = close;
  // `","id":"…`
  if (load<u64>(close) == 0x223a226469222c22) next = closeOf(close + 8, MAX_ID);
  // `","role":"assistant`
  if (load<u64>(next) == 0x22656c6f72222c22 && load<u64>(next + 8) == 0x747369737361223a) talked = true;
  return true;
}

/** The quote that ends a plain text; somewhere in it, if it is longer than any. */
function closeOf(start: usize, longest: usize): usize {
  let p = start;
  while (at(p) != 34 && p < start + longest) p++;
  return p;
}

function classOf(table: usize, field: usize): u32 {
  return classOfWord(table, numberAt(field));
}

function classOfWord(table: usize, number: u32): u32 {
  const word = <usize>number;
  return word == 0 || word >= MAX_WORDS ? 0 : load<u8>(classes + table * MAX_WORDS + word);
}

function takeRecord(): i32 {
  const type = classOf(RECORD_TYPES, TYPE);
  const time = timeAt(TIMESTAMP);
  if (type == 0 || kindOf(PAYLOAD) != OBJECT || isUnread(TIMESTAMP) || time != time) return GIVE_UP;
  if (inherited) {
    // Files from before ordinals are cut at a byte offset.
    if (kindOf(ORDINAL) != NUMBER || isUnread(ORDINAL)) return GIVE_UP;
    if (load<f64>(NUMBERS + (nodeOf(ORDINAL) << 3)) >= endOrdinal) return PIECE_END;
  }
  if (!hasBegun) return type == SESSION_META && isPlainText(HEADER_ID) ? FILE_HEADER : GIVE_UP;
  if (kindOf(ITEM) != 0 && type != EVENT) return GIVE_UP;
  switch (type) {
    case EVENT:
      return takeEvent(time);
    case RESPONSE_ITEM:
      return takeItem(time);
    case USAGE_RECORD:
      return takeUsageOf(time, true);
    case TURN_CONTEXT:
      return takeContext(time);
    case SESSION_META:
      if (isText(HEADER_ID) && !isPlainText(HEADER_ID)) return GIVE_UP;
      see(takeHeader(time), time);
      return MORE;
    default:
      see(goOn(time), time);
      return MORE;
  }
}

/** Something a file holds; when it is its own, its time is the last one. */
function see(copied: bool, time: f64): void {
  if (inherited) return;
  if (copied) anyCopied = true;
  else lastTime = time;
}

/** A text that needs no unescaping. */
function isPlainText(field: usize): bool {
  const place = placeOf(field);
  return isText(field) && isPlain(<usize>load<u32>(place), <usize>load<u32>(place + 4));
}

function takeContext(time: f64): i32 {
  if (isUnnumbered(MODEL) || (isText(TURN_ID) && !isPlainText(TURN_ID))) return GIVE_UP;
  const copied = takeTurn(time);
  const named = numberAt(MODEL);
  // Auto-review requests are labelled with a name that is no model; they are made by the one in use.
  if (named != 0 && !(named == wordNumber(AUTO_REVIEW) && model != 0)) model = named;
  see(copied, time);
  if (!copied && !inherited) lastModel = model;
  return MORE;
}

function takeEvent(time: f64): i32 {
  const kind = classOf(EVENTS, INNER_TYPE);
  if (kind == ITEM_COMPLETED) return takeCompleted(time);
  if (kind == 0 || kindOf(ITEM) != 0) return GIVE_UP;
  switch (kind) {
    case TOKEN_COUNT:
      return takeUsageOf(time, false);
    case TURN_STARTED:
      if (isText(TURN_ID) && !isPlainText(TURN_ID)) return GIVE_UP;
      see(takeTurn(time), time);
      startTurn();
      return MORE;
    case USER_MESSAGE: {
      const copied = takeStart(time);
      see(copied, time);
      // Insertions came as user messages of another kind.
      if (kindOf(KIND) > NULL && (kindOf(KIND) != STRING || numberAt(KIND) != wordNumber(PLAIN_KIND))) return MORE;
      return takePromptOf(copied);
    }
    case TURN_ENDED:
      if (kindOf(ERROR) > NULL) return GIVE_UP;
      see(goOn(time), time);
      finish();
      return MORE;
    case SETTINGS:
      if (isUnnumbered(SERVICE_TIER)) return GIVE_UP;
      see(goOn(time), time);
      tier = numberAt(SERVICE_TIER);
      return MORE;
    default:
      see(goOn(time), time);
      return MORE;
  }
}

function takeCompleted(time: f64): i32 {
  const kind = classOf(ITEMS, ITEM_TYPE);
  if (kind == 0 || kindOf(ITEM) != OBJECT) return GIVE_UP;
  const copied = goOn(time);
  see(copied, time);
  if (kind != USER_ITEM) return MORE;
  if (isText(THREAD_ID) && !isPlainText(THREAD_ID)) return GIVE_UP;
  // A review's items are also written to its parent's file.
  if (!copied && isText(THREAD_ID) && !isField(THREAD_ID, ownId(), ownIdLength())) return MORE;
  return takePromptOf(copied);
}

function takePromptOf(copied: bool): i32 {
  prompts++;
  takePrompt();
  copied = copied || inherited;
  promptIsCopied = copied;
  const isWanted = needsPrompt && (!hasPrompt || (!copied && !hasOwnPrompt));
  hasPrompt = true;
  if (!copied) hasOwnPrompt = true;
  return isWanted ? PROMPT : MORE;
}

function takeUsageOf(time: f64, isRecord: bool): i32 {
  const hasFigures = isRecord || kindOf(INFO) == OBJECT;
  if (isRecord && !(areRead(USAGE_TOKENS, 5) && areRead(THREAD_TOKENS, 4))) return GIVE_UP;
  if (!isRecord && hasFigures && !(areRead(LAST_TOKENS, 5) && areRead(TOTAL_TOKENS, 4))) return GIVE_UP;
  if (isRecord && isText(THREAD_ID) && !isPlainText(THREAD_ID)) return GIVE_UP;
  if (isRecord && isText(RESPONSE_ID) && !isPlainText(RESPONSE_ID)) return GIVE_UP;
  const copied = goOn(time);
  const isBilled = isRecord
    ? takeUsageRecord(time, copied, model, tier)
    : hasFigures && takeCount(time, copied, model, tier, descends());
  if (!copied && !inherited && (isBilled || (!isRecord && hasFigures))) hasCounts = true;
  see(copied, time);
  takeUsage(isBilled, isRecord);
  if (!isRecord && hasFigures) keepCount();
  return MORE;
}

function areRead(first: usize, count: usize): bool {
  for (let field = first; field < first + count; field++) {
    if (kindOf(field) == NUMBER && isUnread(field)) return false;
  }
  return true;
}

function takeItem(time: f64): i32 {
  const kind = classOf(RESPONSES, INNER_TYPE);
  if (kind == 0 || areModelsFull()) return GIVE_UP;
  if (kind == MESSAGE) return takeMessage(time);
  // Opening a page found is not billed, searching is.
  if (kind == SEARCH_CALL && (kindOf(ACTION_TYPE) == 0 || numberAt(ACTION_TYPE) == wordNumber(SEARCH))) seeSearch();
  const copied = goOn(time);
  see(copied, time);
  seeReply();
  switch (kind) {
    case REASONING:
      takePart(isReplyVisible() || isThinking(), copied || inherited, model);
      break;
    case SEARCH_CALL:
    case CALL:
      talked = true;
      takePart(true, copied || inherited, model);
      break;
    case OUTPUT:
      takeToolOutput();
      break;
    default:
      break;
  }
  return MORE;
}

function takeMessage(time: f64): i32 {
  const role = numberAt(ROLE);
  // A compaction's answer is marked there.
  if (kindOf(METADATA) != 0 || role == 0) return GIVE_UP;
  const copied = takeStart(time);
  see(copied, time);
  if (role == wordNumber(ASSISTANT)) {
    seeReply();
    talked = true;
    takePart(true, copied || inherited, model);
  } else if (role == wordNumber(USER)) hasUserItems = true;
  return MORE;
}

/** A reasoning item without "summary_text" or "reasoning_text" holds encrypted text only. */
function isThinking(): bool {
  const end = <usize>load<u32>(HEADER + 4);
  const quotes = i8x16.splat(34);
  // Both have `_text"` behind nine or seven more letters: looked for by that.
  const lines = i8x16.splat(95);
  for (let p = <usize>load<u32>(HEADER); p < end; p += 16) {
    let found = i8x16.bitmask(v128.and(i8x16.eq(v128.load(p), lines), i8x16.eq(v128.load(p, 5), quotes)));
    for (; found != 0; found &= found - 1) {
      const q = p + <usize>ctz(found);
      if (load<u32>(q + 1) != 0x74786574 || q + 6 > end) continue;
      // `"summary` and `"reasoning`
      if (load<u64>(q - 8) == 0x7972616d6d757322) return true;
      if (load<u64>(q - 10) == 0x696e6f7361657222 && load<u16>(q - 2) == 0x676e) return true;
    }
  }
  return false;
}
