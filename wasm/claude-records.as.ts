/**
 * Counts and bills the records of a Claude Code transcript where they lie. JavaScript (src/agents/claude/tally.ts) gets
 * only the lines that must be parsed; what was found in the others it takes before each of those, and in the end.
 *
 * AssemblyScript; `node scripts/gen-wasm.mjs` compiles it into src/agents/claude/record-scan.gen.ts.
 */
import {
  CONTEXT,
  addCall,
  addRecord,
  addResult,
  ERROR,
  forgetRecords,
  messageCount,
  PROMPT,
  REPLY,
  RESULT,
  SUMMARY,
  turnCount,
} from "./claude/conversation";
import {
  AGENT_ID,
  AGENT_NAME,
  AI_TITLE,
  AI_TITLE_RECORD,
  ASSISTANT,
  ATTACHMENT,
  ATTACHMENT_TYPE,
  BLOCK_ID,
  BLOCK_NAME,
  BLOCK_TOOL_USE_ID,
  BLOCK_TYPE,
  CACHE_READ,
  CONTENT,
  COST,
  COST_STATE,
  COST_USD,
  CUSTOM_TITLE,
  CUSTOM_TITLE_RECORD,
  CWD,
  EXPLICIT,
  FORKED_FROM,
  GIT_BRANCH,
  INPUT_TOKENS,
  IS_API_ERROR_MESSAGE,
  IS_COMPACT_SUMMARY,
  IS_META,
  IS_SIDECHAIN,
  LAST_PROMPT,
  LOGICAL_PARENT_UUID,
  MCP_TOOL_USE,
  MESSAGE_ID,
  MODEL,
  PARENT_UUID,
  QUEUED_COMMAND,
  QUEUE_OPERATION,
  SEARCH_COUNT,
  SERVER_TOOL_USE,
  SPEED,
  SUBTYPE,
  SYNTHETIC,
  SYSTEM,
  TIMESTAMP,
  TOOL_RESULT,
  TOOL_USE,
  TYPE,
  USAGE,
  USER,
  UUID,
  VERSION,
  WEB_SEARCH,
  WEB_SEARCHES,
} from "./claude/fields";
import { lastLineEnd, lineEnd } from "./json/breaks";
import { forgetIds } from "./json/ids";
import * as row from "./json/list-rows";
import { isText, isUnnumbered, isUnread, kindOf, nodeOf, numberAt, placeOf, timeAt, wordNumber } from "./json/fields";
import { nextBilledLine } from "./claude/billed-lines";
import { addBytes, addText, addUsage, forgetUsage, usageTextLength, usageTexts } from "./claude/usage";
import { feed, MORE, nextLine, RECORD } from "./json/line";
import { allocate, at, hasGrown, NUMBER, OBJECT, STRING, TRUE } from "./json/memory";
import { itemCount, itemPlace, numberIds } from "./json/notes";
import { cutOf, TITLE_CUT, titleOf } from "./json/title";

export { addCall, addRecord, addResult, goOnFrom, messageCount, turnCount } from "./claude/conversation";
export { setField, setWord } from "./json/fields";
export {
  packUsage,
  parsedUsage,
  usageIndex,
  usageCount,
  usageEntries,
  usageTextLength,
  usageTexts,
} from "./claude/usage";
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

const MOVED: i32 = 4;

