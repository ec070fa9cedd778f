/**
 * What a list shows of a thread, from the first and the last lines of its file: its header, the first prompt of its own, and
 * when it was last written to. JavaScript's side is src/agents/codex/quick-head.ts.
 */
import { isText, isUnnumbered, isUnread, kindOf, numberAt, placeOf, timeAt, wordNumber } from "../json/fields";
import { lastLineEnd, lineEnd } from "../json/breaks";
import { wordOf } from "../json/ids";
import { feed } from "../json/line";
import * as row from "../json/list-rows";
import { allocate, answered, at, MOVED, NULL, STRING } from "../json/memory";
import { itemCount, itemPlace } from "../json/notes";
import { isPlain } from "../json/text";
import { cutOf, TITLE_CUT, titleOf } from "../json/title";
import { timeOf } from "../json/time";
import { messageCount, mostUsedModel, replied, turnCount } from "./conversation";
import { ancestorAt, ancestorCount, ancestorLengthAt, MAX_ANCESTORS, uuidTime } from "./copies";
import {
  CLI_VERSION,
  FORKED_FROM,
  GIT_BRANCH,
  HEADER_CWD,
  HEADER_ID,
  HEADER_TIME,
  HISTORY_BASE,
  ITEM_TEXT,
  ITEM_TEXT_TYPE,
  PARENT_THREAD,
  PROMPT_TEXT,
  SPAWNED_BY,
  SUBAGENT,
  TEXT,
} from "./fields";
import { addBytes, textEnd, textPool } from "./text-pool";
import {
  beginThread,
  countsSeen,
  endThread,
  FILE_HEADER,
  hasCopies,
  isPromptCopied,
  lastOwnTime,
  latestModel,
  nextCounted,
  PROMPT,
  startPiece,
  startThread,
} from "./thread";

/** What `scanHead` and `goOnHead` answer. */
const GIVE_UP: i32 = 0;
const DONE: i32 = 1;
/** The first prompt is not among the first lines. */
const LATER: i32 = 2;
/** JavaScript has to look at the header, and at the prompt. */
const ODD_HEADER: i32 = 3;
const ODD_PROMPT: i32 = 4;
/** The file begins with copies. */
const COPIES: i32 = 5;

// The same numbers are in quick-head.ts.
const FACTS: usize = 11_720;
const CREATED: usize = FACTS; // f64, NaN for none
const UPDATED: usize = FACTS + 8; // f64
const CWD: usize = FACTS + 16; // u32 word
const VERSION: usize = FACTS + 20; // u32 word
const BRANCH: usize = FACTS + 24; // u32 word
const TAIL_MODEL: usize = FACTS + 28; // u32 word
const ID: usize = FACTS + 32; // u32 start in the texts, u32 length
const FORKED: usize = FACTS + 40; // u32 start in the texts, u32 length
const TITLE: usize = FACTS + 48; // u32 start in the texts, u32 length
const PARENT: usize = FACTS + 64; // u32 start in the texts, u32 length
const TITLE_LENGTH: usize = FACTS + 56; // i32 as titleOf gives it; negative: it is among the texts

let tailStart: usize = 0;
let tailClose: usize = 0;
let isWhole: bool = false;

/** `whole`: the head is all of the file. */
export function scanHead(head: usize, headEnd: usize, tail: usize, tailEnd: usize, whole: bool): i32 {
  if (head == headEnd) return whole ? GIVE_UP : LATER;
  tailStart = tail;
  tailClose = tailEnd;
  isWhole = whole;
  for (let p = FACTS; p < FACTS + 72; p += 8) store<u64>(p, 0);
  const end = at(headEnd - 1) == 10 ? headEnd - 1 : headEnd;
  store<u8>(end, 10);
  feed(head + (at(head) == 0xef && at(head + 1) == 0xbb && at(head + 2) == 0xbf ? 3 : 0), end, true);
  startThread(true);
  startPiece(false, false, Infinity);
  if (next() != FILE_HEADER) return GIVE_UP;
  if (!takeHeaderFacts()) return ODD_HEADER;
  begin();
  return goOnHead();
}

