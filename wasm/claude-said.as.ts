/**
 * Whether a record of Claude Code's is a prompt, a tool's output or part of a reply, and what it says. What `quickMessage` in
 * src/agents/claude/quick-message.ts and `buildReply` make of it, without parsing it.
 *
 * AssemblyScript; `node scripts/gen-wasm.mjs` compiles it into src/agents/claude/said.gen.ts.
 */
import { at, isText, key, plain, stands, value } from "./said/json";
import { saidStart, takeCall, takeInput, takeSaid, takeThought, takeTime } from "./said/parts";

export { forget, setWord, shown } from "./said/parts";

const NO: i32 = 0;
const PROMPT: i32 = 1;
const OUTPUT: i32 = 2;
const REPLY: i32 = 3;

const USER: i32 = 1;
const ASSISTANT: i32 = 2;

/** What the record at hand is about; 0 for what is not known of it yet. */
let author: i32 = 0;
let content: i32 = 0;
let isDated = false;
/** Whether its time is that of the message. */
let isFirst = false;

/** The record on a line. `end`: of the bytes. */
export function take(line: usize, end: usize, isFirstOne: bool): i32 {
  author = content = NO;
  isDated = false;
  isFirst = isFirstOne;
  if (at(line) != 123) return NO;
  let p = line;
  do {
    const name = p + 2;
    p = key(p + 1);
    if (p == 0) return NO;
    p = member(name, p - 2, p);
    if (p == 0) return NO;
  } while (at(p) == 44);
  if (at(p) != 125 || (p + 1 < end && at(p + 1) != 10)) return NO;
  if (author == ASSISTANT) return content == REPLY ? REPLY : NO;
  if (author == NO || content == REPLY) return NO;
  return content != PROMPT || isPlain(saidStart()) ? content : NO;
}

function member(name: usize, nameEnd: usize, p: usize): usize {
  if (isText(name, nameEnd, "type")) {
    if (author != NO) return 0;
    author = stands(p, '"user"') ? USER : stands(p, '"assistant"') ? ASSISTANT : NO;
    return author == NO ? 0 : author == USER ? p + 6 : p + 11;
  }
  if (isText(name, nameEnd, "timestamp")) {
    const end = at(p) == 34 && !isDated ? plain(p + 1) : 0;
    if (end == 0) return 0;
    isDated = true;
    if (isFirst) takeTime(p + 1, end);
    return end + 1;
  }
  if (isText(name, nameEnd, "message")) return message(p);
  // With these it is something else, or more.
  const isNote =
    isText(name, nameEnd, "isMeta") ||
    isText(name, nameEnd, "isCompactSummary") ||
    isText(name, nameEnd, "isApiErrorMessage") ||
    isText(name, nameEnd, "attachment");
  return isNote ? 0 : value(p, 1);
}

function message(p: usize): usize {
  if (at(p) != 123 || content != NO) return 0;
  do {
    const name = p + 2;
    p = key(p + 1);
    if (p == 0) return 0;
    if (isText(name, p - 2, "content")) p = at(p) == 91 ? blocks(p) : prompt(p);
    else if (isText(name, p - 2, "model") && at(p) == 34) p = model(p);
    else p = value(p, 2);
    if (p == 0) return 0;
  } while (at(p) == 44);
  return at(p) == 125 ? p + 1 : 0;
}

function prompt(p: usize): usize {
  if (content != NO) return 0;
  content = PROMPT;
  return takeSaid(p);
}

/** What the program makes up is no reply. */
function model(p: usize): usize {
  const end = plain(p + 1);
  return end == 0 || isText(p + 1, end, "<synthetic>") ? 0 : end + 1;
}

/** Those of a reply, or the only one of a list. */
function blocks(p: usize): usize {
  if (content != NO) return 0;
  do {
    // Outputs are messages by themselves.
    if (content == OUTPUT || at(p + 1) != 123) return 0;
    p = block(p + 1);
    if (p == 0) return 0;
  } while (at(p) == 44);
  return at(p) == 93 ? p + 1 : 0;
}

/** Its keys may be in any order, and the last one counts of those that are the same. */
function block(p: usize): usize {
  let type: usize = 0;
  let id: usize = 0;
  let name: usize = 0;
  let input: usize = 0;
  let text: usize = 0;
  let thinking: usize = 0;
  let output: usize = 0;
  do {
    const start = p + 2;
    p = key(p + 1);
    if (p == 0) return 0;
    const end = p - 2;
    if (isText(start, end, "type")) type = p;
    else if (isText(start, end, "text")) text = p;
    else if (isText(start, end, "thinking")) thinking = p;
    else if (isText(start, end, "name")) name = p;
    else if (isText(start, end, "input")) input = p;
    else if (isText(start, end, "content")) output = p;
    else if (isText(start, end, "tool_use_id")) id = p;
    p = value(p, 3);
    if (p == 0) return 0;
  } while (at(p) == 44);
  if (at(p) != 125) return 0;
  if (stands(type, '"tool_result"')) {
    const isOnly = content == NO && at(id) == 34 && at(id + 1) != 34;
    content = OUTPUT;
    return isOnly && takeSaid(output) != 0 ? p + 1 : 0;
  }
  content = REPLY;
  if (stands(type, '"text"')) return takeSaid(text) == 0 ? 0 : p + 1;
  if (stands(type, '"thinking"')) return takeThought(thinking) == 0 ? 0 : p + 1;
  const isCall = stands(type, '"tool_use"') && takeCall(name) && (input == 0 || takeInput(input, 0) != 0);
  return isCall ? p + 1 : 0;
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
