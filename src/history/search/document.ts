/** The searchable text of a session, the same for index and cold scan. README.md in this folder defines parts and passages. */
import type { SessionReader, SessionSource } from "../../agents/adapter.ts";
import type { SessionTexts, Spot, TextMessage } from "../../agents/text-message.ts";
import type { MessageRole, SessionMessage } from "../../core/session.ts";
import { asArray, asObject } from "../../lib/json/fields.ts";
import type { Catalog } from "../catalog.ts";

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
  /** Locates the message without reading the others. */
  readonly spot: Spot | undefined;
  readonly startsPassage: boolean;
  /** Offset in its passage, in characters. */
  readonly passageLength: number;
  /** Its length in characters. */
  readonly length: number;
}

/** Continues a transcript; the first message starts at this offset of its passage. */
export function furtherDocument(messages: Iterable<SessionMessage>, passageLength: number): Generator<DocumentMessage> {
  return transcriptOf(built(messages), undefined, passageLength);
}

/** Messages in order, without the title: the catalog may know a better one than the reader. */
export function* documentOf(session: SessionTexts): Generator<DocumentMessage> {
  yield* transcriptOf(session.messages(), undefined);
  for (const { id, messages } of session.subagents()) yield* transcriptOf(messages, id);
}

/** A single message, for its text only. */
export function messageAlone(message: SessionMessage, index: number, subagent: string | undefined): DocumentMessage {
  return { ...messageOf({ message }, index, subagent, new Map()), startsPassage: false, passageLength: 0 };
}

/** A session's messages; undefined if there is no conversation. Throws if it cannot be read. */
export function textsIn({ adapter, env, notes }: Catalog, source: SessionSource): SessionTexts | undefined {
  const history = adapter.history!;
  const texts = history.indexed?.texts(source, env, notes);
  const reader = texts ? undefined : history.read(source, env, notes, "text");
  return texts ?? (reader && textsOf(reader));
}

export function textsOf(reader: SessionReader): SessionTexts {
  return {
    messages: () => built(reader.messages()),
    *subagents() {
      for (const { id, messages } of reader.subagents?.() ?? []) yield { id, messages: built(messages) };
    },
    ...(reader.growthPoint ? { growthPoint: () => reader.growthPoint!() } : {}),
  };
}

function* built(messages: Iterable<SessionMessage>): Generator<TextMessage> {
  for (const message of messages) yield { message };
}

function* transcriptOf(
  messages: Iterable<TextMessage>,
  subagent: string | undefined,
  length = PASSAGE_LENGTH,
): Generator<DocumentMessage> {
  const inputOfCall = new Map<string, unknown>();
  let index = 0;
  for (const text of messages) {
    const startsPassage = length >= PASSAGE_LENGTH;
    if (startsPassage) length = 0;
    const message = messageOf(text, index++, subagent, inputOfCall);
    yield { ...message, startsPassage, passageLength: length };
    length += message.length;
  }
}

function messageOf(
  { message, spot }: TextMessage,
  index: number,
  subagent: string | undefined,
  inputOfCall: Map<string, unknown>,
): Omit<DocumentMessage, "startsPassage" | "passageLength"> {
  const { role, model, timestamp } = message;
  const contents = contentsOf(message, inputOfCall);
  const length = contents.parts.reduce((sum, { text }) => sum + text.length, 0);
  return { index, role, model, subagent, spot, timestamp, ...contents, length };
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
