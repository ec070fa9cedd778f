/**
 * Sessions in one JSON document: `history-session-state/session_<id>_<ms>.json` of 0.0.340 (messages as sent to the
 * API, times only in a second list) and the documented `sessions/<id>.json`.
 */
import { AgentMuxError } from "../../core/errors.ts";
import type { SessionMessage, SessionToolCall } from "../../core/session.ts";
import { codeOf } from "../../lib/fs/directory.ts";
import { asArray, asObject, asObjects, asString, asText, asTime, type Json } from "../../lib/json/fields.ts";
import { jsonOrText } from "../../lib/json/json.ts";
import { optional } from "../../lib/values/optional.ts";
import { titleFrom } from "../../lib/text/text.ts";
import type { SessionHead, UsageRecord } from "../adapter.ts";
import type { ParsedSession } from "../in-memory.ts";
import { requestTokens, tokenCounts } from "./tokens.ts";
import { Timeline } from "./timeline.ts";
import { trustedFolderOf } from "./trusted-folders.ts";
import { MAX_DOCUMENT_BYTES, readText } from "../../lib/fs/foreign-file.ts";

/** Undefined when there is no conversation. Throws PARSE_ERROR when the file is no document. */
export function readDocument(path: string, sessionId: string, copilotDir: string): ParsedSession | undefined {
  const document = parse(path);
  // The documented layout may also be the bare list of messages.
  const fields = asObject(document) ?? {};
  const items = asArray(document) ?? asArray(fields["chatMessages"]) ?? asArray(fields["messages"]) ?? [];
  const records = asObjects(items);
  const model = asText(fields["model"]);
  const messages = buildMessages(records, model, new Timeline(fields["timeline"]));
  if (messages.length === 0) return undefined;
  const usage = usageOf(records, sessionId, model);
  const head = headOf(fields, messages, copilotDir);
  if (usage.length === 0) head.usageUnknown = true;
  return { head, messages, usage, raw: document };
}

function parse(path: string): unknown {
  try {
    return JSON.parse(readText(path, MAX_DOCUMENT_BYTES).replace(/^\uFEFF/, ""));
  } catch (error) {
    const why = error instanceof SyntaxError ? "is no JSON document" : `cannot be read (${codeOf(error)})`;
    throw new AgentMuxError("PARSE_ERROR", `${path} ${why}.`, { cause: error });
  }
}

/** The documented layout may have token counts; 0.0.340 has none. */
function usageOf(records: readonly Json[], sessionId: string, documentModel: string | undefined): UsageRecord[] {
  return records.flatMap((record, index) => {
    const usage = asObject(record["usage"]);
    if (usage === undefined) return [];
    const tokens = requestTokens({
      inputTokens: usage["inputTokens"] ?? usage["prompt_tokens"],
      outputTokens: usage["outputTokens"] ?? usage["completion_tokens"],
      cacheReadTokens: usage["cacheReadTokens"] ?? asObject(usage["prompt_tokens_details"])?.["cached_tokens"],
      cacheWriteTokens: usage["cacheWriteTokens"],
    });
    return {
      key: asText(record["id"]) ?? `${sessionId}:${index}`,
      tokens: tokenCounts(tokens),
      ...optional("at", asTime(record["timestamp"])),
      ...optional("model", asText(record["model"]) ?? documentModel),
    };
  });
}

function buildMessages(records: readonly Json[], model: string | undefined, timeline: Timeline): SessionMessage[] {
  const results = new Map<string, Json>();
  for (const record of records) {
    const callId = asText(record["tool_call_id"]);
    if (callId !== undefined) results.set(callId, record);
  }
  const names = new Map<string, string>();
  return records.flatMap((record) => {
    const message = buildMessage(record, results, names, timeline);
    if (message === undefined) return [];
    const spokenBy = asText(record["model"]) ?? model;
    if (message.role === "assistant" && spokenBy !== undefined) message.model = spokenBy;
    const at = asTime(record["timestamp"]) ?? timeline.timeOf(record, message.content);
    if (at !== undefined) message.timestamp = new Date(at);
    return message;
  });
}

/** `names` takes the names of calls as they are met; results come later. */
function buildMessage(
  record: Json,
  results: ReadonlyMap<string, Json>,
  names: Map<string, string>,
  timeline: Timeline,
): SessionMessage | undefined {
  switch (record["role"]) {
    case "user": {
      const content = withoutInjected(textOf(record["content"]));
      return content === "" ? undefined : { role: "user", content };
    }
    case "assistant": {
      const message: SessionMessage = { role: "assistant", content: textOf(record["content"]) };
      const calls = callsOf(record, results, timeline);
      for (const call of calls) names.set(call.toolCallId, call.toolName);
      if (calls.length > 0) message.toolCalls = calls;
      return message;
    }
    case "tool": {
      const toolCallId = asText(record["tool_call_id"]) ?? "";
      const content = textOf(record["content"]);
      const toolResult = { toolCallId, toolName: names.get(toolCallId) ?? "", output: content };
      const failed = timeline.hasFailed(toolCallId) ? { isError: true } : {};
      return { role: "tool", content, toolResult: { ...toolResult, ...failed } };
    }
    default:
      // The vendor's instructions.
      return undefined;
  }
}

function callsOf(record: Json, results: ReadonlyMap<string, Json>, timeline: Timeline): SessionToolCall[] {
  return asObjects(record["tool_calls"]).flatMap((request) => {
    const called = asObject(request["function"]);
    const toolCallId = asText(request["id"]);
    if (called === undefined || toolCallId === undefined) return [];
    const call: SessionToolCall = {
      toolCallId,
      toolName: asText(called["name"]) ?? "",
      // A model may write arguments that are no JSON.
      input: jsonOrText(called["arguments"]),
    };
    const result = results.get(toolCallId);
    if (result) call.output = textOf(result["content"]);
    if (timeline.hasFailed(toolCallId)) call.isError = true;
    return call;
  });
}

function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  return (asArray(content) ?? []).map((part) => asString(asObject(part)?.["text"]) ?? "").join("");
}

const INJECTED = /<(current_datetime|reminder|system_reminder)>.*?<\/\1>/gs;

function withoutInjected(text: string): string {
  return text.replace(INJECTED, "").trim();
}

function headOf(fields: Json, messages: readonly SessionMessage[], copilotDir: string): SessionHead {
  const prompt = messages.find((message) => message.role === "user");
  const times = messages.flatMap((message) => message.timestamp?.getTime() ?? []);
  const createdMs = asTime(fields["startTime"]) ?? asTime(fields["createdAt"]) ?? times[0];
  const model = messages.findLast((message) => message.model !== undefined)?.model;
  return {
    title: titleFrom(asText(fields["title"]) ?? prompt?.content),
    ...optional("createdMs", createdMs),
    ...optional("updatedMs", asTime(fields["updatedAt"]) ?? times.at(-1) ?? createdMs),
    ...optional("model", model ?? asText(fields["model"])),
    ...optional("cwd", asText(fields["cwd"]) ?? trustedFolderOf(copilotDir, pathsIn(messages))),
  };
}

function pathsIn(messages: readonly SessionMessage[]): Set<string> {
  const inputs = messages.flatMap((message) => (message.toolCalls ?? []).map((call) => asObject(call.input) ?? {}));
  const texts = inputs.flatMap((input) => Object.values(input).flatMap((value) => asText(value) ?? []));
  return new Set(texts.filter((text) => text.startsWith("/") && !text.includes("\n")));
}
