/**
 * The fields of a documented session. No known build writes one and only `title` is specified, so the usual names are
 * accepted. Messages are converted to transcript records.
 */
import { asNumber, asObject, asObjects, asText, asTime, type Json } from "../../lib/json/fields.ts";
import { jsonText } from "../../lib/json/json.ts";

export const documentUpdatedMs = (document: Json): number | undefined => asTime(document["updatedAt"]);

export function transcriptOf(document: Json, sessionId: string): Json[] {
  const { title, cwd, createdAt, model } = document;
  return [
    { type: "session", id: sessionId, title, cwd, timestamp: createdAt },
    ...(asText(model) === undefined ? [] : [{ type: "model_change", modelId: model }]),
    ...asObjects(document["messages"]).flatMap((message, index) => entriesOf(message, `${sessionId}/${index}`)),
  ];
}

/** A message without its id, because the order in the document is the conversation. */
function entriesOf(message: Json, place: string): Json[] {
  const timestamp = message["timestamp"] ?? message["createdAt"];
  const entry = (inner: Json): Json => ({ type: "message", timestamp, message: inner });
  const { role, content } = message;
  switch (role) {
    case "assistant": {
      const calls = asObjects(message["toolCalls"]);
      return [entry(answer(message, calls, place)), ...calls.flatMap((call) => inlineResult(call).map(entry))];
    }
    case "tool":
    case "toolResult": {
      const result = asObject(message["toolResult"]) ?? message;
      return [entry({ ...result, role: "toolResult", content: content ?? result["output"] })];
    }
    case "system":
      return [entry({ role: "custom", display: true, content })];
    default:
      return [entry({ role, content })];
  }
}

function answer(message: Json, calls: readonly Json[], place: string): Json {
  const { content, thinking, model, provider } = message;
  const blocks: unknown[] = typeof content === "string" ? [{ type: "text", text: content }] : asObjects(content);
  return {
    role: "assistant",
    content: [
      ...(asText(thinking) === undefined ? [] : [{ type: "thinking", thinking }]),
      ...blocks,
      ...calls.map((call) => ({
        type: "toolCall",
        id: callId(call),
        name: call["toolName"] ?? call["name"],
        arguments: call["input"] ?? call["arguments"],
      })),
    ],
    model,
    provider,
    usage: usageOf(message),
    // Also identifies the request.
    responseId: asText(message["id"]) ?? place,
  };
}

/** A call may contain its result. */
function inlineResult(call: Json): Json[] {
  const { output, isError } = call;
  if (output === undefined) return [];
  const content = typeof output === "string" ? output : jsonText(output);
  return [
    { role: "toolResult", toolCallId: callId(call), toolName: call["toolName"] ?? call["name"], content, isError },
  ];
}

function callId(call: Json): unknown {
  return call["toolCallId"] ?? call["id"];
}

function usageOf(message: Json): Json | undefined {
  const usage = asObject(message["usage"]) ?? asObject(message["tokenUsage"]);
  if (usage === undefined) return undefined;
  const first = (...names: string[]): unknown => names.map((name) => usage[name]).find((value) => value !== undefined);
  const cost = message["cost"] ?? message["costUsd"] ?? usage["cost"];
  const fields = asObject(cost);
  const dollars = asNumber(cost) ?? asNumber(fields?.["total"]) ?? asNumber(fields?.["totalUsd"]);
  return {
    input: first("input", "inputTokens"),
    output: first("output", "outputTokens"),
    cacheRead: first("cacheRead", "cachedTokens"),
    cacheWrite: first("cacheWrite", "cacheWriteTokens"),
    reasoning: first("reasoning", "thinkingTokens"),
    ...(dollars === undefined ? {} : { cost: { total: dollars } }),
  };
}