/** With the header of the line. */
function begin(): void {
  const id = placeOf(HEADER_ID);
  const start = <usize>load<u32>(id);
  let started = uuidTime(start, load<u32>(id + 4) - <u32>start);
  if (started != started) started = load<f64>(CREATED);
  beginThread(started == started ? started : 0, kindOf(FORKED_FROM) > NULL || kindOf(SUBAGENT) > NULL);
}

/**
 * For whoever counts all of a thread: takes the header it was stopped at. False when JavaScript has to. `isFirst`: of the thread's
 * files; what was asked in earlier ones may be its title. `continues`: the file is built on those.
 */
export function noteHeader(isFirst: bool, continues: bool): bool {
  for (let p = FACTS; p < TITLE; p += 8) store<u64>(p, 0);
  store<u64>(PARENT, 0);
  if (isFirst) {
    store<u64>(TITLE, 0);
    store<u64>(TITLE_LENGTH, 0);
    hasTitle = false;
  }
  if (kindOf(HISTORY_BASE) > NULL != continues || !takeHeaderFacts()) return false;
  begin();
  return true;
}

/** The same with a prompt it was stopped at: the first one, then the first of its own. */
export function noteTitle(): bool {
  hasTitle = takeTitle();
  return hasTitle;
}

/** With the first prompt of its own that a thread was stopped at behind copies, and with what its last lines told. False when JavaScript has to. */
export function noteOwnPrompt(updated: f64, tailModel: u32): bool {
  if (!takeTitle()) return false;
  isWhole = false;
  store<f64>(UPDATED, updated);
  store<u32>(TAIL_MODEL, tailModel);
  noteOrigin();
  return true;
}

/** Where the header names none, it is the nearest thread whose header was copied into the file. */
function noteOrigin(): void {
  if (load<u32>(FORKED + 4) != 0 || ancestorCount() == 0) return;
  store<u32>(FORKED, ancestorAt(0));
  store<u32>(FORKED + 4, ancestorLengthAt(0));
}

let hasTitle: bool = false;
let isCounted: bool = false;

/** The row of a thread that was counted with these; answers as `packHead` does. */
export function packCounted(id: usize, idLength: u32, title: usize, titleLength: u32, isArchived: bool): i32 {
  if (!hasTitle || ancestorCount() > <u32>MAX_ANCESTORS || (replied() && !countsSeen())) return 0;
  noteOrigin();
  store<f64>(UPDATED, lastOwnTime());
  isCounted = true;
  const state = packHead(id, idLength, title, titleLength, isArchived);
  isCounted = false;
  return state;
}

/** The same with first and last bytes as they were cut. */
export function scanCutHead(head: usize, headEnd: usize, tail: usize, tailEnd: usize, whole: bool): i32 {
  if (whole) return scanHead(head, headEnd, tail, tailEnd, true);
  return scanHead(head, lastLineEnd(head, headEnd), lineEnd(tail, tailEnd), tailEnd, false);
}

/** From the header on, which was taken. */
export function goOnHead(): i32 {
  const state = next();
  if (state != PROMPT) return state == 0 && !isWhole ? LATER : GIVE_UP;
  if (hasCopies() || isPromptCopied()) return isWhole || !takeTail() ? GIVE_UP : COPIES;
  const isOdd = !takeTitle();
  if (isWhole) {
    // JavaScript has to see the line as it lies there.
    if (isOdd) return GIVE_UP;
    if (next() != 0) return GIVE_UP;
    endThread();
    if (messageCount() == 0) return GIVE_UP;
    store<f64>(UPDATED, lastOwnTime());
    return DONE;
  }
  if (!takeTail()) return GIVE_UP;
  return isOdd ? ODD_PROMPT : DONE;
}

function next(): i32 {
  return nextCounted() & ~MOVED;
}

/**
 * The row of a list, after `scanHead` is done; `title`: as JSON writes it, where JavaScript had to make it. 0 when JavaScript
 * has to make the row, 1 when it is done, 2 when JavaScript has to make the title; with MOVED when memory has grown.
 */
