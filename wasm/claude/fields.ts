/** The fields of a Claude Code record, and words that occur in them, by the numbers JavaScript gave to them. */
import { KINDS, NUMBER, NUMBERS, PLACES, STRING } from "../json/memory";

const NODES: usize = 11_840; // u8 for each field
const WORDS: usize = 11_904; // u32 for each word

// In the order of FIELDS in src/agents/claude/record-scan.ts.
export const TYPE: usize = 0;
export const TIMESTAMP: usize = 1;
export const UUID: usize = 2;
export const PARENT_UUID: usize = 3;
export const LOGICAL_PARENT_UUID: usize = 4;
export const IS_SIDECHAIN: usize = 5;
export const IS_META: usize = 6;
export const IS_COMPACT_SUMMARY: usize = 7;
export const IS_API_ERROR_MESSAGE: usize = 8;
export const IS_ABORTED_MID_STREAM: usize = 9;
export const CWD: usize = 10;
export const GIT_BRANCH: usize = 11;
export const VERSION: usize = 12;
export const REQUEST_ID: usize = 13;
export const AGENT_ID: usize = 14;
export const FORKED_FROM: usize = 15;
export const COST_USD: usize = 16;
export const EXPLICIT: usize = 17;
export const ATTACHMENT_TYPE: usize = 18;
export const MESSAGE_ID: usize = 19;
export const MODEL: usize = 20;
export const STOP_REASON: usize = 21;
export const CONTENT: usize = 22;
export const USAGE: usize = 23;
export const INPUT_TOKENS: usize = 24;
export const OUTPUT_TOKENS: usize = 25;
export const CACHE_READ: usize = 26;
export const CACHE_WRITE: usize = 27;
export const CACHE_WRITE_5M: usize = 28;
export const CACHE_WRITE_1H: usize = 29;
export const THINKING_TOKENS: usize = 30;
export const WEB_SEARCHES: usize = 31;
export const SPEED: usize = 32;
export const INFERENCE_GEO: usize = 33;

// Fields of the items of a message's content.
export const BLOCK_TYPE: i32 = 0;
export const BLOCK_ID: i32 = 1;
export const BLOCK_TOOL_USE_ID: i32 = 2;

// In the order of WORDS there.
export const USER: usize = 0;
export const ASSISTANT: usize = 1;
export const SYSTEM: usize = 2;
export const ATTACHMENT: usize = 3;
export const LAST_PROMPT: usize = 4;
export const QUEUED_COMMAND: usize = 5;
export const SYNTHETIC: usize = 6;
export const TOOL_RESULT: usize = 7;
export const TOOL_USE: usize = 8;
export const SERVER_TOOL_USE: usize = 9;
export const MCP_TOOL_USE: usize = 10;

export function setField(field: usize, node: u32): void {
  store<u8>(NODES + field, node);
}

export function setWord(word: usize, number: u32): void {
  store<u32>(WORDS + (word << 2), number);
}

// @ts-ignore: decorator
@inline
export function wordNumber(word: usize): u32 {
  return load<u32>(WORDS + (word << 2));
}

// @ts-ignore: decorator
@inline
export function nodeOf(field: usize): usize {
  return load<u8>(NODES + field);
}

// @ts-ignore: decorator
@inline
export function kindOf(field: usize): u32 {
  return load<u8>(KINDS + nodeOf(field));
}

// @ts-ignore: decorator
@inline
export function placeOf(field: usize): usize {
  return PLACES + (nodeOf(field) << 4);
}

/** A string that is not empty. */
export function isText(field: usize): bool {
  const place = placeOf(field);
  return kindOf(field) == STRING && load<u32>(place) < load<u32>(place + 4);
}

/** The number of an id or a word; 0 when there is none. */
export function numberAt(field: usize): u32 {
  return isText(field) ? load<u32>(placeOf(field) + 8) : 0;
}

/** A word for which there was no number any more. */
export function isUnnumbered(field: usize): bool {
  return isText(field) && load<u32>(placeOf(field) + 8) == 0;
}

/** A number or a date in a form that only JavaScript reads. */
export function isUnread(field: usize): bool {
  const kind = kindOf(field);
  return (kind == NUMBER || kind == STRING) && load<u32>(placeOf(field) + 12) == 0;
}

/** More tokens than this in one request is a broken record. */
const MAX_TOKENS: f64 = 1e12;

export function tokensAt(field: usize): f64 {
  if (kindOf(field) != NUMBER) return 0;
  const count = load<f64>(NUMBERS + (nodeOf(field) << 3));
  return count > 0 && count <= MAX_TOKENS ? count : 0;
}

/** Milliseconds; NaN when there is no date, or one outside 2000 to 2100. */
export function timeAt(field: usize): f64 {
  if (kindOf(field) != STRING) return NaN;
  const ms = load<f64>(NUMBERS + (nodeOf(field) << 3));
  return ms >= 946_684_800_000 && ms < 4_102_444_800_000 ? ms : NaN;
}
