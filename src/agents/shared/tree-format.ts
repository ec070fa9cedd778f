/**
 * The format of JSONL tree records (Pi, omp, OpenClaw): a header, then entries that point at their parent; v1 has no ids, and its
 * order is the conversation. Only this file names fields and types, so that a renamed one is a change in one place.
 */
import type { TokenCounts } from "../../core/cost.ts";
import type { SessionToolCall } from "../../core/session.ts";
import { asNumber, asObject, asObjects, asString, asText, asTime, asTokens, type Json } from "../../lib/json/fields.ts";
import { picturesOf } from "./pictures.ts";

export type TreeHeader = NonNullable<ReturnType<typeof readTreeHeader>>;

export interface TreeEntry {
  id: string;
  /** Null: it is a new root. Undefined: the writer omitted it. */
  parentId: string | null | undefined;
  type: string;
  /** When the entry was written. */
  at: number | undefined;
  record: Json;
  /** The inner message of a `message` entry. */
  message: Json | undefined;
}

/** The header; undefined for any other record. */
export function readTreeHeader(record: Json) {
  if (record["type"] !== "session") return undefined;
  return {
    id: asText(record["id"]),
    version: asNumber(record["version"]) ?? 1,
    startedMs: asTime(record["timestamp"]),
    cwd: asText(record["cwd"]),
    // The session this one was copied from: a path (Pi, omp's branches and sub-agents) or an id (omp's forks). v1 called it
    // `branchedFrom`.
    parentSession: asText(record["parentSession"]) ?? asText(record["branchedFrom"]),
    /** omp: the title when the file was begun. */
    title: asText(record["title"]),
  };
}

/** When a record, or its header, was written. */
export const writtenMs = (record: Json): number | undefined => asTime(record["timestamp"]);

/** Whether any agent of this family writes such records. */
export function isTreeRecord(record: Json): boolean {
  return asString(record["type"]) !== undefined || asString(record["role"]) !== undefined;
}

/**
 * Parses the records of one session in order; undefined for non-entries. An entry without id gets its number; one without parent
 * follows the previous entry.
 */
export function createEntryReader(): (record: Json) => TreeEntry | undefined {
  let position = 0;
  let previousId: string | null = null;
  return (record) => {
    const entry = readTreeEntry(record);
    const id = `#${position++}`;
    if (entry === undefined) return undefined;
    if (entry.id === "") {
      entry.id = id;
      entry.parentId ??= previousId;
    }
    if (entry.parentId === undefined) entry.parentId = previousId;
    if (!isBeside(entry)) previousId = entry.id;
    return entry;
  };
}

/** OpenClaw's entries beside the conversation never become the leaf. */
export function isBeside({ record }: TreeEntry): boolean {
  return record["appendMode"] === "side";
}

/** A single entry; its id is empty if it was written without one. */
export function readTreeEntry(record: Json): TreeEntry | undefined {
  const type = asString(record["type"]) ?? (asString(record["role"]) === undefined ? undefined : "message");
  if (type === undefined || type === "session" || type === "title") return undefined;
  // The documented layout has bare messages without the envelope.
  const message = type === "message" ? (asObject(record["message"]) ?? record) : undefined;
  return {
    id: asText(record["id"]) ?? "",
    // OpenClaw moves the leaf with a separate record, which is treated as a child of its target. A null target is the place
    // before the first entry.
    parentId: parentOf(record[type === "leaf" && "targetId" in record ? "targetId" : "parentId"]),
    type,
    at: asTime(record["timestamp"]) ?? asTime(message?.["timestamp"]),
    record,
    message,
  };
}

function parentOf(id: unknown): string | null | undefined {
  return id === undefined ? undefined : (asText(id) ?? null);
}

/** Entry types of the common core that become messages, usage, or part of the head. */
const SPEAKING_TYPES = new Set([
  "message",
  "custom_message",
  "compaction",
  "branch_summary",
  "reset_boundary",
  "reset",
  "usage",
  "model_usage",
  "model_change",
  "session_info",
  "title_change",
  "leaf",
]);
/**
 * Core entry types that are ignored. `context_edit` changes what the model sees of an earlier entry, not the conversation;
 * `custom` is an extension's own state.
 */
const SILENT_TYPES = new Set(["thinking_level_change", "label", "context_edit", "custom"]);