// What JavaScript has to know of the records since it last asked; the same numbers are in record-scan.ts.
const FACTS: usize = 12_032;
const FIRST_TIME: usize = FACTS; // f64, NaN for none
const LAST_TIME: usize = FACTS + 8; // f64, NaN for none
const REPLY_TIME: usize = FACTS + 16; // f64, of what was billed; NaN for none
const FIRST_CWD: usize = FACTS + 24; // u32 word
const LAST_BRANCH: usize = FACTS + 28; // u32 word
const LAST_VERSION: usize = FACTS + 32; // u32 word
const SEEN: usize = FACTS + 36; // u32: 1 conversation, 2 a note
const ID_COUNT: usize = FACTS + 40; // u32: ids of the main line's records
const REPLY_COUNT: usize = FACTS + 44; // u32: changes of the reply
const FIRST_REPLY: usize = FACTS + 48; // u32 start in the texts, u32 length
const LAST_REPLY: usize = FACTS + 56; // u32 start in the texts, u32 length
const MODEL_COUNT: usize = FACTS + 64; // u32; then for each u32 word, u32 replies, in the order of their last use
const MODELS: usize = FACTS + 72;
const MAX_MODELS: u32 = 15;
// What comes first in a transcript, and what it is called: places in the texts, u32 start and u32 length (0: not met).
const MORE_FACTS: usize = 11_744;
const STARTED: usize = MORE_FACTS; // f64, when the file itself was begun; NaN for none
const FIRST_UUID: usize = MORE_FACTS + 8;
const FIRST_PROMPT: usize = MORE_FACTS + 16;
const LAST_AI_TITLE: usize = MORE_FACTS + 24;
const LAST_CUSTOM_TITLE: usize = MORE_FACTS + 32;
const MORE_END: usize = MORE_FACTS + 40;
// What a list shows, in texts of its own: lengths of the title, the first record's id and the first reply's.
const LISTED: usize = MORE_FACTS + 40;
const LISTED_TITLE: usize = LISTED; // i32 as titleOf gives it
const LISTED_UUID: usize = LISTED + 4; // u32
const LISTED_REPLY: usize = LISTED + 8; // u32
const LISTED_MODEL: usize = LISTED + 12; // u32 word, of most replies
const LONGEST_LISTED: u32 = 256;
const IDS: usize = 12_288; // 64 slots of 64 bytes
const ID_LENGTHS: usize = 12_224; // u8 for each slot

/** Set by JavaScript, which parses what comes before. */
let hasBegun: bool = false;
let hasPrompt: bool = false;
/** A record of the chain had a date. */
let isDated: bool = false;
let needsIds: bool = false;
let lastReply: u32 = 0;
/** Nothing is counted, nor billed. */
let isList: bool = false;
/** A web search was called: its result, which says how many there were, may be anywhere behind. */
let hasSearched: bool = false;

/** Begins a session. */
export function start(): void {
  numberIds(0);
  isList = false;
  hasSearched = false;
  forgetRecords();
  forgetUsage();
  lastReply = 0;
  forgetFacts();
}

/** Begins one that is only billed: its records need not be told apart, but its replies must. */
export function startBill(): void {
  start();
  numberIds(<u32>nodeOf(MESSAGE_ID));
}

/** JavaScript has taken all facts, and parsed a line: where it stands now. */
export function goOn(begun: bool, prompt: bool, dated: bool, ids: bool, reply: u32): void {
  hasBegun = begun;
  hasPrompt = prompt;
  isDated = dated;
  needsIds = ids;
  lastReply = reply;
  forgetFacts();
}

function forgetFacts(): void {
  store<f64>(FIRST_TIME, NaN);
  store<f64>(LAST_TIME, NaN);
  store<f64>(REPLY_TIME, NaN);
  for (let p = FIRST_CWD; p < MODELS; p += 4) store<u32>(p, 0);
  store<f64>(STARTED, NaN);
  for (let p = FIRST_UUID; p < MORE_END; p += 8) store<u64>(p, 0);
}

/** The next line of a transcript that JavaScript has to parse. */
export function nextOdd(): i32 {
  for (;;) {
    const state = nextLine();
    if (state != RECORD || !takeRecord()) return hasGrown() ? state | MOVED : state;
  }
  return MORE;
}

/** The first prompt and the first reply are mostly among the first records. */
const FIRST_BYTES: usize = 4096;
/** For the rest the very last records suffice, if they are not very long. */
const LAST_BYTES: usize = 4096;

/**
 * All that a list shows of a transcript, from its first and its last lines; `whole`: there are no others. False when
 * JavaScript has to parse some of them, or to look for the first prompt or the last date elsewhere: then nothing of it holds.
 */
