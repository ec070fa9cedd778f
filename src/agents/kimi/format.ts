/** The format of Kimi Code's sessions: a state, and a log per agent. Only this file names fields and record types. */
import type { TokenCounts } from "../../core/cost.ts";
import { asNumber, asObject, asObjects, asString, asText, asTime, asTokens, type Json } from "../../lib/json/fields.ts";
import { jsonText } from "../../lib/json/json.ts";

export function stateOf(state: Json | undefined) {
  return {
    title: asText(state?.["title"]),
    cwd: asText(state?.["cwd"]),
    createdMs: asTime(state?.["createdAt"]),
    updatedMs: asTime(state?.["updatedAt"]),
    archived: state?.["archived"] === true,
    forkedFrom: asText(state?.["forkedFrom"]),
  };
}

/** What a line of the log says. */
export type Entry =
  | { is: "prompt"; text: string }
  /** Something that spoke in the user's name, an error, or a summary. */
  | { is: "notice"; text: string }
  | { is: "step"; step: string }
  | { is: "text" | "thought"; step: string; text: string }
  | { is: "call"; step: string; id: string; call: { toolCallId: string; toolName: string; input: unknown } }
  | { is: "result"; callId: string; toolCallId: string; output: unknown; isError: boolean }
  | { is: "step end"; step: string; tokens: TokenCounts | undefined }
  | { is: "request"; model: string | undefined; alias: string | undefined }
  | { is: "usage"; tokens: TokenCounts; alias: string | undefined }
  | { is: "undo"; prompts: number }
  | { is: "clear" }
  /** Everything before was copied from another session. */
  | { is: "fork" }
  | { is: "helper"; id: string; label: string | undefined; toolCallId: string | undefined }
  | { is: "nothing" };

/** Records of the log itself, of its display and of features without messages. */
const SILENT =
  /^(?:metadata|migrat\w*|(?:agent|config|cron|file_history|full_compaction|goal|hook|llm|mcp|micro_compaction|notify|permission|plan|plugin|profile|prompt|runtime|session|skill|subagent|task|todo|token_counting|tools|turn|workspace)\.\w+(?:\.\w+)*|context\.(?:undone|spliced|resumed))$/;

/** Undefined if the type is unknown. */
export function entryOf(record: Json): Entry | undefined {
  const type = typeOf(record);
  switch (type) {
    case "context.append_message":
      return messageEntry(asObject(record["message"]) ?? {});
    case "context.append_loop_event":
      return loopEntry(asObject(record["event"]) ?? {});
    case "context.apply_compaction":
      return { is: "notice", text: asString(record["summary"]) ?? "" };
    case "context.undo":
      return { is: "undo", prompts: asNumber(record["count"]) ?? 1 };
    case "context.clear":
      return { is: "clear" };
    case "forked":
      return { is: "fork" };
    case "llm.request":
      return { is: "request", model: asText(record["model"]), alias: asText(record["modelAlias"]) };
    case "usage.record":
      return { is: "usage", tokens: tokensOf(record["usage"]), alias: asText(record["model"]) };
    case "turn.ended": {
      const message = asText(asObject(record["error"])?.["message"]);
      return message === undefined ? { is: "nothing" } : { is: "notice", text: message };
    }
    case "subagent.spawned":
      return {
        is: "helper",
        id: asText(record["subagentId"]) ?? "",
        label: asText(record["description"]) ?? asText(record["subagentName"]),
        toolCallId: asText(record["parentToolCallId"]),
      };
    default:
      return SILENT.test(type) ? { is: "nothing" } : undefined;
  }
}

export const typeOf = (record: Json): string => asString(record["type"]) ?? "";
export const timeOf = (record: Json): number | undefined => asTime(record["time"] ?? record["created_at"]);
export const isKimiRecord = (record: Json): boolean => typeOf(record) !== "" && timeOf(record) !== undefined;

function messageEntry(message: Json): Entry {
  const origin = asObject(message["origin"]) ?? {};
  const text = contentText(message["content"]);
  // A sub-agent's task comes from its parent.
  if (origin["kind"] === "user" || origin["name"] === "subagent") return { is: "prompt", text };
  const isHidden = origin["kind"] === "injection" || origin["kind"] === "compaction_summary" || text === "";
  return isHidden ? { is: "nothing" } : { is: "notice", text };
}

function contentText(content: unknown): string {
  if (typeof content === "string") return content;
  const parts = asObjects(content).map((part) => {
    if (part["type"] === "text") return asString(part["text"]) ?? "";
    return part["type"] === "image_url" ? "[image]" : "[file]";
  });
  return parts.join("\n");
}

function loopEntry(event: Json): Entry | undefined {
  const step = asText(event["stepUuid"]) ?? "";
  const uuid = asText(event["uuid"]) ?? "";
  switch (event["type"]) {
    case "step.begin":
      return { is: "step", step: uuid };
    case "content.part": {
      const part = asObject(event["part"]) ?? {};
      if (part["type"] === "think") return { is: "thought", step, text: asString(part["think"]) ?? "" };
      return { is: "text", step, text: contentText([part]) };
    }
    case "tool.call": {
      const call = {
        toolCallId: asText(event["toolCallId"]) ?? uuid,
        toolName: asText(event["name"]) ?? "",
        input: event["args"],
      };
      return { is: "call", step, id: uuid, call };
    }
    case "tool.result": {
      const result = asObject(event["result"]) ?? {};
      const output = asString(result["output"]) ?? contentOutput(result["output"]);
      return {
        is: "result",
        callId: asText(event["parentUuid"]) ?? "",
        toolCallId: asText(event["toolCallId"]) ?? "",
        output,
        isError: result["isError"] === true,
      };
    }
    case "step.end":
      return { is: "step end", step: uuid, tokens: asObject(event["usage"]) && tokensOf(event["usage"]) };
    default:
      return undefined;
  }
}

function contentOutput(output: unknown): unknown {
  return Array.isArray(output) ? contentText(output) : jsonText(output);
}

/** Thoughts are part of the output, and not told apart. */
function tokensOf(usage: unknown): TokenCounts {
  const fields = asObject(usage) ?? {};
  return {
    input: asTokens(fields["inputOther"]),
    cached: asTokens(fields["inputCacheRead"]),
    cacheWrite: asTokens(fields["inputCacheCreation"]),
    cacheWrite1h: 0,
    output: asTokens(fields["output"]),
    thinking: 0,
  };
}
