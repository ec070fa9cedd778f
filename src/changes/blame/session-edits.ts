/** The edits of one session, in order, from its messages. */
import { basename } from "node:path";
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
  for (const { toolCalls = [], toolResult, timestamp, inherited = false, content } of messages) {
    const at = timestamp?.getTime() ?? lastAt;
    lastAt = at;
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
        known.name(input);
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
const CREATED = /\b(?:created|new file)\b/i;

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

  /** Every file a call may have read. */
  name(input: unknown): void {
    for (const text of textsIn(input)) {
      if (text.length > MAX_NAME_TEXT) continue;
      for (const word of text.split(/[\s'"`=:,;()<>|&]+/)) if (word !== "") this.#names.add(basename(word));
    }
  }

  /** The edit without lines that may have been in the file before. */
  withOwnLines(text: EditText, said: string): EditText {
    if (!text.isWhole) return text;
    const isCreation = text.isCreation || CREATED.test(said.split("\n", 1)[0]!);
    if (isCreation) return { ...text, isCreation };
    const isRead = this.#names.has(basename(text.path)) && this.#lines.size < MAX_KNOWN_LINES;
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