export function scanEnds(head: usize, headEnd: usize, tail: usize, tailEnd: usize, whole: bool): bool {
  start();
  forgetIds(512);
  goOn(false, false, false, false, 0);
  isList = true;
  const first = whole ? headEnd : lineEnd(min(head + FIRST_BYTES, headEnd), headEnd);
  if (!takeLines(head, first)) return false;
  const knowsBeginning = hasBegun && hasPrompt && load<u32>(FIRST_CWD) != 0 && load<u32>(REPLY_COUNT) > 0;
  if (!knowsBeginning && !takeLines(first, headEnd)) return false;
  if (whole) return tellListed();
  if (!hasPrompt) return false;
  const last = lineEnd(max(tail, tailEnd > LAST_BYTES ? tailEnd - LAST_BYTES : 0), tailEnd);
  if (!takeTitles(tail, last)) return false;
  const time = load<u64>(LAST_TIME);
  if (!takeLines(last, tailEnd)) return false;
  // Lines of 50 KB are normal: then there may be no whole one in so few bytes.
  if (load<u64>(LAST_TIME) == time && !takeLines(tail, last)) return false;
  // Or none in all that was read: then it has to be looked for.
  return load<u64>(LAST_TIME) != time && tellListed();
}

let listed: usize = 0;
/** What its title is made of. */
let listedTitle: usize = 0;
let listedTitleEnd: usize = 0;

/** Where they lie, one behind the other. */
export function listedTexts(): usize {
  return listed;
}

function tellListed(): bool {
  if (listed == 0) listed = allocate(104 + 2 * <usize>LONGEST_LISTED);
  const isNamed = load<u32>(LAST_CUSTOM_TITLE + 4) > 0;
  const title = isNamed ? LAST_CUSTOM_TITLE : load<u32>(LAST_AI_TITLE + 4) > 0 ? LAST_AI_TITLE : FIRST_PROMPT;
  listedTitle = usageTexts() + <usize>load<u32>(title);
  listedTitleEnd = listedTitle + <usize>load<u32>(title + 4);
  const length = titleOf(listedTitle, listedTitleEnd, listed);
  store<i32>(LISTED_TITLE, length);
  let end = listed + (length < 0 ? 0 : <usize>(length & 0xff));
  const uuid = load<u32>(FIRST_UUID + 4);
  const reply = load<u32>(REPLY_COUNT) > 0 ? load<u32>(FIRST_REPLY + 4) : 0;
  if (uuid > LONGEST_LISTED || reply > LONGEST_LISTED) return false;
  memory.copy(end, usageTexts() + <usize>load<u32>(FIRST_UUID), <usize>uuid);
  end += <usize>uuid;
  memory.copy(end, usageTexts() + <usize>load<u32>(FIRST_REPLY), <usize>reply);
  // Their bytes are taken for characters.
  for (let p = end - <usize>uuid; p < end + <usize>reply; p++) if (at(p) >= 127 || at(p) == 92) return false;
  store<u32>(LISTED_UUID, uuid);
  store<u32>(LISTED_REPLY, reply);
  let most: u32 = 0;
  store<u32>(LISTED_MODEL, 0);
  for (let i: u32 = 0; i < load<u32>(MODEL_COUNT); i++) {
    const model = MODELS + ((<usize>i) << 3);
    if (load<u32>(model + 4) < most) continue;
    most = load<u32>(model + 4);
    store<u32>(LISTED_MODEL, load<u32>(model));
  }
  return true;
}

/**
 * The row of a list, from the first and the last bytes of a transcript, as they were cut. 0 when JavaScript has to make the row, 1 when it is done, 2 when
 * JavaScript has to make the title; with MOVED when memory has grown.
 */
export function packEnds(
  head: usize,
  headEnd: usize,
  tail: usize,
  tailEnd: usize,
  whole: bool,
  id: usize,
  idLength: u32,
): i32 {
  let state: i32 = 0;
  const lines = whole ? headEnd : lastLineEnd(head, headEnd);
  if (scanEnds(head, lines, whole ? tail : lineEnd(tail, tailEnd), tailEnd, whole)) {
    if (load<i32>(LISTED_TITLE) < 0 && !row.makeWideTitle(listedTitle, listedTitleEnd)) state = 2;
    else if (packListed(id, idLength, 0, 0)) state = 1;
  }
  return hasGrown() ? state | MOVED : state;
}

/** The same after 2, with a title as JSON writes it. */
export function packTitled(id: usize, idLength: u32, title: usize, titleLength: u32): i32 {
  const state: i32 = packListed(id, idLength, title, titleLength) ? 1 : 0;
  return hasGrown() ? state | MOVED : state;
}

