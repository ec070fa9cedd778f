/** The edits of one session, in order, from its messages. */
import { normalize } from "node:path";
import type { SessionReader } from "../../agents/adapter.ts";
import type { SessionMessage, SessionToolCall } from "../../core/session.ts";
import { asArray, asObject } from "../../lib/json/fields.ts";
import { optional } from "../../lib/values/optional.ts";
import { editTexts, type EditText } from "./edit-text.ts";

/** An edit, and the message that asked for it. */
export interface SessionEdit extends EditText {
  at?: number;
  /** Undefined if it is outside of the conversation's main line. */
  messageIndex?: number;
  toolCallId: string;
  subagent?: string;
  /** Copied from the session this one was forked from. */
  inherited: boolean;
}

/** A call counts once its result says that it succeeded: a refused call has none. */
export function* editsIn(reader: Pick<SessionReader, "messages" | "subagents" | "aside">): Generator<SessionEdit> {
  const indexOfCall = new Map<string, number>();
  const known = new KnownText();
  yield* transcriptEdits(reader.messages(), known, (index, call) => {
    indexOfCall.set(call.toolCallId, index);
    return { messageIndex: index };
  });
  for (const { id, toolCallId, messages } of reader.subagents?.() ?? []) {
    const started = optional("messageIndex", indexOfCall.get(toolCallId ?? ""));
    yield* transcriptEdits(messages, new KnownText(), () => ({ ...started, subagent: id }));
  }
  const aside = reader.aside?.();
  if (aside !== undefined && aside.count > 0) yield* transcriptEdits(aside.messages(), known, () => ({}));
}

type Where = Pick<SessionEdit, "messageIndex" | "subagent">;
type WaitingCall = Where & { texts: EditText[]; input: unknown; at: number | undefined; inherited: boolean };

function* transcriptEdits(
  messages: Iterable<SessionMessage>,
  known: KnownText,
  where: (index: number, call: SessionToolCall) => Where,
): Generator<SessionEdit> {
  const waiting = new Map<string, WaitingCall>();
  let index = 0;
  let lastAt: number | undefined;
  for (const { role, toolCalls = [], toolResult, timestamp, inherited = false, content } of messages) {
    const at = timestamp?.getTime() ?? lastAt;
    lastAt = at;
    // People paste code into prompts.
    if (role === "user" && toolResult === undefined) known.see(content);
    for (const call of toolCalls) {
      const texts = editTexts(call.toolName, call.input);
      waiting.set(call.toolCallId, { ...where(index, call), texts, input: call.input, at, inherited });
    }
    if (toolResult !== undefined) {
      const { toolCallId, output, isError } = toolResult;
      const call = waiting.get(toolCallId);
      waiting.delete(toolCallId);
      const said = typeof output === "string" ? output : content;
      if (call !== undefined && isError !== true) {
        const { texts, input, at: calledAt, ...place } = call;
        for (const text of texts)
          yield { ...known.withOwnLines(text, said), ...place, ...optional("at", calledAt), toolCallId };
        if (texts.every(({ isWhole }) => isWhole)) known.name(input);
      }
      known.see(said);
    }
    index++;
  }
}

/** Beyond this, every further line counts as known. */
const MAX_KNOWN_LINES = 2_000_000;
/** Longer texts are contents, not commands or paths. */
const MAX_NAME_TEXT = 1024;
/** Of calls that read a part of a file, or look for something in it. */
const PART_FIELDS = ["offset", "limit", "start_line", "end_line", "view_range", "pattern", "query"];
const WHOLE_COMMAND = /\b(?:cat|nl|bat|type)\s/;
/** As agents say it. A path behind it may have the word, too. */
const CREATED = /^(?:file created successfully|successfully created|created (?:a )?(?:new )?file|new file)\b/i;

/** What a session has read so far. A file written as a whole repeats it, and only the rest is the session's own. */
class KnownText {
  readonly #lines = new Set<number>();
  readonly #names = new Set<string>();

  see(output: string): void {
    for (const line of output.split("\n")) {
      if (this.#lines.size >= MAX_KNOWN_LINES) return;
      for (const form of shownForms(line)) this.#lines.add(hashOf(form));
    }
  }

  /** Every file that a call may have read as a whole. */
  name(input: unknown): void {
    if (PART_FIELDS.some((field) => asObject(input)?.[field] != null)) return;
    for (const text of textsIn(input)) {
      if (text.length > MAX_NAME_TEXT) continue;
      const isCommand = /\s/.test(text.trim());
      if (isCommand && (!WHOLE_COMMAND.test(text) || /[|>]/.test(text))) continue;
      for (const word of text.split(/[\s'"`=:,;()<>|&]+/)) if (word !== "") this.#names.add(normalize(word));
    }
  }

  #hasRead(path: string): boolean {
    const wanted = normalize(path);
    // One may be relative to a directory that is not known here.
    const isEnd = (long: string, end: string): boolean => long === end || long.endsWith(`/${end}`);
    return [...this.#names].some((name) => isEnd(wanted, name) || isEnd(name, wanted));
  }

  /** The edit without lines that may have been in the file before. */
  withOwnLines(text: EditText, said: string): EditText {
    if (!text.isWhole) return text;
    const isCreation = text.isCreation || CREATED.test(said.trimStart());
    if (isCreation) return { ...text, isCreation };
    const isRead = this.#hasRead(text.path) && this.#lines.size < MAX_KNOWN_LINES;
    const isAdded = text.newLines.map((line) => isRead && !this.#lines.has(hashOf(line.trim())));
    return { ...text, isAdded, ...(isRead ? {} : { isUnsure: true }) };
  }
}

/** A line of a tool's output as it is in the file: without a number or a path in front of it. */
function shownForms(line: string): string[] {
  const plain = line.trim();
  if (plain === "") return [];
  const numbered = plain.replace(/^(?:[^\s:]+:)?\d+\s*[→\t|:.-]/, "").trim();
  const signed = plain.replace(/^[+-]/, "").trim();
  return [...new Set([plain, numbered, signed, numbered.replace(/^\s*\|/, "").trim()])];
}

function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash;
}

const MAX_DEPTH = 8;

function* textsIn(value: unknown, depth = 0): Generator<string> {
  if (typeof value === "string") yield value;
  else if (depth < MAX_DEPTH)
    for (const item of asArray(value) ?? Object.values(asObject(value) ?? {})) yield* textsIn(item, depth + 1);
}
