/**
 * What of a session is searched. This definition holds for the cold scan and for the index alike.
 *
 * A session's document is its title and the messages of its conversation, then those of each helper that ran inside it
 * (`subagents`), in the order their reader gives them. The texts of a message, its *parts*, are
 *   content    what was said; of a tool message, the tool's output
 *   thinking
 *   call       for each tool call, the tool's name and each text in its input
 * Keys and numbers of inputs and outputs are not searched, and neither are texts that begin like encoded binary data. The outputs
 * that readers join to calls are left out, because each is a tool message as well.
 *
 * For the fields, a message has a role, tools (those it calls, or the one whose output it is) and files (paths in the
 * inputs of its calls; of a tool message, those of its call).
 *
 * A document is divided into *passages* for ranking: the title is the first, and a message begins another one when it
 * is the first of its transcript or when the passage before it has PASSAGE_LENGTH characters.
 */
import type { SessionReader } from "../../agents/adapter.ts";
import type { MessageRole, SessionMessage } from "../../core/session.ts";
import { asArray, asObject } from "../../lib/fields.ts";

/** Small enough that a session of some length has several, large enough to keep the index small. */
export const PASSAGE_LENGTH = 64 * 1024;

export interface Part {
  kind: "content" | "thinking" | "call";
  text: string;
  /** The tool called, or whose output this is. */
  tool?: string;
}

export interface DocumentMessage {
  /** In its transcript. */
  index: number;
  role: MessageRole;
  timestamp: Date | undefined;
  model: string | undefined;
  /** Id of the helper in whose transcript it stands. */
  subagent: string | undefined;
  tools: readonly string[];
  /** Found out when asked for: few questions are about files. */
  files(): readonly string[];
  parts: readonly Part[];
  startsPassage: boolean;
  /** Characters before it in its passage. */
  passageLength: number;
}

/** Further messages of a transcript, the first of them behind this much of its passage. */
export function furtherDocument(messages: Iterable<SessionMessage>, passageLength: number): Generator<DocumentMessage> {
  return transcriptOf(messages, undefined, passageLength);
}

/** Messages in order. The title is not among them: a reader knows it less well than the catalog. */
export function* documentOf(reader: SessionReader): Generator<DocumentMessage> {
  yield* transcriptOf(reader.messages(), undefined);
  for (const { id, messages } of reader.subagents?.() ?? []) yield* transcriptOf(messages, id);
}

function* transcriptOf(
  messages: Iterable<SessionMessage>,
  subagent: string | undefined,
  length = PASSAGE_LENGTH,
): Generator<DocumentMessage> {
  const inputOfCall = new Map<string, unknown>();
  let index = 0;
  for (const message of messages) {
    const startsPassage = length >= PASSAGE_LENGTH;
    if (startsPassage) length = 0;
    const { parts, tools, files } = contentsOf(message, inputOfCall);
    const passageLength = length;
    for (const part of parts) length += part.text.length;
    const { role, timestamp, model } = message;
    yield { index: index++, role, timestamp, model, subagent, tools, files, parts, startsPassage, passageLength };
  }
}

type Contents = Pick<DocumentMessage, "parts" | "tools" | "files">;

function contentsOf(message: SessionMessage, inputOfCall: Map<string, unknown>): Contents {
  const { toolResult } = message;
  if (toolResult !== undefined) {
    const { toolCallId, toolName: tool, output } = toolResult;
    const texts = typeof output === "object" && output !== null ? textsIn(output) : [message.content];
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
    for (const text of searchable([tool, ...textsIn(input)])) parts.push({ kind: "call", text, tool });
    tools.push(tool);
    inputs.push(input);
    inputOfCall.set(toolCallId, input);
  }
  return { parts, tools, files: () => inputs.flatMap((input) => [...pathsIn(input)]) };
}

/** Pictures and archives come as long texts of these characters only. */
const ENCODED = /^(?:data:[^,]{0,100},)?[\w+/=-]{512}/;

function searchable(texts: readonly string[]): string[] {
  return texts.filter((text) => text !== "" && !(text.length >= 512 && ENCODED.test(text)));
}

/** Deeper data is not made by any tool. */
const MAX_DEPTH = 32;

/** The texts in a JSON value. */
function textsIn(value: unknown, depth = 0): string[] {
  if (typeof value === "string") return [value];
  if (depth > MAX_DEPTH) return [];
  const inner = asArray(value) ?? Object.values(asObject(value) ?? {});
  return inner.flatMap((item) => textsIn(item, depth + 1));
}

const PATH_KEY = /path|file/i;
/** Longer values under such keys are contents. */
const MAX_PATH = 1024;
const PATCHED_FILE = /^\*\*\* (?:Add File|Update File|Delete File|Move to): (.+)$/gm;

/** Paths in a tool's input: values of keys that speak of a path or file, and the files of a patch. */
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