/** The row of a transcript that was counted, of which nothing was parsed; answers as `packEnds` does. */
export function packCounted(id: usize, idLength: u32): i32 {
  let state: i32 = 0;
  if (tellListed()) {
    if (load<i32>(LISTED_TITLE) < 0 && !row.makeWideTitle(listedTitle, listedTitleEnd)) state = 2;
    else if (packListed(id, idLength, 0, 0)) state = 1;
  }
  return hasGrown() ? state | MOVED : state;
}

function packListed(id: usize, idLength: u32, given: usize, givenLength: u32): bool {
  const updated = load<f64>(LAST_TIME);
  const started = load<f64>(STARTED);
  const created = started == started ? started : load<f64>(FIRST_TIME);
  if ((load<u32>(SEEN) & 1) == 0 || updated != updated || created != created) return false;
  const title = load<i32>(LISTED_TITLE);
  const titleLength = title < 0 ? 0 : <usize>(title & 0xff);
  const uuid = load<u32>(LISTED_UUID);
  row.beginRow();
  row.putKeys(listed + titleLength, uuid, listed + titleLength + <usize>uuid, load<u32>(LISTED_REPLY));
  row.put(row.AGENT_AND_ID);
  row.putPlain(id, idLength);
  row.put(row.UNIFIED_ID);
  row.putPlain(id, idLength);
  row.put(row.TITLE);
  if (title < 0 && given == 0) row.putWideTitle();
  else if (title < 0) row.putJson(given, givenLength);
  else row.putTitle(listed, titleLength, (<u32>title & TITLE_CUT) != 0);
  row.put(row.CREATED_AT);
  row.putTime(created);
  row.put(row.UPDATED_AT);
  row.putTime(updated);
  if (isList) row.put(row.COUNTS);
  else {
    const messages = messageCount();
    row.putCount(row.TURN_COUNT, turnCount());
    row.putCount(row.MESSAGE_COUNT, messages);
    row.put(row.TAGS);
  }
  row.putWord(row.MODEL, load<u32>(LISTED_MODEL));
  row.putWord(row.CWD, load<u32>(FIRST_CWD));
  row.putWord(row.BRANCH, load<u32>(LAST_BRANCH));
  row.putWord(row.AGENT_VERSION, load<u32>(LAST_VERSION));
  if (isList) row.put(row.PARTIAL);
  return row.endRow(created, updated, started);
}

/** Whole lines, save the last one of a file. False when one has to be parsed. */
function takeLines(from: usize, to: usize): bool {
  if (from >= to) return true;
  // A line feed ends them: their own, or one behind the last bytes that were read.
  const end = at(to - 1) == 10 ? to - 1 : to;
  if (end == to) store<u8>(to, 10);
  feed(from, end, true);
  for (;;) {
    const state = nextLine();
    if (state == MORE) return true;
    if (state != RECORD || !takeRecord()) return false;
  }
  return true;
}

// As it lies in memory: `-title"`, in the type of every record that names its session.
const TITLE_MARK: u64 = 0x22_65_6c_74_69_74_2d;
const TITLE_BITS: u64 = 0xff_ff_ff_ff_ff_ff_ff;

/** Of lines that are otherwise not looked at, those that say what the session is called. */
function takeTitles(from: usize, to: usize): bool {
  const dashes = i8x16.splat(45);
  const t = i8x16.splat(116);
  for (let p = from; p < to; p += 16) {
    // Of 64 bytes, whether there is one; then where.
    while (p < to && !hasPair(p, dashes, t)) p += 64;
    const found = pairsAt(p, dashes, t);
    if (!v128.any_true(found)) continue;
    for (let bits = <u32>i8x16.bitmask(found); bits != 0; bits &= bits - 1) {
      const mark = p + <usize>ctz(bits);
      if (mark >= to || (load<u64>(mark) & TITLE_BITS) != TITLE_MARK) continue;
      let begin = mark;
      while (begin > from && at(begin - 1) != 10) begin--;
      const end = lineEnd(mark, to);
      if (!takeLines(begin, end)) return false;
      // On with what follows that line.
      p = end - 16;
      break;
    }
  }
  return true;
}

// @ts-ignore: decorator
@inline
function hasPair(p: usize, first: v128, second: v128): bool {
  const found = v128.or(pairsAt(p, first, second), pairsAt(p + 16, first, second));
  const found2 = v128.or(pairsAt(p + 32, first, second), pairsAt(p + 48, first, second));
  return v128.any_true(v128.or(found, found2));
}

