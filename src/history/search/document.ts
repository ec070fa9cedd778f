/** The searchable text of a session, the same for index and cold scan, and its words by passage. README.md in this folder defines parts and passages. */
import type { SessionReader } from "../../agents/adapter.ts";
import type { MessageRole, SessionMessage } from "../../core/session.ts";
import { asArray, asObject } from "../../lib/json/fields.ts";
import { oneLine } from "../../lib/text/text.ts";
import { formsOf, positionsOf, RunFinder, wholeForm } from "./words.ts";

/** Small enough that a longer session has several, large enough to keep the index small. */
export const PASSAGE_LENGTH = 64 * 1024;

export interface Part {
  kind: "content" | "thinking" | "call";
  text: string;
  /** The tool called, or whose output this is. */
  tool?: string;
}

export interface DocumentMessage {
  /** Its number in its transcript. */
  readonly index: number;
  readonly role: MessageRole;
  readonly timestamp: Date | undefined;
  readonly model: string | undefined;
  /** Id of the sub-agent whose transcript it is in. */
  readonly subagent: string | undefined;
  readonly tools: readonly string[];
  files(): readonly string[];
  readonly parts: readonly Part[];
  readonly startsPassage: boolean;
}

/** Messages in order, without the title: the catalog may know a better one than the reader. */
export function* documentOf(session: SessionReader): Generator<DocumentMessage> {
  yield* transcriptOf(session.messages(), undefined);
  for (const { id, messages } of session.subagents?.() ?? []) yield* transcriptOf(messages, id);
}

function* transcriptOf(messages: Iterable<SessionMessage>, subagent: string | undefined): Generator<DocumentMessage> {
  const inputOfCall = new Map<string, unknown>();
  let index = 0;
  let length = PASSAGE_LENGTH;
  for (const message of messages) {
    const startsPassage = length >= PASSAGE_LENGTH;
    if (startsPassage) length = 0;
    const { role, model, timestamp } = message;
    const contents = contentsOf(message, inputOfCall);
    yield { index: index++, role, model, subagent, timestamp, startsPassage, ...contents };
    for (const { text } of contents.parts) length += text.length;
  }
}

type Contents = Pick<DocumentMessage, "parts" | "tools" | "files">;

function contentsOf(message: SessionMessage, inputOfCall: Map<string, unknown>): Contents {
  const { toolResult } = message;
  if (toolResult !== undefined) {
    const { toolCallId, toolName: tool, output } = toolResult;
    const texts = typeof output === "object" && output !== null ? textsWithin(output) : [message.content];
    const input = inputOfCall.get(toolCallId);
    inputOfCall.delete(toolCallId);
    const parts = searchable(texts).map((text): Part => ({ kind: "content", text, tool }));
    return { parts, tools: [tool], files: () => [...pathsIn(input)] };
  }
  const parts: Part[] = searchable([message.content]).map((text) => ({ kind: "content", text }));
  for (const text of searchable([message.thinking ?? ""])) parts.push({ kind: "thinking", text });
  const tools: string[] = [];
  const inputs: unknown[] = [];
  for (const { toolCallId, toolName: tool, input } of message.toolCalls ?? []) {
    for (const text of searchable([tool, ...textsWithin(input)])) parts.push({ kind: "call", text, tool });
    tools.push(tool);
    inputs.push(input);
    inputOfCall.set(toolCallId, input);
  }
  return { parts, tools, files: () => inputs.flatMap((input) => [...pathsIn(input)]) };
}

/** Images and archives are long texts of only these characters. */
const ENCODED = /^(?:data:[^,]{0,100},)?[\w+/=-]{512}/;

function searchable(texts: readonly string[]): string[] {
  return texts.filter(isSearchable);
}

function isSearchable(text: string): boolean {
  return text !== "" && !(text.length >= 512 && ENCODED.test(text));
}

/** No tool produces deeper data. */
const MAX_DEPTH = 32;

/** The texts in a JSON value. */
function textsWithin(value: unknown, depth = 0): string[] {
  if (typeof value === "string") return [value];
  if (depth > MAX_DEPTH) return [];
  const inner = asArray(value) ?? Object.values(asObject(value) ?? {});
  return inner.flatMap((item) => textsWithin(item, depth + 1));
}

const PATH_KEY = /path|file/i;
/** Longer values under such keys are file contents. */
const MAX_PATH = 1024;
const PATCHED_FILE = /^\*\*\* (?:Add File|Update File|Delete File|Move to): (.+)$/gm;

/** Paths in a tool's input: values of keys that name a path or file, and the files of a patch. */
function* pathsIn(value: unknown, key = "", depth = 0): Generator<string> {
  if (typeof value === "string") {
    if (PATH_KEY.test(key) && value.length <= MAX_PATH && !value.includes("\n")) yield value;
    if (value.includes("*** Begin Patch")) for (const [, path] of value.matchAll(PATCHED_FILE)) yield path!;
    return;
  }
  if (depth > MAX_DEPTH) return;
  for (const item of asArray(value) ?? []) yield* pathsIn(item, key, depth + 1);
  for (const [name, item] of Object.entries(asObject(value) ?? {})) yield* pathsIn(item, name, depth + 1);
}

/** The distinct words of a passage. */
export class PassageWords {
  readonly #words = new Set<string>();
  readonly #run = new RunFinder();

  /** Returns the number of positions in the text. */
  add(text: string): number {
    const run = this.#run;
    run.reset(text);
    let positions = 0;
    while (run.next()) {
      const { start, end } = run;
      if (run.dense) {
        for (const { forms } of positionsOf(text.slice(start, end))) {
          for (const form of forms) this.#words.add(form);
          positions++;
        }
        continue;
      }
      const whole = wholeForm(text, run);
      if (whole === "") continue;
      positions++;
      if (run.ascii && !run.mayHaveParts) this.#words.add(whole);
      else for (const form of formsOf(text.slice(start, end), whole)) this.#words.add(form);
    }
    return positions;
  }

  /** All words since the last call, separated by spaces. */
  take(): string {
    const words = [...this.#words].join(" ");
    this.#words.clear();
    return words;
  }
}

/** The passage of the title. Those of messages are counted from 1. */
export const TITLE_PASSAGE = 0;

export interface IndexedRow {
  passage: number;
  /** Each once, separated by spaces. */
  words: string;
}

export interface IndexedText {
  rows: IndexedRow[];
  /** Positions. */
  length: number;
  /** The models that answered in it. */
  models: Set<string>;
}

/** Shared: every row empties it. */
const words = new PassageWords();

export function titleRow(title: string): { row: IndexedRow; length: number } {
  const length = words.add(oneLine(title));
  return { row: { passage: TITLE_PASSAGE, words: words.take() }, length };
}

export function indexedText(document: Iterable<DocumentMessage>): IndexedText {
  const text: IndexedText = { rows: [], length: 0, models: new Set() };
  const endPassage = (): void => void text.rows.push({ passage: text.rows.length + 1, words: words.take() });
  let isOpen = false;
  try {
    for (const { startsPassage, model, parts } of document) {
      if (startsPassage && isOpen) endPassage();
      isOpen = true;
      if (model !== undefined) text.models.add(model);
      for (const part of parts) text.length += words.add(part.text);
    }
    if (isOpen) endPassage();
  } finally {
    // The session could not be read to its end.
    words.take();
  }
  return text;
}
