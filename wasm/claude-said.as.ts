/**
 * Whether a record of Claude Code's is a prompt or a tool's output, and one text. What `quickMessage` in
 * src/agents/claude/quick-message.ts makes of it, without parsing it.
 *
 * AssemblyScript; `node scripts/gen-wasm.mjs` compiles it into src/agents/claude/said.gen.ts.
 */
import { at, isText, key, plain, quoted, stands, value } from "./said/json";
import { forget, hasText, hasTime, takeText, takeTime, textStart } from "./said/text";

const NO: i32 = 0;
const PROMPT: i32 = 1;
const OUTPUT: i32 = 2;

let isUser = false;
let isOutput = false;

/** The record on a line. `end`: of the bytes. */
export function said(line: usize, end: usize): i32 {
  forget();
  isUser = isOutput = false;
  if (at(line) != 123) return NO;
  let p = line;
  do {
    const name = p + 2;
    p = key(p + 1);
    if (p == 0) return NO;
    p = member(name, p - 2, p);
    if (p == 0) return NO;
  } while (at(p) == 44);
  if (at(p) != 125 || (p + 1 < end && at(p + 1) != 10) || !isUser || !hasText()) return NO;
  if (isOutput) return OUTPUT;
  return isPlain(textStart()) ? PROMPT : NO;
}

function member(name: usize, nameEnd: usize, p: usize): usize {
  if (isText(name, nameEnd, "type")) {
    isUser = stands(p, '"user"');
    return isUser ? p + 6 : 0;
  }
  if (isText(name, nameEnd, "timestamp")) {
    const end = at(p) == 34 && !hasTime() ? plain(p + 1) : 0;
    if (end == 0) return 0;
    takeTime(p + 1, end);
    return end + 1;
  }
  if (isText(name, nameEnd, "message")) return message(p);
  // With these it is something else, or more.
  const isNote =
    isText(name, nameEnd, "isMeta") ||
    isText(name, nameEnd, "isCompactSummary") ||
    isText(name, nameEnd, "attachment");
  return isNote ? 0 : value(p, 1);
}

function message(p: usize): usize {
  if (at(p) != 123 || hasText()) return 0;
  do {
    const name = p + 2;
    p = key(p + 1);
    if (p == 0) return 0;
    if (isText(name, p - 2, "content")) p = at(p) == 91 ? output(p + 1) : takeText(p);
    else p = value(p, 2);
    if (p == 0) return 0;
  } while (at(p) == 44);
  return at(p) == 125 ? p + 1 : 0;
}

/** The only block of a list. */
function output(p: usize): usize {
  let isResult = false;
  let hasId = false;
  if (at(p) != 123 || hasText()) return 0;
  do {
    const name = p + 2;
    p = key(p + 1);
    if (p == 0) return 0;
    if (isText(name, p - 2, "type")) {
      isResult = stands(p, '"tool_result"');
      p = isResult ? p + 13 : 0;
    } else if (isText(name, p - 2, "tool_use_id")) {
      hasId = at(p) == 34 && at(p + 1) != 34;
      p = hasId ? quoted(p) : 0;
    } else if (isText(name, p - 2, "content")) p = takeText(p);
    else p = value(p, 3);
    if (p == 0) return 0;
  } while (at(p) == 44);
  isOutput = isResult && hasId && hasText();
  return isOutput && at(p) == 125 && at(p + 1) == 93 ? p + 2 : 0;
}

/** Whether a prompt begins as what the program puts in does not: with a tag, a caveat, or in brackets. */
function isPlain(p: usize): bool {
  const start = p;
  for (;;) {
    if (at(p) == 32) p++;
    else if (at(p) == 92 && (at(p + 1) == 110 || at(p + 1) == 116 || at(p + 1) == 114)) p += 2;
    else break;
  }
  const byte = at(p);
  // Other blanks may be escapes, or outside of ASCII; and with nothing else it is none.
  if (byte == 34 || byte == 60 || byte == 92 || byte >= 128) return false;
  return p > start || (byte != 91 && !stands(p, "Caveat:"));
}
