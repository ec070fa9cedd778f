/** The conversation in a JSONL tree: what each entry says, and tool results joined to their calls. */
import type { SessionMessage, SessionToolCall } from "../../core/session.ts";
import { asNumber, asObject, asObjects, asString, asText, asTime, type Json } from "../../lib/fields.ts";
import { optional } from "../../lib/optional.ts";
import { picturesOf } from "./pictures.ts";
import { stamped } from "./stamped.ts";
import type { TreeEntry } from "./tree-entry.ts";
import { modelOf, tokenUsageOf } from "./tree-usage.ts";

/**
 * What a `user` message says; undefined when it was no person (nor a script in their place) who said it,
 * a notice when it was the agent itself and a reader should see it.
 */
export type UserText = (text: string, message: Json) => string | Notice | undefined;

export interface Notice {
  notice: string;
}

/**
 * Messages of a path from root to leaf. Results are joined to calls by holding an answer back until its
 * calls are answered or the next answer comes, so that no more than a turn is in memory.
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

/** The messages one entry becomes by itself: none, one, or an answer with the error that ended it. */
export function messagesOf(entry: TreeEntry, userText?: UserText): SessionMessage[] {
  switch (entry.type) {
    case "message":
      return conversational(entry, entry.message ?? {}, userText);
    case "custom_message":
      // Extensions and background jobs speak to the model; `display` says whether the user sees it too.
      return entry.record["display"] === true ? system(entry, textOf(entry.record["content"])) : [];
    case "compaction":
    case "branch_summary":
      return system(entry, asString(entry.record["summary"]));
    case "reset_boundary":
    case "reset":
      return system(entry, "The conversation was cleared here.");
    case "custom":
      return system(entry, exitNotice(entry.record));
    default:
      return [];
  }
}

function conversational(entry: TreeEntry, message: Json, userText: UserText | undefined): SessionMessage[] {
  switch (message["role"]) {
    case "user":
      return userMessage(entry, message, userText);
    case "assistant":
      return answer(entry, message);
    case "toolResult":
      return [toolMessage(entry, message)];
    case "bashExecution":
      return system(entry, `$ ${asString(message["command"]) ?? ""}\n${asString(message["output"]) ?? ""}`.trimEnd());
    case "pythonExecution":
      return system(entry, `>>> ${asString(message["code"]) ?? ""}\n${asString(message["output"]) ?? ""}`.trimEnd());
    case "custom":
    case "hookMessage":
      return message["display"] === true ? system(entry, textOf(message["content"])) : [];
    default:
      // `system` (Pi's prompt and tool list), `developer` (omp's reminders), `fileMention`: context, not conversation.
      return [];
  }
}

function userMessage(entry: TreeEntry, message: Json, userText: UserText | undefined): SessionMessage[] {
  // omp marks the prompts it writes itself to go on after a compaction or a plan.
  if (message["synthetic"] === true) return [];
  const text = textOf(message["content"]);
  const said = userText ? userText(text, message) : text;
  if (said === undefined) return [];
  return typeof said === "string"
    ? [{ role: "user", content: said, ...picturesOf(message["content"]), ...stamped(entry.at) }]
    : system(entry, said.notice);
}

/** What OpenClaw writes in place of an answer, because services refuse a history with an empty one. */
const NO_ANSWER = "[assistant turn failed before producing content]";

function answer(entry: TreeEntry, message: Json): SessionMessage[] {
  const blocks = asObjects(message["content"]);
  const text = textOf(message["content"], "\n\n");
  const content = text === NO_ANSWER ? "" : text;
  const thinking = thinkingOf(blocks);
  const toolCalls = toolCallsOf(blocks);
  const error = asText(message["errorMessage"]);
  const failure = error === undefined ? [] : system(entry, error);
  // A refused request leaves an answer without content: there was no reply, only the error.
  if (content === "" && thinking === "" && toolCalls.length === 0 && failure.length > 0) return failure;
  const tokenUsage = tokenUsageOf(message);
  return [
    {
      role: "assistant",
      content,
      ...stamped(entry.at),
      ...(thinking === "" ? {} : { thinking }),
      ...(toolCalls.length === 0 ? {} : { toolCalls }),
      ...(tokenUsage ? { tokenUsage } : {}),
      ...optional("model", modelOf(message)),
    },
    ...failure,
  ];
}

