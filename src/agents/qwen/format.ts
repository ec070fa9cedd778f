/**
 * The format of Qwen Code's chats: a tree of records whose contents are parts in the notation of Gemini's API. Only this file
 * names fields and record types.
 */
import type { TokenCounts } from "../../core/cost.ts";
import { asNumber, asObject, asObjects, asText, asTime, asTokens, type Json } from "../../lib/json/fields.ts";
import { optional } from "../../lib/values/optional.ts";
import { callsIn, partsOf, plainText, responsesIn, thoughtsIn } from "../shared/parts-format.ts";
import { picturesOf } from "../shared/pictures.ts";

export type RecordKind =
  | "prompt"
  | "reply"
  | "results"
  /** The summary with which a compression continued. */
  | "summary"
  /** A failed request, or a message of a task in the background. */
  | "notice"
  /** A request's tokens. */
  | "billed"
  | "silent";

/** System records without a message. */
const SILENT = new Set([
  ...["at_command", "attribution_snapshot", "background_task_completed", "branch_checkpoint", "custom_title"],
  ...[
    "file_history_snapshot",
    "goal_runtime",
    "goal_state",
    "goal_turn_end",
    "omni_recall",
    "parent_session",
    "rewind",
  ],
  ...["session_artifact_event", "session_artifact_snapshot", "session_model", "session_source"],
  ...["session_sources_snapshot", "slash_command", "turn_result", "user_text_elements"],
]);

/** What a record is; undefined if its type is unknown. */
export function kindOf(record: Json): RecordKind | undefined {
  const subtype = record["subtype"];
  switch (record["type"]) {
    case "user":
      // Tasks in the background and timers speak in the user's name.
      return subtype === undefined || subtype === "mid_turn_user_message" || subtype === "realtime_message"
        ? "prompt"
        : "notice";
    case "assistant":
      return "reply";
    case "tool_result":
      return "results";
    case "system":
      if (subtype === "chat_compression") return "summary";
      if (subtype === "ui_telemetry") return telemetryKind(record);
      return typeof subtype === "string" && SILENT.has(subtype) ? "silent" : undefined;
    default:
      return undefined;
  }
}

function telemetryKind(record: Json): RecordKind {
  const name = eventOf(record)["event.name"];
  if (name === "qwen-code.api_response") return "billed";
  // Errors of tasks in the background are in their own transcripts.
  return name === "qwen-code.api_error" && subagentOf(record) === undefined ? "notice" : "silent";
}

export function typeOf(record: Json): string {
  return asText(record["subtype"]) ?? asText(record["type"]) ?? "";
}

export function isQwenRecord(record: Json): boolean {
  return typeof record["uuid"] === "string" && typeof record["type"] === "string";
}

export const idOf = (record: Json): string | undefined => asText(record["uuid"]);
export const parentOf = (record: Json): string | undefined => asText(record["parentUuid"]);
export const timeOf = (record: Json): number | undefined => asTime(record["timestamp"]);
export const modelOf = (record: Json): string | undefined => asText(record["model"]);
export const isTitle = (record: Json): boolean => record["subtype"] === "custom_title";
export const originOf = (record: Json): string | undefined => asText(asObject(record["forkedFrom"])?.["sessionId"]);

export function headFieldsOf(record: Json) {
  const payload = payloadOf(record);
  const subtype = record["subtype"];
  return {
    cwd: asText(record["cwd"]),
    branch: asText(record["gitBranch"]),
    version: asText(record["version"]),
    customTitle: subtype === "custom_title" ? asText(payload["customTitle"]) : undefined,
    parentSession: subtype === "parent_session" ? asText(payload["parentSessionId"]) : undefined,
  };
}

function payloadOf(record: Json): Json {
  return asObject(record["systemPayload"]) ?? {};
}

function contentOf(record: Json): unknown {
  return asObject(record["message"])?.["parts"];
}

/** What follows is from files that the prompt names. */
const FILES = "\n--- Content from referenced files ---";

