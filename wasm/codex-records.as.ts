/**
 * The records of a Codex rollout without parsing them: what billing and counting need of each becomes a row of numbers,
 * records nothing is taken from are only counted, and a line that leaves any doubt is given to JavaScript to be parsed.
 *
 * AssemblyScript; `node scripts/gen-wasm.mjs` compiles it into src/agents/codex/rollout-scan.gen.ts.
 */
import {
  ERROR,
  EVENT_MSG,
  INFO,
  INNER_TYPE,
  ITEM,
  ITEM_COMPLETED,
  ITEM_TYPE,
  LAST_TOKENS,
  MESSAGE,
  METADATA,
  ORDINAL,
  PAYLOAD,
  RESPONSE_ITEM,
  ROLE,
  SESSION_META,
  TASK_COMPLETE,
  THREAD_TOKENS,
  TIMESTAMP,
  TOKEN_COUNT,
  TOKEN_USAGE_RECORD,
  TOTAL_TOKENS,
  TURN_COMPLETE,
  TYPE,
  USAGE_TOKENS,
} from "./codex/fields";
import {
  addRow,
  COUNT,
  EMPTY_COUNT,
  forgetPassed,
  forgetRows,
  isFull,
  MESSAGE_ITEM,
  passOver,
  PLAIN,
  TURN_END,
  USAGE_RECORD,
} from "./codex/rows";
import { isUnread, kindOf, numberAt, timeAt, wordNumber } from "./json/fields";
import { MORE, nextLine, RECORD } from "./json/line";
import { answered, HEADER, NULL, NUMBER, OBJECT } from "./json/memory";

export { packRequests, requestCount } from "./codex/bill";
export { messageCount, modelCount, replied, turnCount } from "./codex/conversation";
export { ancestorAt, ancestorCount, ancestorLengthAt } from "./codex/copies";
export {
  goOnHead,
  noteHeader,
  noteOwnPrompt,
  noteTitle,
  packCounted,
  packHead,
  scanCutHead,
  scanHead,
  titleText,
} from "./codex/head";
export { textEnd, textPool } from "./codex/text-pool";
export {
  beginThread,
  countsSeen,
  endThread,
  hasCopies,
  hasTalked,
  isPromptCopied,
  lastOwnTime,
  latestModel,
  nextBilled,
  nextCounted,
  nextOwn,
  promptCount,
  setClass,
  startPiece,
  startThread,
  userItems,
} from "./codex/thread";
export { lastPassedTime, passedCount, rowCount, rowsAt } from "./codex/rows";
export { setWord } from "./json/fields";
export { forgetIds, idAt, wordOf, wordPlace } from "./json/ids";
export { addPath } from "./json/keys";
export { configure, feed, unread } from "./json/line";
export { packedCount, packedRows, packedTexts, relateKey, relateRows, setPiece, startRows } from "./json/list-rows";
export { allocate } from "./json/memory";
export {
  askedSecond,
  askedWord,
  forgetNumbers,
  setNumber,
  setPair,
  stageAt,
  stagedKeyBytes,
  stagedKeysAt,
  stagedRows,
  startStage,
} from "./json/staged-rows";

const FULL: i32 = 8;

// u8 for each word: 1 an event nothing is taken from, 2 an item of that kind
const IDLE: usize = 12_032;
const MAX_IDLE_WORD: u32 = 4096;
const IDLE_EVENT: u32 = 1;
const IDLE_ITEM: u32 = 2;

let passesOver: bool = false;

/** Nothing is taken from events (1) or items (2) with this word as their type. */
export function setIdle(word: u32, flag: u32): void {
  store<u8>(IDLE + <usize>word, load<u8>(IDLE + <usize>word) | flag);
}

/** Begins a file; `mayPassOver`: idle records need not be told one by one. */
export function start(mayPassOver: bool): void {
  passesOver = mayPassOver;
  forgetPassed();
  forgetRows();
}

/** JavaScript has taken all rows. */
export function takeRowsAway(): void {
  forgetRows();
}

/** JavaScript has taken what was passed over at the end, or before a line it parses. */
export function takePassedAway(): void {
  forgetPassed();
}

/** Goes on to the next line that JavaScript has to parse, until the rows are full. */
export function nextOdd(): i32 {
  for (;;) {
    if (isFull()) return FULL;
    const state = nextLine();
    if (state != RECORD || !takeRecord()) return answered(state);
  }
  return MORE;
}

/** False when the record has to be parsed. */
function takeRecord(): bool {
  const type = numberAt(TYPE);
  const time = timeAt(TIMESTAMP);
  if (type == 0 || type == wordNumber(SESSION_META)) return false;
  if (kindOf(PAYLOAD) != OBJECT || isUnread(TIMESTAMP) || time != time) return false;
  if (kindOf(ORDINAL) != 0 && (kindOf(ORDINAL) != NUMBER || isUnread(ORDINAL))) return false;

  const isEvent = type == wordNumber(EVENT_MSG);
  const isNested = isEvent || type == wordNumber(RESPONSE_ITEM);
  const inner = isNested ? numberAt(INNER_TYPE) : 0;
  if (isNested && inner == 0) return false;
  let item: u32 = 0;
  if (isEvent && inner == wordNumber(ITEM_COMPLETED)) {
    item = numberAt(ITEM_TYPE);
    if (kindOf(ITEM) != OBJECT || item == 0) return false;
  } else if (kindOf(ITEM) != 0) return false;

  if (passesOver && isEvent && (isIdle(inner, IDLE_EVENT) || (item != 0 && isIdle(item, IDLE_ITEM)))) {
    passOver(time);
    return true;
  }
  let kind = countKind(type, inner, isEvent);
  if (kind == UNREADABLE) return false;
  if (!isEvent && inner == wordNumber(MESSAGE)) {
    // A compaction's answer is marked there.
    if (kindOf(METADATA) != 0) return false;
    item = numberAt(ROLE);
    kind = item == 0 ? PLAIN : MESSAGE_ITEM;
  } else if (isEvent && (inner == wordNumber(TASK_COMPLETE) || inner == wordNumber(TURN_COMPLETE))) {
    if (kindOf(ERROR) == 0 || kindOf(ERROR) == NULL) kind = TURN_END;
  }
  addRow(load<u32>(HEADER), load<u32>(HEADER + 4), kind, type, inner, item, time);
  return true;
}

const UNREADABLE: u32 = 255;

function countKind(type: u32, inner: u32, isEvent: bool): u32 {
  if (type == wordNumber(TOKEN_USAGE_RECORD)) {
    return areRead(USAGE_TOKENS, 5) && areRead(THREAD_TOKENS, 4) ? USAGE_RECORD : UNREADABLE;
  }
  if (!isEvent || inner != wordNumber(TOKEN_COUNT)) return PLAIN;
  if (kindOf(INFO) != OBJECT) return EMPTY_COUNT;
  return areRead(LAST_TOKENS, 5) && areRead(TOTAL_TOKENS, 4) ? COUNT : UNREADABLE;
}

/** Numbers of a form that only JavaScript reads are left to it. */
function areRead(first: usize, count: usize): bool {
  for (let field = first; field < first + count; field++) {
    if (kindOf(field) == NUMBER && isUnread(field)) return false;
  }
  return true;
}

function isIdle(word: u32, flag: u32): bool {
  return word <= MAX_IDLE_WORD && (load<u8>(IDLE + <usize>word) & flag) != 0;
}
