/** The fields of OpenCode's session, message and part documents, in all layouts. Only the format files name fields. */
import type { TokenCounts } from "../../../core/cost.ts";
import { asNumber, asObject, asString, asText, asTime, asTokens, type Json } from "../../../lib/json/fields.ts";
import { optional } from "../../../lib/values/optional.ts";
import type { SessionInfo, StoredMessage, StoredPart, StoredSession } from "./stored-session.ts";

/** Parts without text: step markers, undo snapshots, lists of changed files, retries, mentions of agents. */
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

export function infoOfDocument(id: string, document: Json | undefined): SessionInfo {
  const time = asObject(document?.["time"]);
  return {
    id,
    title: asString(document?.["title"]) ?? "",
    archived: asTime(time?.["archived"]) !== undefined,
    ...optional("parentId", asText(document?.["parentID"])),
    ...optional("directory", asText(document?.["directory"])),
    ...optional("version", asText(document?.["version"])),
    ...optional("createdMs", asTime(time?.["created"])),
    ...optional("updatedMs", asTime(time?.["updated"])),
    ...optional("undoneFrom", undoneFromOf(document?.["revert"])),
  };
}

export function undoneFromOf(revert: unknown): SessionInfo["undoneFrom"] {
  const messageId = asText(asObject(revert)?.["messageID"]);
  if (messageId === undefined) return undefined;
  return { messageId, ...optional("partId", asText(asObject(revert)?.["partID"])) };
}

/** A message's start time; undefined if the record has none. */
export function createdOf(data: Json): number | undefined {
  return asTime(asObject(data["time"])?.["created"]);
}

export function completedOf({ data }: StoredMessage): number | undefined {
  return asTime(asObject(data["time"])?.["completed"]);
}

export const roleOf = ({ data }: StoredMessage): unknown => data["role"];
export const modelOf = ({ data }: StoredMessage): string | undefined => asText(data["modelID"]);
export const cwdOf = ({ data }: StoredMessage): string | undefined => asText(asObject(data["path"])?.["cwd"]);
export const isSummary = ({ data }: StoredMessage): boolean => data["summary"] === true;

export function failureOf({ data }: StoredMessage): { name: string; text: string | undefined } | undefined {
  const error = asObject(data["error"]);
  return error && { name: asText(error["name"]) ?? "Error", text: asText(asObject(error["data"])?.["message"]) };
}

export const kindOf = ({ data }: StoredPart): unknown => data["type"];
export const textOf = ({ data }: StoredPart): string => asString(data["text"]) ?? "";
export const isIgnored = ({ data }: StoredPart): boolean => data["ignored"] === true;
/** Written by OpenCode itself: contents of attached files, "Continue if you have next steps". */
export const isSynthetic = ({ data }: StoredPart): boolean => data["synthetic"] === true;
export const fileNameOf = ({ data }: StoredPart): string => asText(data["filename"]) ?? "file";
export const taskOf = ({ data }: StoredPart): string | undefined =>
  asText(data["prompt"]) ?? asText(data["description"]);

export function startOf({ data }: StoredPart): number | undefined {
  return asTime((asObject(data["time"]) ?? asObject(asObject(data["state"])?.["time"]))?.["start"]);
}

export function toolOf({ id, data }: StoredPart) {
  const state = asObject(data["state"]) ?? {};
  const time = asObject(state["time"]);
  const failed = state["status"] === "error";
  const ended = failed || state["status"] === "completed";
  return {
    callId: asText(data["callID"]) ?? id,
    name: asText(data["tool"]) ?? "unknown",
    input: state["input"],
    /** Undefined while it is pending or running, or if OpenCode was killed. */
    output: ended ? (asString(failed ? state["error"] : state["output"]) ?? "") : undefined,
    failed,
    startMs: asNumber(time?.["start"]),
    endMs: asNumber(time?.["end"]),
  };
}

/**
 * Since 1.0 a message is one model call. Before, it covered all steps of an answer: `cost` is the sum, but `tokens` are
 * those of the last step, so the steps' own records count.
 */
