/** What a transcript is billed for, for whoever wants nothing else of it. */
import { nextBilledLine } from "./billed-lines";
import { CONTEXT, REPLY } from "./conversation";
import { begin, FIRST_TIME, hasBegun, LAST_TIME, REPLY_TIME, SEEN } from "./facts";
import {
  ASSISTANT,
  ATTACHMENT,
  BLOCK_NAME,
  COST,
  COST_STATE,
  IS_API_ERROR_MESSAGE,
  IS_SIDECHAIN,
  MESSAGE_ID,
  MODEL,
  QUEUE_OPERATION,
  SEARCH_COUNT,
  SYNTHETIC,
  SYSTEM,
  TIMESTAMP,
  TYPE,
  USAGE,
  USER,
  WEB_SEARCH,
} from "./fields";
import { assistantKind, isReadable, isUnusual, UNKNOWN } from "./record-kind";
import { addUsage } from "./usage";
import { isText, isUnread, kindOf, numberAt, timeAt, wordNumber } from "../json/fields";
import { MORE, nextLine, RECORD } from "../json/line";
import { answered, NUMBER, OBJECT, STRING, TRUE } from "../json/memory";
import { itemCount, itemPlace } from "../json/notes";

/** A web search was called: its result, which says how many there were, may be anywhere behind. */
let hasSearched: bool = false;

export function forgetSearches(): void {
  hasSearched = false;
}

/**
 * For whoever only wants the bill: the next line that JavaScript has to parse. Once the first dated record was met, lines
 * that bill nothing are passed over unseen. What stops it before that tells that the bill cannot be had so.
 */
export function nextOddOfBill(): i32 {
  for (;;) {
    const state = hasBegun() && !hasSearched ? nextBilledLine() : nextLine();
    if (state != RECORD || !(hasBegun() ? takeOfBill() : takeBeginning())) return answered(state);
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
  begin();
  return type != wordNumber(ASSISTANT) || takeOfBill();
}

/** False when the record has to be parsed. */
function takeOfBill(): bool {
  const type = numberAt(TYPE);
  if (type == 0 || type == wordNumber(COST) || type == wordNumber(COST_STATE) || isOfSearch()) return false;
  if (type != wordNumber(ASSISTANT)) return true;
  const kind = assistantKind();
  if (kind == UNKNOWN || isUnusual() || !isReadable(true)) return false;
  const isSide = kindOf(IS_SIDECHAIN) == TRUE;
  if (!isSide && kind != CONTEXT) store<u32>(SEEN, load<u32>(SEEN) | 1);
  if (kind == REPLY && kindOf(USAGE) == OBJECT) takeBilled(numberAt(MESSAGE_ID), isSide);
  return true;
}

/** The same in a sub-agent's transcript, of which only the bill counts; damage there is passed over. */
export function nextOddOfHelper(): i32 {
  for (;;) {
    const state = hasSearched ? nextLine() : nextBilledLine();
    if (state == MORE || state == 2) return answered(state);
    if (state != RECORD) continue;
    if (isOfSearch()) return answered(state);
    if (numberAt(TYPE) != wordNumber(ASSISTANT)) continue;
    const model = numberAt(MODEL);
    const isBilled =
      kindOf(USAGE) == OBJECT &&
      kindOf(IS_API_ERROR_MESSAGE) != TRUE &&
      isText(MODEL) &&
      model != wordNumber(SYNTHETIC);
    const reply = numberAt(MESSAGE_ID);
    if (isUnusual() || (isBilled && (reply == 0 || !isReadable(true)))) return answered(state);
    if (isBilled) addUsage(reply, true);
  }
  return MORE;
}

/** The call of a web search, or the result that tells how many were made: which reply they are billed with, JavaScript finds out. */
export function isOfSearch(): bool {
  if (kindOf(SEARCH_COUNT) == NUMBER) return true;
  for (let i = 0; i < itemCount(); i++) {
    const place = itemPlace(i, BLOCK_NAME);
    if (load<u32>(place) != STRING || load<u32>(place + 12) != wordNumber(WEB_SEARCH)) continue;
    hasSearched = true;
    return true;
  }
  return false;
}

/** What was billed, and when. */
export function takeBilled(reply: u32, isSide: bool): void {
  addUsage(reply, isSide);
  const time = timeAt(TIMESTAMP);
  if (time == time && !(time <= load<f64>(REPLY_TIME))) store<f64>(REPLY_TIME, time);
}