export function packHead(id: usize, idLength: u32, title: usize, titleLength: u32, isArchived: bool): i32 {
  let state: i32 = 2;
  const text = textPool() + <usize>load<u32>(TITLE);
  if (title != 0 || load<i32>(TITLE_LENGTH) >= 0 || row.makeWideTitle(text, text + <usize>load<u32>(TITLE + 4)))
    state = packFacts(id, idLength, title, titleLength, isArchived) ? 1 : 0;
  return answered(state);
}

function packFacts(id: usize, idLength: u32, title: usize, titleLength: u32, isArchived: bool): bool {
  const updated = load<f64>(UPDATED);
  if (!(updated >= 946_684_800_000 && updated < 4_102_444_800_000)) return false;
  const started = load<f64>(CREATED);
  const created = started == started ? started : updated;
  const made = load<i32>(TITLE_LENGTH);
  let model = isWhole || isCounted ? mostUsedModel() : load<u32>(TAIL_MODEL);
  if (model == 0) model = latestModel();
  row.beginRow();
  row.put(row.AGENT_AND_ID);
  row.putPlain(id, idLength);
  row.put(row.UNIFIED_ID);
  row.putPlain(id, idLength);
  row.put(row.TITLE);
  if (made < 0 && title == 0) row.putWideTitle();
  else if (made < 0) row.putJson(title, titleLength);
  else row.putTitle(titles, <usize>(made & 0xff), (<u32>made & TITLE_CUT) != 0);
  row.put(row.CREATED_AT);
  row.putTime(created);
  row.put(row.UPDATED_AT);
  row.putTime(updated);
  if (isCounted) {
    row.putCount(row.TURN_COUNT, turnCount());
    row.putCount(row.MESSAGE_COUNT, messageCount());
    row.put(row.TAGS);
  } else row.put(row.COUNTS);
  row.putWord(row.MODEL, model);
  row.putWord(row.CWD, load<u32>(CWD));
  if (!isSameText(FORKED, PARENT))
    row.putId(row.FORKED_FROM, textPool() + <usize>load<u32>(FORKED), load<u32>(FORKED + 4));
  row.putId(row.PARENT_ID, textPool() + <usize>load<u32>(PARENT), load<u32>(PARENT + 4));
  row.putWord(row.BRANCH, load<u32>(BRANCH));
  row.putWord(row.AGENT_VERSION, load<u32>(VERSION));
  if (isArchived) row.put(row.ARCHIVED);
  if (!isCounted) row.put(row.PARTIAL);
  return row.endRow(created, updated, started);
}

function isSameText(a: usize, b: usize): bool {
  const length = load<u32>(a + 4);
  if (length != load<u32>(b + 4)) return false;
  const first = textPool() + <usize>load<u32>(a);
  const second = textPool() + <usize>load<u32>(b);
  for (let i: usize = 0; i < <usize>length; i++) if (at(first + i) != at(second + i)) return false;
  return true;
}

/** False when JavaScript has to look at it: it says more than most, or says it otherwise. */
function takeHeaderFacts(): bool {
  store<f64>(CREATED, NaN);
  if (!isText(HEADER_CWD) || isUnnumbered(HEADER_CWD)) return false;
  for (let field = HEADER_ID; field <= PARENT_THREAD; field++)
    if (kindOf(field) > NULL && kindOf(field) != STRING) return false;
  if (isUnnumbered(CLI_VERSION) || isUnnumbered(GIT_BRANCH) || isUnread(HEADER_TIME)) return false;
  store<f64>(CREATED, timeAt(HEADER_TIME));
  store<u32>(CWD, numberAt(HEADER_CWD));
  store<u32>(VERSION, numberAt(CLI_VERSION));
  store<u32>(BRANCH, numberAt(GIT_BRANCH));
  const parent = isText(PARENT_THREAD) ? PARENT_THREAD : SPAWNED_BY;
  return keepPlain(ID, HEADER_ID) && keepPlain(FORKED, FORKED_FROM) && keepPlain(PARENT, parent);
}

