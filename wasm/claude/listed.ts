/** What a list shows of a transcript, from its ends or after it was counted, and its row as it is printed. */
import { messageCount, turnCount } from "./conversation";
import {
  FIRST_CWD,
  FIRST_PROMPT,
  FIRST_REPLY,
  FIRST_TIME,
  FIRST_UUID,
  hasBegun,
  hasPrompt,
  LAST_AI_TITLE,
  LAST_BRANCH,
  LAST_CUSTOM_TITLE,
  LAST_TIME,
  LAST_VERSION,
  MODEL_COUNT,
  MODELS,
  MORE_END,
  REPLY_COUNT,
  SEEN,
  STARTED,
} from "./facts";
import { isListed, replyRecords, startList, takeRecord } from "./records";
import { usageTexts } from "./usage";
import { lastLineEnd, lineEnd } from "../json/breaks";
import { forgetIds } from "../json/ids";
import { feed, MORE, nextLine, RECORD } from "../json/line";
import * as row from "../json/list-rows";
import { allocate, answered, at } from "../json/memory";
import { TITLE_CUT, titleOf } from "../json/title";

// What a list shows, in texts of its own: lengths of the title, the first record's id and the first reply's.
const LISTED: usize = MORE_END;
const LISTED_TITLE: usize = LISTED; // i32 as titleOf gives it
const LISTED_UUID: usize = LISTED + 4; // u32
const LISTED_REPLY: usize = LISTED + 8; // u32
const LISTED_MODEL: usize = LISTED + 12; // u32 word, of most replies
const LONGEST_LISTED: u32 = 256;

let listed: usize = 0;
/** What its title is made of. */
let listedTitle: usize = 0;
let listedTitleEnd: usize = 0;

/**
 * All that a list shows of a transcript, from its first and its last lines; `whole`: there are no others. False when
 * JavaScript has to parse some of them, or to look for the first prompt or the last date elsewhere: then nothing of it holds.
 */
export function scanEnds(head: usize, headEnd: usize, tail: usize, tailEnd: usize, whole: bool): bool {
  forgetIds(512);
  startList();
  if (whole) return takeLines(head, headEnd) && tellListed(false);
  if (!takeBeginning(head, headEnd) || !hasPrompt()) return false;
  const mark = lastModel(tail, tailEnd);
  const last = mark == 0 ? tail : lastLineEnd(tail, mark);
  if (!takeTitles(tail, last)) return false;
  const time = load<u64>(LAST_TIME);
  const replies = replyRecords();
  if (!takeLines(last, tailEnd)) return false;
  // What was taken for the last reply may be none, or no reply may have looked like one.
  if (replyRecords() - replies != (mark == 0 ? 0 : 1)) return false;
  // A last date may not be in what was read: then it has to be looked for.
  return load<u64>(LAST_TIME) != time && tellListed(true);
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
  return answered(state);
}

/** The same after 2, with a title as JSON writes it. */
export function packTitled(id: usize, idLength: u32, title: usize, titleLength: u32): i32 {
  const state: i32 = packListed(id, idLength, title, titleLength) ? 1 : 0;
  return answered(state);
}

/** The row of a transcript that was counted, of which nothing was parsed; answers as `packEnds` does. */
export function packCounted(id: usize, idLength: u32): i32 {
  let state: i32 = 0;
  if (tellListed(false)) {
    if (load<i32>(LISTED_TITLE) < 0 && !row.makeWideTitle(listedTitle, listedTitleEnd)) state = 2;
    else if (packListed(id, idLength, 0, 0)) state = 1;
  }
  return answered(state);
}

/** Where they lie, one behind the other. */
export function listedTexts(): usize {
  return listed;
}

/** `isPart`: there are records that were not looked at; then the model is that of the last reply that was, else the most used one. */
function tellListed(isPart: bool): bool {
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
    if (!isPart && load<u32>(model + 4) < most) continue;
    most = load<u32>(model + 4);
    store<u32>(LISTED_MODEL, load<u32>(model));
  }
  return true;
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
  if (isListed()) row.put(row.COUNTS);
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
  if (isListed()) row.put(row.PARTIAL);
  return row.endRow(created, updated, started);
}

/** Whole lines, until they have told all that only the first ones tell. False when one of them has to be parsed. */
function takeBeginning(from: usize, to: usize): bool {
  if (from >= to) return true;
  feed(from, to - 1, true);
  while (!hasBegun() || !hasPrompt() || load<u32>(FIRST_CWD) == 0 || load<u32>(REPLY_COUNT) == 0) {
    const state = nextLine();
    if (state == MORE) return true;
    if (state != RECORD || !takeRecord()) return false;
  }
  return true;
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

/** Where the last model is named, other than `<synthetic>`: in the last reply, mostly. 0 when none is. */
function lastModel(from: usize, to: usize): usize {
  const quotes = i8x16.splat(34);
  const m = i8x16.splat(109);
  let p = to;
  while (p > from) {
    while (p >= from + 64 && !hasPair(p - 64, quotes, m)) p -= 64;
    p = p > from + 16 ? p - 16 : from;
    for (let bits = <u32>i8x16.bitmask(pairsAt(p, quotes, m)); bits != 0; ) {
      const last: u32 = 31 - clz(bits);
      const mark = p + <usize>last;
      // `"model":"`
      if (mark + 9 < to && load<u64>(mark) == 0x3a226c65646f6d22 && at(mark + 8) == 34 && at(mark + 9) != 60) return mark;
      bits ^= (<u32>1) << last;
    }
  }
  return 0;
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