function toolMessage(entry: TreeEntry, message: Json): SessionMessage {
  const content = textOf(message["content"]);
  return {
    role: "tool",
    content,
    ...picturesOf(message["content"]),
    ...stamped(entry.at),
    toolResult: {
      toolCallId: asString(message["toolCallId"]) ?? "",
      toolName: asString(message["toolName"]) ?? "",
      output: content,
      ...(message["isError"] === true ? { isError: true } : {}),
    },
  };
}

function system(entry: TreeEntry, content: string | undefined): SessionMessage[] {
  return content === undefined || content === "" ? [] : [{ role: "system", content, ...stamped(entry.at) }];
}

/** omp records the end of every run; only an end by force interrupts the conversation. */
function exitNotice(record: Json): string | undefined {
  if (record["customType"] !== "session_exit") return undefined;
  const data = asObject(record["data"]);
  const kind = data?.["kind"];
  return kind === "signal" || kind === "fatal" ? `The session ended: ${asText(data?.["reason"]) ?? kind}.` : undefined;
}

/** Text of a message: a string, or its text blocks; pictures are named, not shown. */
function textOf(content: unknown, between = "\n"): string {
  if (typeof content === "string") return content;
  const parts: string[] = [];
  for (const block of asObjects(content)) {
    if (block["type"] === "text") parts.push(asString(block["text"]) ?? "");
    else if (block["type"] === "image") parts.push("[image]");
  }
  return parts.join(between);
}

function thinkingOf(blocks: readonly Json[]): string {
  return blocks
    .filter((block) => block["type"] === "thinking" || block["type"] === "redactedThinking")
    .map((block) => asText(block["thinking"]) ?? (isRedacted(block) ? "[redacted]" : ""))
    .filter((text) => text !== "")
    .join("\n\n");
}

/** A flag in Pi, a type of its own in omp. */
function isRedacted(block: Json): boolean {
  return block["redacted"] === true || block["type"] === "redactedThinking";
}

function toolCallsOf(blocks: readonly Json[]): SessionToolCall[] {
  return blocks
    .filter((block) => block["type"] === "toolCall")
    .map((block) => ({
      toolCallId: asString(block["id"]) ?? "",
      toolName: asString(block["name"]) ?? "",
      input: block["arguments"],
    }));
}

/** A call whose result has not been seen. */
interface OpenCall {
  call: SessionToolCall;
  /** Known from omp's start record; else, for a single call, from the end of the answer that made it. */
  startedMs: number | undefined;
}

function openCalls(message: SessionMessage, entry: TreeEntry): Map<string, OpenCall> {
  const calls = message.toolCalls ?? [];
  const startedMs = calls.length === 1 ? entry.at : undefined;
  return new Map(calls.map((call) => [call.toolCallId, { call, startedMs }]));
}

function noteToolStart(entry: TreeEntry, open: Map<string, OpenCall>): void {
  if (entry.type !== "custom" || entry.record["customType"] !== "tool_execution_start") return;
  const data = asObject(entry.record["data"]);
  const call = open.get(asString(data?.["toolCallId"]) ?? "");
  if (call) call.startedMs = asTime(data?.["startedAt"]);
}

function joinResult(message: SessionMessage, entry: TreeEntry, open: Map<string, OpenCall>): void {
  const { toolCallId, output, isError } = message.toolResult!;
  const waiting = open.get(toolCallId);
  if (waiting === undefined) return;
  open.delete(toolCallId);
  waiting.call.output = output;
  if (isError) waiting.call.isError = true;
  const finishedMs = asTime(entry.message?.["timestamp"]) ?? entry.at;
  // OpenClaw's `exec` measures the command itself.
  const details = asObject(entry.message?.["details"]);
  const measured = asNumber(entry.message?.["durationMs"]) ?? asNumber(details?.["durationMs"]);
  if (measured !== undefined) waiting.call.durationMs = measured;
  else if (waiting.startedMs !== undefined && finishedMs !== undefined && finishedMs >= waiting.startedMs) {
    waiting.call.durationMs = finishedMs - waiting.startedMs;
  }
}