export function requestsOf(message: StoredMessage): { tokens: TokenCounts; usd: number }[] {
  return recordsOf(message).map((record) => {
    return { tokens: tokensOf(record, message.data), usd: Math.max(0, asNumber(record["cost"]) ?? 0) };
  });
}

/** The end of one model call, with its tokens and cost. */
export const isStepEnd = (part: Json): boolean => part["type"] === "step-finish";

function recordsOf(message: StoredMessage): Json[] {
  const steps = message.parts.map((part) => part.data).filter(isStepEnd);
  if (steps.length > 1) return steps;
  const step = steps[0];
  // A kill can come between writing the step and the message, and Kilo adds the cost of sub-agents to the message.
  return step !== undefined && sumOf(step["tokens"]) > 0 ? [step] : [message.data];
}

/** Token counts of a step, or of the whole message. */
export function stepTokens(message: StoredMessage, step: readonly StoredPart[], onlyStep: boolean): TokenCounts {
  const finish = step.find((part) => isStepEnd(part.data));
  const record = onlyStep ? recordsOf(message)[0]! : (finish?.data ?? {});
  return tokensOf(record, message.data);
}

export function tokensOf(call: Json, message: Json): TokenCounts {
  const counts = asObject(call["tokens"]) ?? {};
  const cache = asObject(counts["cache"]) ?? {};
  const input = asTokens(counts["input"]);
  const output = asTokens(counts["output"]);
  const reasoning = asTokens(counts["reasoning"]);
  const cached = asTokens(cache["read"]);
  const cacheWrite = asTokens(cache["write"]);
  const total = asTokens(counts["total"]);

  // 1.18 separates reasoning from output; 1.1 included it, as its total shows; earlier versions have no total and
  // included it too.
  const inside = total === 0 ? reasoning <= output : total === input + output + cached + cacheWrite;
  const cacheInside = total === 0 && cached <= input && !reportsFreshInput(message, cacheWrite);
  return {
    input: cacheInside ? input - cached : input,
    cached,
    cacheWrite,
    cacheWrite1h: 0,
    output: inside ? output : output + reasoning,
    thinking: inside ? Math.min(reasoning, output) : reasoning,
  };
}

/**
 * Before there was a total, `input` was the provider's number: including cache reads, except for Anthropic's API (the
 * only one with cache writes).
 */
function reportsFreshInput(message: Json, cacheWrite: number): boolean {
  const provider = `${String(message["providerID"])}/${String(message["modelID"])}`;
  return cacheWrite > 0 || /anthropic|bedrock|claude/i.test(provider);
}

function sumOf(tokens: unknown): number {
  const counts = asObject(tokens) ?? {};
  const cache = asObject(counts["cache"]) ?? {};
  return asTokens(counts["input"]) + asTokens(counts["output"]) + asTokens(cache["read"]) + asTokens(cache["write"]);
}

const REPLY_PARTS = new Set<unknown>(["text", "reasoning", "tool"]);

export function wasCutShort(message: StoredMessage): boolean {
  const ended = completedOf(message) !== undefined && message.data["error"] === undefined;
  return !ended && message.parts.some((part) => REPLY_PARTS.has(part.data["type"]));
}

/**
 * The session in the format of `opencode export`, with a new id. The directory of the import determines its project.
 */
export function exportOf(
  { info }: StoredSession,
  messages: readonly StoredMessage[],
  fork: { id: string; slug: string; title: string; atMs: number },
): { info: Json; messages: Json[] } {
  const { id, slug, title, atMs } = fork;
  const { directory = "/", version = "1.0.0" } = info;
  return {
    info: {
      ...{ id, slug, projectID: "global", directory, version, title },
      time: { created: atMs, updated: atMs },
    },
    messages: messages.map(({ id, data, parts }) => ({
      info: { ...data, id, sessionID: info.id },
      parts: parts.map((part) => ({ ...part.data, id: part.id, messageID: id, sessionID: info.id })),
    })),
  };
}
