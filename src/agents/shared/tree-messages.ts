/** The conversation in a JSONL tree: the content of each entry, with tool results joined to their calls. */
import type { SessionMessage, SessionToolCall } from "../../core/session.ts";
import type { Json } from "../../lib/json/fields.ts";
import { optional } from "../../lib/values/optional.ts";
import { withTimestamp } from "./with-timestamp.ts";
import { modelOf, resultTimes, toolStart, utteranceOf, type TreeEntry, type Utterance } from "./tree-format.ts";
import { tokenUsageOf } from "./tree-usage.ts";

/**
 * The text of a `user` message; undefined if neither a person nor a script wrote it, a notice if the agent wrote it for the user
 * to see.
 */
export type UserText = (text: string, message: Json) => string | Notice | undefined;

export interface Notice {
  notice: string;
}

/**
 * Messages of a path from root to leaf. An answer is held back until its calls are answered or the next answer comes, so at most
 * one turn is in memory.
 */
export function* joinedMessages(
  entries: Iterable<TreeEntry>,
  options: { userText?: UserText; isInherited?: (entry: TreeEntry) => boolean } = {},
): Generator<SessionMessage> {
  let held: SessionMessage[] = [];
  let open = new Map<string, OpenCall>();
  for (const entry of entries) {
    noteToolStart(entry, open);
    const messages = messagesOf(entry, options.userText);
    for (const message of messages) {
      if (options.isInherited?.(entry)) message.inherited = true;
      if (message.role === "assistant") {
        yield* held;
        held = [];
        open = openCalls(message, entry);
      }
      if (message.toolResult) joinResult(message, entry, open);
      if (open.size === 0) {
        yield* held;
        held = [];
        yield message;
      } else held.push(message);
    }
  }
  yield* held;
}

/** The messages of one entry: none, one, or an answer with the error that ended it. */
export function messagesOf(entry: TreeEntry, userText?: UserText): SessionMessage[] {
  const said = utteranceOf(entry);
  switch (said?.kind) {
    case "user":
      return userMessage(entry, said, userText);
    case "answer":
      return answer(entry, said);
    case "result":
      return [toolMessage(entry, said)];
    case "notice":
      return system(entry, said.text);
    default:
      return [];
  }
}

type Said<K extends Utterance["kind"]> = Extract<Utterance, { kind: K }>;

function userMessage(
  entry: TreeEntry,
  { text, images, message }: Said<"user">,
  userText: UserText | undefined,
): SessionMessage[] {
  const said = userText ? userText(text, message) : text;
  if (said === undefined) return [];
  return typeof said === "string"
    ? [{ role: "user", content: said, ...images, ...withTimestamp(entry.at) }]
    : system(entry, said.notice);
}

function answer(entry: TreeEntry, { text, thinking, calls, error, message }: Said<"answer">): SessionMessage[] {
  const failure = error === undefined ? [] : system(entry, error);
  // A refused request leaves an empty answer: show only the error.
  if (text === "" && thinking === "" && calls.length === 0 && failure.length > 0) return failure;
  const tokenUsage = tokenUsageOf(message);
  return [
    {
      role: "assistant",
      content: text,
      ...withTimestamp(entry.at),
      ...(thinking === "" ? {} : { thinking }),
      ...(calls.length === 0 ? {} : { toolCalls: calls }),
      ...(tokenUsage ? { tokenUsage } : {}),
      ...optional("model", modelOf(message)),
    },
    ...failure,
  ];
}

function toolMessage(entry: TreeEntry, { text, images, callId, tool, isError }: Said<"result">): SessionMessage {
  const toolResult = { toolCallId: callId, toolName: tool, output: text, ...(isError ? { isError: true } : {}) };
  return { role: "tool", content: text, ...images, ...withTimestamp(entry.at), toolResult };
}

function system(entry: TreeEntry, content: string | undefined): SessionMessage[] {
  return content === undefined || content === "" ? [] : [{ role: "system", content, ...withTimestamp(entry.at) }];
}

/** A call without a result so far. */
interface OpenCall {
  call: SessionToolCall;
  /** From omp's start record; otherwise, for a single call, from the end of its answer. */
  startedMs: number | undefined;
}

function openCalls(message: SessionMessage, entry: TreeEntry): Map<string, OpenCall> {
  const calls = message.toolCalls ?? [];
  const startedMs = calls.length === 1 ? entry.at : undefined;
  return new Map(calls.map((call) => [call.toolCallId, { call, startedMs }]));
}

function noteToolStart(entry: TreeEntry, open: Map<string, OpenCall>): void {
  const start = toolStart(entry);
  const call = start && open.get(start.callId);
  if (call) call.startedMs = start.startedMs;
}

function joinResult(message: SessionMessage, entry: TreeEntry, open: Map<string, OpenCall>): void {
  const { toolCallId, output, isError } = message.toolResult!;
  const waiting = open.get(toolCallId);
  if (waiting === undefined) return;
  open.delete(toolCallId);
  waiting.call.output = output;
  if (isError) waiting.call.isError = true;
  const { finishedMs, tookMs } = resultTimes(entry);
  if (tookMs !== undefined) waiting.call.durationMs = tookMs;
  else if (waiting.startedMs !== undefined && finishedMs !== undefined && finishedMs >= waiting.startedMs) {
    waiting.call.durationMs = finishedMs - waiting.startedMs;
  }
}
