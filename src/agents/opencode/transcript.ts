/** From messages and parts to the conversation a reader sees. */
import type { SessionMessage, SessionToolCall } from "../../core/session.ts";
import { asNumber, asObject, asString, asText, asTime, wordOf, type Json } from "../../lib/json/fields.ts";
import { optional } from "../../lib/values/optional.ts";
import type { ReadNotes } from "../read-notes.ts";
import { stamped } from "../shared/stamped.ts";
import type { ForkOrigin } from "./forks.ts";
import { roleOf, type StoredMessage, type StoredPart, type StoredSession } from "./stored-session.ts";
import { stepTokens, tokenUsageOf } from "./usage.ts";

/** Parts that add nothing to read: step marks, undo snapshots, lists of changed files, retries, mentions of agents. */
export const IGNORED_PARTS: readonly string[] = [
  "step-start",
  "step-finish",
  "snapshot",
  "patch",
  "retry",
  "agent",
  "compaction",
];
export const SHOWN_PARTS: readonly string[] = ["text", "reasoning", "tool", "file", "subtask"];
const KNOWN_PARTS = new Set<unknown>([...IGNORED_PARTS, ...SHOWN_PARTS]);

export function transcriptOf(session: StoredSession, origin: ForkOrigin, notes: ReadNotes): SessionMessage[] {
  const transcript: SessionMessage[] = [];
  for (const message of visibleMessages(session)) {
    noteUnknown(message, notes);
    const inherited = origin.originals.has(message.id);
    for (const item of shownOf(message)) transcript.push(inherited ? { ...item, inherited } : item);
  }
  return transcript;
}

/** What a reader sees of a message: nothing, one, or one with results. */
export function shownOf(message: StoredMessage): SessionMessage[] {
  return roleOf(message) === "user" ? userMessages(message) : assistantMessages(message);
}

/** Without what an undo hides: the message it names and all after it, or the named part of that message and all after it. */
export function visibleMessages({ info, messages }: StoredSession): StoredMessage[] {
  const at = messages.findIndex((message) => message.id === info.undoneFrom?.messageId);
  const cut = messages[at];
  if (cut === undefined) return messages;
  const visible = messages.slice(0, at);
  const partAt = cut.parts.findIndex((part) => part.id === info.undoneFrom?.partId);
  if (partAt > 0) visible.push({ ...cut, parts: cut.parts.slice(0, partAt) });
  return visible;
}

function noteUnknown(message: StoredMessage, notes: ReadNotes): void {
  const role = roleOf(message);
  if (role !== "user" && role !== "assistant") notes.unknown(`message ${wordOf(role)}`);
  for (const { data } of message.parts) {
    if (!KNOWN_PARTS.has(data["type"])) notes.unknown(`part ${wordOf(data["type"])}`);
  }
}

function userMessages(message: StoredMessage): SessionMessage[] {
  const content = promptOf(message);
  return content === undefined ? [] : [{ role: "user", content, ...stamped(asTime(message.createdMs)) }];
}

/**
 * What a person wrote in a user message. OpenCode uses user messages also for what it says to the model itself: parts
 * marked synthetic (contents of attached files, "Continue if you have next steps") and requests for a compaction.
 */
export function promptOf(message: StoredMessage): string | undefined {
  if (roleOf(message) !== "user") return undefined;
  const parts = message.parts.map((part) => part.data);
  if (parts.some((part) => part["type"] === "compaction")) return undefined;
  const texts = parts.filter(
    (part) => part["type"] === "text" && part["synthetic"] !== true && part["ignored"] !== true,
  );
  // `opencode run` puts a line break behind the prompt.
  const text = texts
    .map((part) => asString(part["text"]) ?? "")
    .join("\n")
    .trimEnd();
  if (text !== "") return text;
  const subtasks = parts.filter((part) => part["type"] === "subtask");
  const files = parts.filter((part) => part["type"] === "file");
  const lines = [
    ...subtasks.map((part) => asText(part["prompt"]) ?? asText(part["description"])),
    ...files.map((part) => asText(part["filename"]) ?? "file"),
  ];
  return lines.length === 0 ? undefined : lines.join("\n");
}

