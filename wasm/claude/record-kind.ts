/** What a record is in a conversation, and whether all of it can be judged here. */
import { CONTEXT, ERROR, PROMPT, REPLY, RESULT, SUMMARY } from "./conversation";
import {
  AGENT_ID,
  BLOCK_TYPE,
  CACHE_READ,
  CACHE_WRITE,
  CACHE_WRITE_1H,
  CACHE_WRITE_5M,
  CONTENT,
  COST_USD,
  CWD,
  FORKED_FROM,
  GIT_BRANCH,
  INFERENCE_GEO,
  INPUT_TOKENS,
  IS_API_ERROR_MESSAGE,
  IS_COMPACT_SUMMARY,
  IS_META,
  MESSAGE_ID,
  MODEL,
  OUTPUT_TOKENS,
  SPEED,
  SYNTHETIC,
  THINKING_TOKENS,
  TIMESTAMP,
  TOOL_RESULT,
  USAGE,
  VERSION,
  WEB_SEARCHES,
} from "./fields";
import { isUnnumbered, isUnread, kindOf, numberAt, placeOf, wordNumber } from "../json/fields";
import { at, NUMBER, OBJECT, STRING, TRUE } from "../json/memory";
import { hasUnread, itemCount, itemPlace } from "../json/notes";

/** JavaScript has to parse it. */
export const UNKNOWN: u32 = 255;

export function assistantKind(): u32 {
  if (kindOf(IS_API_ERROR_MESSAGE) == TRUE) return ERROR;
  const model = numberAt(MODEL);
  if (model == 0) return UNKNOWN;
  if (model == wordNumber(SYNTHETIC)) return CONTEXT;
  return numberAt(MESSAGE_ID) == 0 ? UNKNOWN : REPLY;
}

export function userKind(): u32 {
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

/** Rare fields that change the meaning of others. */
export function isUnusual(): bool {
  return kindOf(FORKED_FROM) != 0 || kindOf(COST_USD) != 0;
}

/** Every value that is needed was read; `withUsage`: those of the usage, too. */
export function isReadable(withUsage: bool): bool {
  if (kindOf(TIMESTAMP) == NUMBER) return false;
  if (!hasUnread()) return true;
  if (isUnread(TIMESTAMP)) return false;
  if (isUnnumbered(CWD) || isUnnumbered(GIT_BRANCH) || isUnnumbered(VERSION)) return false;
  if (isUnnumbered(AGENT_ID) || isUnnumbered(MODEL)) return false;
  if (!withUsage || kindOf(USAGE) != OBJECT) return true;
  if (isUnreadNumber(INPUT_TOKENS) || isUnreadNumber(OUTPUT_TOKENS)) return false;
  if (isUnreadNumber(CACHE_READ) || isUnreadNumber(CACHE_WRITE)) return false;
  if (isUnreadNumber(CACHE_WRITE_5M) || isUnreadNumber(CACHE_WRITE_1H)) return false;
  if (isUnreadNumber(THINKING_TOKENS) || isUnreadNumber(WEB_SEARCHES)) return false;
  return !isUnnumbered(SPEED) && !isUnnumbered(INFERENCE_GEO);
}

// @ts-ignore: decorator
@inline
function isUnreadNumber(field: usize): bool {
  return kindOf(field) == NUMBER && isUnread(field);
}
