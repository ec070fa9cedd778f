/** Field names of the session documents: those of 0.0.340, and the documented ones. */
import { asArray, asObject, asObjects, asString, asText, asTime, type Json } from "../../lib/json/fields.ts";
import { jsonOrText } from "../../lib/json/json.ts";
import { requestTokens } from "./format.ts";
import type { RequestTokens } from "./tokens.ts";

export type DocumentRecord = ReturnType<typeof recordOf>;
export type ShownEntry = ReturnType<typeof shownEntry>;

export function documentOf(document: unknown) {
  // The documented layout may also be a plain list of messages.
  const fields = asObject(document) ?? {};
  const items = asArray(document) ?? asArray(fields["chatMessages"]) ?? asArray(fields["messages"]);
  return {
    title: asText(fields["title"]),
    model: asText(fields["model"]),
    cwd: asText(fields["cwd"]),
    startMs: asTime(fields["startTime"]) ?? asTime(fields["createdAt"]),
    updatedMs: asTime(fields["updatedAt"]),
    records: asObjects(items).map(recordOf),
    timeline: asObjects(fields["timeline"]).map(shownEntry),
  };
}

function recordOf(record: Json) {
  const usage = asObject(record["usage"]);
  return {
    role: record["role"],
    id: asText(record["id"]),
    model: asText(record["model"]),
    at: asTime(record["timestamp"]),
    /** Prompts contain their own time, added for the model. */
    promptAt: promptTime(record["content"]),
    text: textOf(record["content"]),
    /** The id of the call that a tool's record answers. */
    callId: asText(record["tool_call_id"]),
    calls: asObjects(record["tool_calls"]).flatMap(callOf),
    tokens: usage && tokensOf(usage),
  };
}

function callOf(request: Json): { id: string; name: string; input: unknown }[] {
  const called = asObject(request["function"]);
  const id = asText(request["id"]);
  if (called === undefined || id === undefined) return [];
  // A model may write arguments that are not JSON.
  return [{ id, name: asText(called["name"]) ?? "", input: jsonOrText(called["arguments"]) }];
}

function tokensOf(usage: Json): RequestTokens {
  return requestTokens({
    inputTokens: usage["inputTokens"] ?? usage["prompt_tokens"],
    outputTokens: usage["outputTokens"] ?? usage["completion_tokens"],
    cacheReadTokens: usage["cacheReadTokens"] ?? asObject(usage["prompt_tokens_details"])?.["cached_tokens"],
    cacheWriteTokens: usage["cacheWriteTokens"],
  });
}

function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  return (asArray(content) ?? []).map((part) => asString(asObject(part)?.["text"]) ?? "").join("");
}

function promptTime(content: unknown): number | undefined {
  const text = asString(content) ?? "";
  return asTime(/<current_datetime>([^<]*)<\/current_datetime>/.exec(text)?.[1]);
}

/** An entry of the `timeline`: what 0.0.340 showed on its screen, and the only source of times. */
function shownEntry(entry: Json) {
  const result = asText(asObject(entry["result"])?.["type"]);
  return {
    by: entry["type"] === "user" ? "user" : entry["type"] === "copilot" ? "agent" : undefined,
    text: entry["text"],
    callId: entry["callId"],
    at: asTime(entry["timestamp"]),
    failed: result !== undefined && result !== "success",
  };
}