/** The text as typed. Pictures are named. */
export function promptOf(record: Json): string {
  const shown = asText(payloadOf(record)["displayText"]);
  if (shown !== undefined) return shown;
  const parts = partsOf(contentOf(record));
  const files = parts.findIndex((part) => asText(part["text"])?.startsWith(FILES));
  const typed = parts.filter((part, at) => files === -1 || at < files || part["text"] === undefined);
  const lines = typed.flatMap((part) => {
    const data = asObject(part["inlineData"]) ?? asObject(part["fileData"]);
    if (data === undefined) return asText(part["text"]) ?? [];
    return asText(data["mimeType"])?.startsWith("image/") ? "[image]" : "[file]";
  });
  return lines.join("\n");
}

/** The text of a notice or a summary. */
export function noticeOf(record: Json): string {
  const event = asText(eventOf(record)["error_message"]);
  if (event !== undefined) return event;
  const payload = payloadOf(record);
  const [summary] = asObjects(payload["compressedHistory"]);
  return asText(payload["displayText"]) ?? plainText(contentOf(record) ?? summary?.["parts"] ?? "");
}

export function replyOf(record: Json) {
  const content = contentOf(record);
  const thoughts = thoughtsIn(content);
  return {
    content: plainText(content),
    thinking: thoughts.length === 0 ? undefined : thoughts.join("\n\n"),
    calls: callsIn(content),
  };
}

export const imagesOf = (record: Json) => picturesOf(contentOf(record));
export const resultsOf = (record: Json) => responsesIn(contentOf(record));

/** A record has one result and its status. */
export function hasFailed(record: Json): boolean {
  const status = asText(asObject(record["toolCallResult"])?.["status"]);
  return status === "error" || status === "cancelled";
}

function eventOf(record: Json): Json {
  return asObject(payloadOf(record)["uiEvent"]) ?? {};
}

/** The sub-agent that made a request. */
export function subagentOf(record: Json): string | undefined {
  return asText(eventOf(record)["subagent_id"]);
}

/** The bill of a request, from the note about it or from the reply itself. */
export function billOf(record: Json): { tokens: TokenCounts; model?: string } | undefined {
  const metadata = asObject(record["usageMetadata"]);
  if (metadata !== undefined) {
    const tokens = tokensFrom(metadata, {
      input: "promptTokenCount",
      output: "candidatesTokenCount",
      cached: "cachedContentTokenCount",
      thoughts: "thoughtsTokenCount",
      total: "totalTokenCount",
    });
    return { tokens, ...optional("model", modelOf(record)) };
  }
  const event = eventOf(record);
  if (event["event.name"] !== "qwen-code.api_response") return undefined;
  const tokens = tokensFrom(event, {
    input: "input_token_count",
    output: "output_token_count",
    cached: "cached_content_token_count",
    thoughts: "thoughts_token_count",
    total: "total_token_count",
  });
  return { tokens, ...optional("model", asText(event["model"])) };
}

type CountNames = Record<"input" | "output" | "cached" | "thoughts" | "total", string>;

/** Input includes the cache. Output includes thoughts, unless the total says that they come on top, as with Gemini's API. */
function tokensFrom(fields: Json, names: CountNames): TokenCounts {
  const [input, cached] = [asTokens(fields[names.input]), asTokens(fields[names.cached])];
  const [output, thinking] = [asTokens(fields[names.output]), asTokens(fields[names.thoughts])];
  const isOnTop = thinking > output || asNumber(fields[names.total]) === input + output + thinking;
  return {
    input: Math.max(0, input - cached),
    cached: Math.min(cached, input),
    cacheWrite: 0,
    cacheWrite1h: 0,
    output: isOnTop ? output + thinking : output,
    thinking,
  };
}

/** A record as a fork has it: under another session id, with a pointer to its original. */
export function forkedRecord(record: Json, to: string): Json {
  const forkedFrom = { sessionId: record["sessionId"], messageUuid: record["uuid"] };
  return { ...record, sessionId: to, forkedFrom };
}

/** Of the file beside a sub-agent's transcript. */
export function subagentFacts(meta: Json | undefined) {
  return {
    label: asText(meta?.["description"]) ?? asText(meta?.["agentType"]),
    toolCallId: asText(meta?.["toolUseId"]),
    model: asText(meta?.["model"]),
  };
}