/** Notes where the texts have a string of the line; false when it is not a plain one. */
function keepPlain(fact: usize, field: usize): bool {
  if (!isText(field)) return true;
  const start = <usize>load<u32>(placeOf(field));
  const close = <usize>load<u32>(placeOf(field) + 4);
  if (!isPlain(start, close)) return false;
  keep(fact, start, close);
  return true;
}

function keep(fact: usize, start: usize, close: usize): void {
  store<u32>(fact, textEnd());
  store<u32>(fact + 4, <u32>(close - start));
  addBytes(start, <u32>(close - start));
}

/** The beginning of the prompt the line is; false when JavaScript has to look at it. */
function takeTitle(): bool {
  let start: usize;
  let close: usize;
  if (kindOf(PROMPT_TEXT) == STRING) {
    start = <usize>load<u32>(placeOf(PROMPT_TEXT));
    close = <usize>load<u32>(placeOf(PROMPT_TEXT) + 4);
  } else {
    if (kindOf(PROMPT_TEXT) != 0 || itemCount() != 1) return false;
    const text = itemPlace(0, ITEM_TEXT);
    if (load<u32>(text) != STRING || load<u32>(itemPlace(0, ITEM_TEXT_TYPE) + 12) != wordNumber(TEXT)) return false;
    start = <usize>load<u32>(text + 4);
    close = <usize>load<u32>(text + 8);
  }
  // `# Contex`: what editors put before the request.
  if (start == close || load<u64>(start) == 0x7865746e6f432023) return false;
  if (titles == 0) titles = allocate(104);
  const length = titleOf(start, close, titles);
  store<i32>(TITLE_LENGTH, length);
  if (length >= 0) return true;
  const end = cutOf(start, close);
  if (end == 0) return false;
  keep(TITLE, start, end);
  return true;
}

let titles: usize = 0;

/** Where the title lies, if it is of plain letters. */
export function titleText(): usize {
  return titles;
}

/** The date of the last whole line, and the model of the last turn that is told there. */
function takeTail(): bool {
  let close = tailClose;
  while (close > tailStart && at(close - 1) != 10) close--;
  if (close == tailStart) return false;
  let begin = --close;
  while (begin > tailStart && at(begin - 1) != 10) begin--;
  // `{"timestamp":"`
  if (load<u64>(begin) != 0x7473656d6974227b || load<u64>(begin + 6) != 0x223a22706d617473) return false;
  if (begin + 39 > close || at(begin + 38) != 34) return false;
  const time = timeOf(begin + 14, 24);
  if (time < 946_684_800_000 || time >= 4_102_444_800_000) return false;
  store<f64>(UPDATED, <f64>time);
  takeTailModel();
  return true;
}

function takeTailModel(): void {
  const context = lastContext();
  if (context == 0) return;
  for (let p = context; p + 9 < tailClose && at(p) != 10; p++) {
    // `"model":"`
    if (load<u64>(p) != 0x3a226c65646f6d22 || at(p + 8) != 34) continue;
    let close = p + 9;
    while (close < tailClose && at(close) != 34 && at(close) != 92) close++;
    if (at(close) == 34 && close > p + 9) store<u32>(TAIL_MODEL, wordOf(p + 9, close - p - 9));
    return;
  }
}

/** In the last `"type":"turn_context"`; 0 when there is none. */
function lastContext(): usize {
  const low = i8x16.splat(95);
  const c = i8x16.splat(99);
  let last: usize = 0;
  for (let p = tailStart; p < tailClose; p += 16) {
    const found = v128.and(i8x16.eq(v128.load(p), low), i8x16.eq(v128.load(p, 1), c));
    if (!v128.any_true(found)) continue;
    for (let bits = <u32>i8x16.bitmask(found); bits != 0; bits &= bits - 1) {
      const q = p + <usize>ctz(bits);
      if (q < tailStart + 12 || q + 9 > tailClose) continue;
      if (load<u64>(q - 12) != 0x223a226570797422 || load<u64>(q - 4) != 0x6e6f635f6e727574) continue;
      if ((load<u64>(q + 4) & 0xff_ffff_ffff) == 0x22_7478_6574) last = q;
    }
  }
  return last;
}