export function isKnownType(type: string): boolean {
  return SPEAKING_TYPES.has(type) || SILENT_TYPES.has(type);
}

export const isAnswer = ({ message }: TreeEntry): boolean => message?.["role"] === "assistant";
export const isUser = ({ message }: TreeEntry): boolean => message?.["role"] === "user";

/** omp's title slot before the header; undefined for other records. */
export function slotTitle(record: Json): string | undefined {
  return record["type"] === "title" ? asString(record["title"])?.trim() : undefined;
}

/** The name or title that an entry sets; an empty one removes it. */
export function namesIn({ type, record }: TreeEntry): { name?: string | undefined; title?: string | undefined } {
  if (type === "session_info") return { name: asString(record["name"])?.trim() };
  return type === "title_change" ? { title: asString(record["title"])?.trim() } : {};
}

/** `provider` and `modelId` in Pi and OpenClaw, which also has them in `model-snapshot`; `model: "provider/id"` in omp. */
export function selectedModel(entry: TreeEntry): string | undefined {
  const isSnapshot = entry.record["customType"] === "model-snapshot";
  if (entry.type !== "model_change" && !isSnapshot) return undefined;
  const record = (isSnapshot ? asObject(entry.record["data"]) : entry.record) ?? {};
  return asText(record["modelId"]) ?? asText(asText(record["model"])?.replace(/^[^/]*\//, ""));
}

/** Which program began a file, if a record shows it. */
export function authorIn(record: Json): "pi" | "omp" | undefined {
  switch (record["type"]) {
    case "title":
      return "omp";
    case "session":
      return OMP_HEADER_FIELDS.some((field) => field in record) ? "omp" : undefined;
    case "model_change":
      // `provider` and `modelId` in Pi, `model: "provider/id"` in omp.
      return asText(record["modelId"]) === undefined ? "omp" : "pi";
    default:
      return undefined;
  }
}

/** Header fields that Pi does not have. */
const OMP_HEADER_FIELDS = [
  "title",
  "titleSource",
  "additionalDirectories",
  "previousSessionFiles",
  "providerPromptCacheKey",
];

/** The content of an entry. */
export type Utterance = NonNullable<ReturnType<typeof utteranceOf>>;

export function utteranceOf({ type, record, message }: TreeEntry) {
  switch (type) {
    case "message":
      return said(message ?? {});
    case "custom_message":
      // Extensions and background jobs write to the model; `display` says whether the user sees it too.
      return record["display"] === true ? notice(textOf(record["content"])) : undefined;
    case "compaction":
    case "branch_summary":
      return notice(asString(record["summary"]));
    case "reset_boundary":
    case "reset":
      return notice("The conversation was cleared here.");
    case "custom":
      return notice(exitNotice(record));
    default:
      return undefined;
  }
}

function said(message: Json) {
  const { content } = message;
  switch (message["role"]) {
    case "user":
      // omp marks prompts that it writes itself to continue after a compaction or a plan.
      if (message["synthetic"] === true) return undefined;
      return { kind: "user" as const, text: textOf(content), images: picturesOf(content), message };
    case "assistant": {
      const blocks = asObjects(content);
      const text = textOf(content, "\n\n");
      return {
        kind: "answer" as const,
        text: text === NO_ANSWER ? "" : text,
        thinking: thinkingOf(blocks),
        calls: toolCallsOf(blocks),
        error: asText(message["errorMessage"]),
        message,
      };
    }
    case "toolResult":
      return {
        kind: "result" as const,
        text: textOf(content),
        images: picturesOf(content),
        callId: asString(message["toolCallId"]) ?? "",
        tool: asString(message["toolName"]) ?? "",
        isError: message["isError"] === true,
      };
    case "bashExecution":
      return notice(executed("$", message["command"], message["output"]));
    case "pythonExecution":
      return notice(executed(">>>", message["code"], message["output"]));
    case "custom":
    case "hookMessage":
      return message["display"] === true ? notice(textOf(content)) : undefined;
    default:
      // `system` (Pi's prompt and tool list), `developer` (omp's reminders), `fileMention`: context, not conversation.
      return undefined;
  }
}

function notice(text: string | undefined) {
  return { kind: "notice" as const, text };
}

/** OpenClaw's placeholder for an empty answer, because services refuse a history with one. */
const NO_ANSWER = "[assistant turn failed before producing content]";

function executed(prompt: string, command: unknown, output: unknown): string {
  return `${prompt} ${asString(command) ?? ""}\n${asString(output) ?? ""}`.trimEnd();
}

/** omp records the end of every run; only a forced end interrupts the conversation. */
function exitNotice(record: Json): string | undefined {
  if (record["customType"] !== "session_exit") return undefined;
  const data = asObject(record["data"]);
  const kind = data?.["kind"];
  return kind === "signal" || kind === "fatal" ? `The session ended: ${asText(data?.["reason"]) ?? kind}.` : undefined;
}

/** Text of a message: a string, or its text blocks; images are named. */
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

/** A flag in Pi, a separate type in omp. */
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

/** omp's record of a started call. */
export function toolStart({ type, record }: TreeEntry): { callId: string; startedMs: number | undefined } | undefined {
  if (type !== "custom" || record["customType"] !== "tool_execution_start") return undefined;
  const data = asObject(record["data"]);
  return { callId: asString(data?.["toolCallId"]) ?? "", startedMs: asTime(data?.["startedAt"]) };
}

/** When a result came, and the duration of its call if recorded: OpenClaw's `exec` measures the command. */
export function resultTimes({ message, at }: TreeEntry) {
  return {
    finishedMs: asTime(message?.["timestamp"]) ?? at,
    tookMs: asNumber(message?.["durationMs"]) ?? asNumber(asObject(message?.["details"])?.["durationMs"]),
  };
}

/** How an answer ended: `error`, `aborted`, `toolUse`, … */
export const stopReasonOf = (message: Json): string | undefined => asText(message["stopReason"]);
export const errorOf = (message: Json): unknown => message["errorMessage"];
export const isToolResult = ({ message }: TreeEntry): boolean => message?.["role"] === "toolResult";

export type CarriedUsage = NonNullable<ReturnType<typeof usageIn>>;

/** The service's id of an answer, and its time. */
export function answerOf(message: Json): { responseId: string | undefined; answeredMs: number | undefined } {
  return { responseId: asText(message["responseId"]), answeredMs: asTime(message["timestamp"]) };
}

/** The request data of an answer, or of another entry that stands for a request. */
export function usageIn(carrier: Json) {
  const usage = asObject(carrier["usage"]);
  return (
    usage && {
      tokens: tokenCounts(usage),
      /** As the agent wrote it. */
      dollars: asNumber(asObject(usage["cost"])?.["total"]),
      provider: asText(carrier["provider"]),
      webSearches: asTokens(asObject(usage["server"])?.["webSearch"]),
    }
  );
}

/** Converts a native `usage` object to amux's names; the documented layout may use these already. */
export function tokenCounts(usage: Json): TokenCounts {
  const output = asTokens(usage["output"] ?? usage["outputTokens"]);
  const cacheWrite = asTokens(usage["cacheWrite"]);
  return {
    input: asTokens(usage["input"] ?? usage["inputTokens"]),
    cached: asTokens(usage["cacheRead"] ?? usage["cachedTokens"]),
    cacheWrite,
    // `cacheWrite1h` in Pi, `cttl.ephemeral1h` in omp.
    cacheWrite1h: Math.min(asTokens(usage["cacheWrite1h"] ?? asObject(usage["cttl"])?.["ephemeral1h"]), cacheWrite),
    output,
    // `reasoning` in Pi, `reasoningTokens` in omp; part of `output` in both.
    thinking: Math.min(asTokens(usage["reasoning"] ?? usage["reasoningTokens"] ?? usage["thinkingTokens"]), output),
  };
}

/** The model that answered: as the provider reported it, else as requested. */
export function modelOf(carrier: Json): string | undefined {
  if (isOwnRecord(carrier)) return undefined;
  return asText(carrier["responseModel"]) ?? asText(carrier["model"]);
}

/** OpenClaw records what it sent to a chat (`delivery-mirror`, `gateway-injected`) as an answer without a model. */
export function isOwnRecord(carrier: Json): boolean {
  return (
    carrier["provider"] === "openclaw" && /^(?:delivery-mirror|gateway-injected)$/.test(asText(carrier["model"]) ?? "")
  );
}