// @ts-ignore: decorator
@inline
function pairsAt(p: usize, first: v128, second: v128): v128 {
  return v128.and(i8x16.eq(v128.load(p), first), i8x16.eq(v128.load(p, 1), second));
}

/** The same in a sub-agent's transcript, of which only the bill counts; damage there is passed over. */
export function nextOddOfHelper(): i32 {
  for (;;) {
    const state = hasSearched ? nextLine() : nextBilledLine();
    if (state == MORE || state == 2) return hasGrown() ? state | MOVED : state;
    if (state != RECORD) continue;
    if (isOfSearch()) return hasGrown() ? state | MOVED : state;
    if (numberAt(TYPE) != wordNumber(ASSISTANT)) continue;
    const model = numberAt(MODEL);
    const isBilled =
      kindOf(USAGE) == OBJECT &&
      kindOf(IS_API_ERROR_MESSAGE) != TRUE &&
      isText(MODEL) &&
      model != wordNumber(SYNTHETIC);
    const reply = numberAt(MESSAGE_ID);
    if (isUnusual() || (isBilled && (reply == 0 || !isReadable()))) return hasGrown() ? state | MOVED : state;
    if (isBilled) addUsage(reply, true);
  }
  return MORE;
}

/** The call of a web search, or the result that tells how many were made: which reply they are billed with, JavaScript finds out. */
function isOfSearch(): bool {
  if (kindOf(SEARCH_COUNT) == NUMBER) return true;
  for (let i = 0; i < itemCount(); i++) {
    const place = itemPlace(i, BLOCK_NAME);
    if (load<u32>(place) != STRING || load<u32>(place + 12) != wordNumber(WEB_SEARCH)) continue;
    hasSearched = true;
    return true;
  }
  return false;
}

/** Rare fields that change the meaning of others. */
function isUnusual(): bool {
  return kindOf(FORKED_FROM) != 0 || kindOf(COST_USD) != 0;
}

/** Every value that is needed was read. */
function isReadable(): bool {
  if (kindOf(TIMESTAMP) == NUMBER || isUnread(TIMESTAMP)) return false;
  for (let field = CWD; field <= VERSION; field++) if (isUnnumbered(field)) return false;
  if (isUnnumbered(AGENT_ID) || isUnnumbered(MODEL)) return false;
  if (kindOf(USAGE) != OBJECT) return true;
  for (let field = INPUT_TOKENS; field <= WEB_SEARCHES; field++) {
    if (kindOf(field) == NUMBER && isUnread(field)) return false;
  }
  return !isUnnumbered(SPEED) && !isUnnumbered(SPEED + 1);
}

/** What was billed, and when. */
function takeBilled(reply: u32, isSide: bool): void {
  addUsage(reply, isSide);
  const time = timeAt(TIMESTAMP);
  if (time == time && !(time <= load<f64>(REPLY_TIME))) store<f64>(REPLY_TIME, time);
}

/**
 * For whoever only wants the bill: the next line that JavaScript has to parse. Once the first dated record was met, lines
 * that bill nothing are passed over unseen. What stops it before that tells that the bill cannot be had so.
 */
export function nextOddOfBill(): i32 {
  for (;;) {
    const state = hasBegun && !hasSearched ? nextBilledLine() : nextLine();
    if (state != RECORD || !(hasBegun ? takeOfBill() : takeBeginning())) return hasGrown() ? state | MOVED : state;
  }
  return MORE;
}

/** FIRST_TIME: of the first record of the chain; LAST_TIME: when the file itself was begun, if it says so before that. */
function takeBeginning(): bool {
  const type = numberAt(TYPE);
  if (type == 0 || kindOf(TIMESTAMP) == NUMBER || isUnread(TIMESTAMP) || isUnusual()) return false;
  const isChain =
    type == wordNumber(USER) ||
    type == wordNumber(ASSISTANT) ||
    type == wordNumber(SYSTEM) ||
    type == wordNumber(ATTACHMENT);
  const time = timeAt(TIMESTAMP);
  if (!isChain) {
    if (type == wordNumber(COST) || type == wordNumber(COST_STATE)) return false;
    const started = load<f64>(LAST_TIME);
    if (type == wordNumber(QUEUE_OPERATION) && time == time && started != started) store<f64>(LAST_TIME, time);
    return true;
  }
  if (time != time) return false;
  store<f64>(FIRST_TIME, time);
  hasBegun = true;
  return type != wordNumber(ASSISTANT) || takeOfBill();
}

