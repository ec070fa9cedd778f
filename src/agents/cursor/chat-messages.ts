/**
 * Message blobs as messages. They have the shape of the AI SDK (`tool-call` and `tool-result` parts, a message of its
 * own for each result); some stores hold OpenAI's shape (`tool_calls`, `tool_call_id`) instead.
 */
import type { SessionMessage, SessionToolCall } from "../../core/session.ts";
import { jsonText } from "../../lib/json/json.ts";
import { asArray, asObject, asString, asText, type Json } from "../../lib/json/fields.ts";
import { optional } from "../../lib/values/optional.ts";
import type { ReadNotes } from "../read-notes.ts";
import { stamped } from "../shared/stamped.ts";
import { promptOf } from "./prompt-text.ts";

/** Told when something was said, where the store knows it. */
export interface Clock {
  ofPrompt(text: string): number | undefined;
  ofReply(text: string, thinking: string | undefined): number | undefined;
}

/** Parts with nothing to show: reasoning the provider keeps to itself, attachments, marks between steps. */
const SILENT_PARTS = new Set(["redacted-reasoning", "image", "file", "source", "step-start"]);

export function* chatMessages(records: Iterable<Json>, clock: Clock, notes: ReadNotes): Generator<SessionMessage> {
  const calls = new Map<string, SessionToolCall>();
  for (const record of records) {
    const role = asText(record["role"]);
    const parts = partsOf(record);
    if (isSummary(record)) yield { role: "system", content: textIn(parts, notes) };
    else if (role === "user") yield* userMessage(parts, clock, notes);
    else if (role === "assistant") yield reply(record, parts, clock, calls, notes);
    else if (role === "tool") yield* toolMessages(record, parts, calls);
    else if (role !== "system") notes.unknown(`role ${role ?? "(none)"}`);
  }
}

/** What a compaction left in place of what it put away. */
export function isSummary(record: Json): boolean {
  return asObject(asObject(record["providerOptions"])?.["cursor"])?.["isSummary"] === true;
}

function partsOf(record: Json): Json[] {
  const { content } = record;
  if (typeof content === "string") return [{ type: "text", text: content }];
  return (asArray(content) ?? []).map((part) => asObject(part) ?? { type: "text", text: asString(part) ?? "" });
}

function textIn(parts: readonly Json[], notes: ReadNotes): string {
  const texts: string[] = [];
  for (const part of parts) {
    const type = asText(part["type"]) ?? "(none)";
    if (type === "text") texts.push(asString(part["text"]) ?? "");
    else if (!SILENT_PARTS.has(type)) notes.unknown(`part ${type}`);
  }
  return texts.filter((text) => text !== "").join("\n");
}

/** The text of a user record as it was sent, context included. */
export function sentText(record: Json): string {
  return partsOf(record)
    .map((part) => asString(part["text"]) ?? "")
    .join("\n");
}

function* userMessage(parts: readonly Json[], clock: Clock, notes: ReadNotes): Generator<SessionMessage> {
  const prompt = promptOf(textIn(parts, notes));
  const images = parts.filter((part) => part["type"] === "image" || part["type"] === "file").map(() => "[image]");
  const content = [prompt.text, ...images].filter((text) => text !== "").join("\n");
  if (content === "") return;
  yield { role: "user", content, ...stamped(clock.ofPrompt(prompt.text) ?? prompt.at) };
}

function reply(
  record: Json,
  parts: readonly Json[],
  clock: Clock,
  calls: Map<string, SessionToolCall>,
  notes: ReadNotes,
): SessionMessage {
  const spoken = parts.filter((part) => part["type"] !== "reasoning" && part["type"] !== "tool-call");
  const content = textIn(spoken, notes);
  const thoughts = parts.filter((part) => part["type"] === "reasoning").map((part) => asText(part["text"]));
  // The text of encrypted reasoning is empty.
  const thinking = thoughts.filter((text) => text !== undefined).join("\n\n") || undefined;
  const toolCalls = [
    ...parts.filter((part) => part["type"] === "tool-call").map(callOf),
    ...(asArray(record["tool_calls"]) ?? []).map(openAiCall),
  ];
  for (const call of toolCalls) calls.set(call.toolCallId, call);
  return {
    role: "assistant",
    content,
    ...stamped(clock.ofReply(content, thinking)),
    ...(toolCalls.length > 0 ? { toolCalls } : {}),
    ...optional("thinking", thinking),
    ...optional("model", asText(record["model"])),
  };
}

function callOf(part: Json): SessionToolCall {
  return {
    toolCallId: asText(part["toolCallId"]) ?? "",
    toolName: asText(part["toolName"]) ?? "",
    input: part["args"] ?? part["input"],
  };
}

function openAiCall(entry: unknown): SessionToolCall {
  const call = asObject(entry) ?? {};
  const named = asObject(call["function"]) ?? {};
  return { toolCallId: asText(call["id"]) ?? "", toolName: asText(named["name"]) ?? "", input: named["arguments"] };
}

function* toolMessages(
  record: Json,
  parts: readonly Json[],
  calls: ReadonlyMap<string, SessionToolCall>,
): Generator<SessionMessage> {
  const results = parts.filter((part) => part["type"] === "tool-result");
  for (const result of results) {
    const output = result["result"] ?? asObject(result["output"])?.["value"] ?? result["output"];
    yield toolMessage(
      asText(result["toolCallId"]),
      asText(result["toolName"]),
      output,
      result["isError"] === true,
      calls,
    );
  }
  if (results.length === 0) {
    const name = asText(record["name"]);
    yield toolMessage(asText(record["tool_call_id"]) ?? asText(record["id"]), name, sentText(record), false, calls);
  }
}

function toolMessage(
  toolCallId: string = "",
  name: string | undefined,
  output: unknown,
  isError: boolean,
  calls: ReadonlyMap<string, SessionToolCall>,
): SessionMessage {
  const call = calls.get(toolCallId);
  if (call !== undefined) {
    call.output = output;
    if (isError) call.isError = true;
  }
  return {
    role: "tool",
    content: typeof output === "string" ? output : jsonText(output),
    toolResult: { toolCallId, toolName: name ?? call?.toolName ?? "", output, ...(isError ? { isError } : {}) },
  };
}
