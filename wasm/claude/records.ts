/** The records of a transcript, one after the other: what each adds to the conversation, the bill, and what is known of it. */
import { forgetSearches, isOfSearch, takeBilled } from "./bill";
import { addCall, addRecord, addResult, CONTEXT, forgetRecords, PROMPT, REPLY, RESULT } from "./conversation";
import {
  begin,
  FIRST_UUID,
  forgetFacts,
  goOnWith,
  hasBegun,
  hasPrompt,
  hasRoomFor,
  keepId,
  keepPrompt,
  keepText,
  LAST_AI_TITLE,
  LAST_CUSTOM_TITLE,
  lengthOf,
  promptEnd,
  SEEN,
  STARTED,
  takeFacts,
  takeReply,
} from "./facts";
import {
  AGENT_NAME,
  AI_TITLE,
  AI_TITLE_RECORD,
  ASSISTANT,
  ATTACHMENT,
  ATTACHMENT_TYPE,
  BLOCK_ID,
  BLOCK_TOOL_USE_ID,
  BLOCK_TYPE,
  CUSTOM_TITLE,
  CUSTOM_TITLE_RECORD,
  EXPLICIT,
  IS_SIDECHAIN,
  LAST_PROMPT,
  LOGICAL_PARENT_UUID,
  MCP_TOOL_USE,
  MESSAGE_ID,
  MODEL,
  PARENT_UUID,
  QUEUE_OPERATION,
  QUEUED_COMMAND,
  SERVER_TOOL_USE,
  SUBTYPE,
  SYSTEM,
  TIMESTAMP,
  TOOL_USE,
  TYPE,
  USAGE,
  USER,
  UUID,
} from "./fields";
import { assistantKind, isReadable, isUnusual, UNKNOWN, userKind } from "./record-kind";
import { forgetUsage } from "./usage";
import { isText, isUnnumbered, isUnread, kindOf, nodeOf, numberAt, timeAt, wordNumber } from "../json/fields";
import { MORE, nextLine, RECORD } from "../json/line";
import { answered, NUMBER, OBJECT, STRING, TRUE } from "../json/memory";
import { itemCount, itemPlace, numberIds } from "../json/notes";

/** A record of the chain had a date. */
let isDated: bool = false;
let needsIds: bool = false;
let lastReply: u32 = 0;
/** Of the main line, since the module was made. */
let replies: u32 = 0;
/** Nothing is counted, nor billed. */
let isList: bool = false;

/** Begins a session. */
export function start(): void {
  numberIds(0);
  forgetSession();
}

function forgetSession(): void {
  isList = false;
  forgetSearches();
  forgetRecords();
  forgetUsage();
  lastReply = 0;
  forgetFacts();
}

/** Begins one that is only billed: its records need not be told apart, but its replies must. */
export function startBill(): void {
  numberIds(<u32>nodeOf(MESSAGE_ID));
  forgetSession();
}

/** Begins one of which only a row in a list is wanted. */
export function startList(): void {
  numberIds(<u32>nodeOf(MESSAGE_ID));
  forgetSession();
  goOn(false, false, false, false, 0);
  isList = true;
}

export function isListed(): bool {
  return isList;
}

/** Records of replies that were taken so far, whatever session they are of. */
export function replyRecords(): u32 {
  return replies;
}

/** JavaScript has taken all facts, and parsed a line: where it stands now. */
export function goOn(begun: bool, prompt: bool, dated: bool, ids: bool, reply: u32): void {
  goOnWith(begun, prompt);
  isDated = dated;
  needsIds = ids;
  lastReply = reply;
  forgetFacts();
}

/** The next line of a transcript that JavaScript has to parse. */
export function nextOdd(): i32 {
  for (;;) {
    const state = nextLine();
    if (state != RECORD || !takeRecord()) return answered(state);
  }
  return MORE;
}

/** False when the record has to be parsed. */
export function takeRecord(): bool {
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
  if (kind == UNKNOWN || isUnusual() || !isReadable(!isList)) return false;
  // Only a fork of a compacted session can begin with the boundary.
  if (!hasBegun() && kindOf(SUBTYPE) != 0) return false;
  if (!isList && isOfSearch()) return false;
  if (kind == PROMPT && !hasPrompt() && promptEnd() == 0) return false;
  const isSide = kindOf(IS_SIDECHAIN) == TRUE;
  const reply = kind == REPLY ? numberAt(MESSAGE_ID) : 0;
  const model = numberAt(MODEL);
  if (!isSide && ((needsIds && isText(UUID) && lengthOf(UUID) > 64) || (reply != 0 && !hasRoomFor(model))))
    return false;

  if (takeFacts()) isDated = true;
  if (!isSide) {
    if (!hasBegun() && isText(UUID)) {
      keepText(FIRST_UUID, UUID);
      begin();
    }
    if (kind == PROMPT && !hasPrompt()) keepPrompt();
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

function takeMainLine(kind: u32, reply: u32, model: u32): void {
  if (needsIds && isText(UUID)) keepId();
  if (kind != CONTEXT) store<u32>(SEEN, load<u32>(SEEN) | 1);
  if (kind != REPLY) return;
  replies++;
  if (reply == lastReply) return;
  lastReply = reply;
  takeReply(model);
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