/** False when the record has to be parsed. */
function takeOfBill(): bool {
  const type = numberAt(TYPE);
  if (type == 0 || type == wordNumber(COST) || type == wordNumber(COST_STATE) || isOfSearch()) return false;
  if (type != wordNumber(ASSISTANT)) return true;
  const kind = assistantKind();
  if (kind == UNKNOWN || isUnusual() || !isReadable()) return false;
  const isSide = kindOf(IS_SIDECHAIN) == TRUE;
  if (!isSide && kind != CONTEXT) store<u32>(SEEN, load<u32>(SEEN) | 1);
  if (kind == REPLY && kindOf(USAGE) == OBJECT) takeBilled(numberAt(MESSAGE_ID), isSide);
  return true;
}

const UNKNOWN: u32 = 255;

/** False when the record has to be parsed. */
function takeRecord(): bool {
  const type = numberAt(TYPE);
  if (type == 0) return false;
  const isAssistant = type == wordNumber(ASSISTANT);
  let kind = UNKNOWN;
  if (isAssistant) kind = assistantKind();
  else if (type == wordNumber(USER)) kind = userKind();
  else if (type == wordNumber(SYSTEM)) kind = CONTEXT;
  else if (type == wordNumber(ATTACHMENT)) {
    kind = numberAt(ATTACHMENT_TYPE) == wordNumber(QUEUED_COMMAND) || isUnnumbered(ATTACHMENT_TYPE) ? UNKNOWN : CONTEXT;
  } else return takeNote(type);
  if (kind == UNKNOWN || isUnusual() || !isReadable()) return false;
  // Only a fork of a compacted session can begin with the boundary.
  if (!hasBegun && kindOf(SUBTYPE) != 0) return false;
  if (!isList && isOfSearch()) return false;
  if (kind == PROMPT && !hasPrompt && promptEnd() == 0) return false;
  const isSide = kindOf(IS_SIDECHAIN) == TRUE;
  const reply = kind == REPLY ? numberAt(MESSAGE_ID) : 0;
  const model = numberAt(MODEL);
  if (!isSide && ((needsIds && isText(UUID) && lengthOf(UUID) > 64) || (reply != 0 && !hasRoomFor(model))))
    return false;

  takeFacts();
  if (!isSide) {
    if (!hasBegun && isText(UUID)) {
      keepText(FIRST_UUID, UUID);
      hasBegun = true;
    }
    if (kind == PROMPT && !hasPrompt) keepPrompt();
    takeMainLine(kind, reply, model);
  }
  if (isList) return true;
  if (reply != 0 && kindOf(USAGE) == OBJECT) takeBilled(reply, isSide);
  if (kind == RESULT) takeResults();
  else if (kind == REPLY) takeCalls();
  const parent = numberAt(PARENT_UUID);
  addRecord(kind, numberAt(UUID), parent != 0 ? parent : numberAt(LOGICAL_PARENT_UUID), isSide, reply);
  return true;
}

/** Where the conversation stands, with nothing chosen; what it is called; when the file was begun. */
function takeNote(type: u32): bool {
  if (isUnusual() || kindOf(TIMESTAMP) == NUMBER || isUnread(TIMESTAMP)) return false;
  if (type == wordNumber(LAST_PROMPT)) {
    if (kindOf(EXPLICIT) == TRUE) return false;
  } else if (type == wordNumber(AI_TITLE_RECORD)) keepText(LAST_AI_TITLE, AI_TITLE);
  else if (type == wordNumber(CUSTOM_TITLE_RECORD)) keepText(LAST_CUSTOM_TITLE, CUSTOM_TITLE);
  else if (type == wordNumber(QUEUE_OPERATION)) {
    const time = timeAt(TIMESTAMP);
    const started = load<f64>(STARTED);
    if (time == time && started != started && !isDated) store<f64>(STARTED, time);
  } else if (type != wordNumber(AGENT_NAME)) return false;
  store<u32>(SEEN, load<u32>(SEEN) | 2);
  return true;
}