function assistantMessages(message: StoredMessage): SessionMessage[] {
  if (roleOf(message) !== "assistant") return [];
  if (message.data["summary"] === true) return [...summary(message), ...failure(message)];
  const steps = stepsOf(message.parts);
  const replies = steps.flatMap((step, index) => {
    const startMs = index === 0 ? message.createdMs : (startOf(step) ?? message.createdMs);
    return reply(message, step, steps.length === 1, startMs);
  });
  return [...replies, ...failure(message)];
}

/** A step is one model call; before 1.0 a message held all steps up to the final answer. */
function stepsOf(parts: StoredPart[]): StoredPart[][] {
  const steps: StoredPart[][] = [[]];
  for (const part of parts) {
    if (part.data["type"] === "step-start" && steps.at(-1)!.length > 0) steps.push([]);
    steps.at(-1)!.push(part);
  }
  return steps;
}

function reply(message: StoredMessage, step: StoredPart[], onlyStep: boolean, startMs: number): SessionMessage[] {
  const content = textOf(step, "text");
  const thinking = textOf(step, "reasoning");
  const tools = step.filter((part) => part.data["type"] === "tool").map(toolCall);
  const tokenUsage = tokenUsageOf(stepTokens(message, step, onlyStep));
  if (content === "" && thinking === "" && tools.length === 0 && tokenUsage === undefined) return [];
  const assistant: SessionMessage = {
    role: "assistant",
    content,
    ...stamped(asTime(startMs)),
    ...(thinking === "" ? {} : { thinking }),
    ...(tools.length === 0 ? {} : { toolCalls: tools.map((tool) => tool.call) }),
    ...optional("model", asText(message.data["modelID"])),
    ...optional("tokenUsage", tokenUsage),
  };
  return [assistant, ...tools.flatMap((tool) => tool.result ?? [])];
}

function textOf(parts: StoredPart[], type: string): string {
  return parts
    .filter((part) => part.data["type"] === type && part.data["ignored"] !== true)
    .map((part) => asString(part.data["text"]) ?? "")
    .filter((text) => text !== "")
    .join("\n\n");
}

/** A call, and its result once there is one: a call that is pending or running (or was when OpenCode died) has none. */
function toolCall(part: StoredPart): { call: SessionToolCall; result?: SessionMessage } {
  const state = asObject(part.data["state"]) ?? {};
  const toolCallId = asText(part.data["callID"]) ?? part.id;
  const toolName = asText(part.data["tool"]) ?? "unknown";
  const call: SessionToolCall = { toolCallId, toolName, input: state["input"] };
  const isError = state["status"] === "error";
  if (!isError && state["status"] !== "completed") return { call };

  const output = asString(isError ? state["error"] : state["output"]) ?? "";
  const time = asObject(state["time"]) ?? {};
  const start = asNumber(time["start"]);
  const end = asNumber(time["end"]);
  call.output = output;
  if (start !== undefined && end !== undefined && end >= start) call.durationMs = end - start;
  if (isError) call.isError = true;
  const toolResult = { toolCallId, toolName, output, ...(isError ? { isError } : {}) };
  return { call, result: { role: "tool", content: output, ...stamped(asTime(end ?? start)), toolResult } };
}

function summary(message: StoredMessage): SessionMessage[] {
  const content = textOf(message.parts, "text");
  return content === "" ? [] : [{ role: "system", content, ...stamped(asTime(message.createdMs)) }];
}

function failure(message: StoredMessage): SessionMessage[] {
  const error = asObject(message.data["error"]);
  if (error === undefined) return [];
  const name = asText(error["name"]) ?? "Error";
  const text = asText(asObject(error["data"])?.["message"]);
  const content = name === "MessageAbortedError" ? "Interrupted" : text === undefined ? name : `${name}: ${text}`;
  return [{ role: "system", content, ...stamped(asTime(endOf(message.data) ?? message.createdMs)) }];
}

function startOf(parts: StoredPart[]): number | undefined {
  for (const { data } of parts) {
    const start = asTime((asObject(data["time"]) ?? asObject(asObject(data["state"])?.["time"]))?.["start"]);
    if (start !== undefined) return start;
  }
  return undefined;
}

function endOf(data: Json): number | undefined {
  return asTime(asObject(data["time"])?.["completed"]);
}