/** Notes where the texts have a string of the line; nothing when there is none. */
function keepText(fact: usize, field: usize): void {
  if (!isText(field)) return;
  store<u32>(fact, usageTextLength());
  store<u32>(fact + 4, addText(field));
}

function promptEnd(): usize {
  return cutOf(<usize>load<u32>(placeOf(CONTENT)), <usize>load<u32>(placeOf(CONTENT) + 4));
}

function keepPrompt(): void {
  const start = <usize>load<u32>(placeOf(CONTENT));
  store<u32>(FIRST_PROMPT, usageTextLength());
  store<u32>(FIRST_PROMPT + 4, addBytes(start, <u32>(promptEnd() - start)));
  hasPrompt = true;
}

function assistantKind(): u32 {
  if (kindOf(IS_API_ERROR_MESSAGE) == TRUE) return ERROR;
  const model = numberAt(MODEL);
  if (model == 0) return UNKNOWN;
  if (model == wordNumber(SYNTHETIC)) return CONTEXT;
  return numberAt(MESSAGE_ID) == 0 ? UNKNOWN : REPLY;
}

function userKind(): u32 {
  for (let i = 0; i < itemCount(); i++) {
    const place = itemPlace(i, BLOCK_TYPE);
    if (load<u32>(place) != STRING) continue;
    if (load<u32>(place + 12) == wordNumber(TOOL_RESULT)) return RESULT;
    if (load<u32>(place + 12) == 0) return UNKNOWN;
  }
  if (kindOf(IS_COMPACT_SUMMARY) == TRUE) return SUMMARY;
  if (kindOf(IS_META) == TRUE) return CONTEXT;
  if (kindOf(CONTENT) != STRING) return UNKNOWN;
  // What was not typed by a person begins with a tag, a bracket or "Caveat:"; those are looked at more closely.
  let p = <usize>load<u32>(placeOf(CONTENT));
  const close = <usize>load<u32>(placeOf(CONTENT) + 4);
  while (p < close && at(p) == 32) p++;
  const c = at(p);
  if (p == close || c == 60 || c == 91 || c == 67) return UNKNOWN;
  // `\u001b`: pasted from a terminal.
  if (c == 92) return load<u32>(p + 1) == 0x3130_3075 && (at(p + 5) | 32) == 98 ? PROMPT : UNKNOWN;
  // Blanks beyond ASCII begin with one of these.
  return c == 0xc2 || (c >= 0xe1 && c <= 0xe3) || c == 0xef ? UNKNOWN : PROMPT;
}

function takeFacts(): void {
  const time = timeAt(TIMESTAMP);
  if (time == time) {
    isDated = true;
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
}

function takeMainLine(kind: u32, reply: u32, model: u32): void {
  if (needsIds && isText(UUID)) keepId();
  if (kind != CONTEXT) store<u32>(SEEN, load<u32>(SEEN) | 1);
  if (kind != REPLY || reply == lastReply) return;
  lastReply = reply;
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

function keepId(): void {
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

function lengthOf(field: usize): u32 {
  return load<u32>(placeOf(field) + 4) - load<u32>(placeOf(field));
}

function modelIndex(model: u32): u32 {
  const count = load<u32>(MODEL_COUNT);
  for (let i: u32 = 0; i < count; i++) if (load<u32>(MODELS + ((<usize>i) << 3)) == model) return i;
  return count;
}

function hasRoomFor(model: u32): bool {
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

function takeResults(): void {
  for (let i = 0; i < itemCount(); i++) {
    const id = itemText(i, BLOCK_TOOL_USE_ID);
    if (id != 0) addResult(id);
  }
}

function takeCalls(): void {
  for (let i = 0; i < itemCount(); i++) {
    const type = load<u32>(itemPlace(i, BLOCK_TYPE) + 12);
    if (type != wordNumber(TOOL_USE) && type != wordNumber(SERVER_TOOL_USE) && type != wordNumber(MCP_TOOL_USE))
      continue;
    const id = itemText(i, BLOCK_ID);
    if (id != 0) addCall(id);
  }
}

/** The number of an item's id; 0 when it has none, or an empty one. */
function itemText(item: i32, field: i32): u32 {
  const place = itemPlace(item, field);
  return load<u32>(place) == STRING && load<u32>(place + 4) < load<u32>(place + 8) ? load<u32>(place + 12) : 0;
}
