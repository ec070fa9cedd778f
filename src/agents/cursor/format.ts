/**
 * The fields of Cursor's messages, transcript lines, documented lines and `meta.json`. Only the format files name
 * fields.
 */
import { asArray, asObject, asObjects, asString, asText, asTime, type Json } from "../../lib/json/fields.ts";

export type ChatRecord = ReturnType<typeof chatRecord>;

export interface Part {
  kind: "text" | "thinking" | "call" | "result" | "picture" | "silent" | "unknown";
  type: string;
  text: string;
  result?: { callId: string | undefined; name: string | undefined; output: unknown; isError: boolean };
}

interface Call {
  id: string | undefined;
  name: string;
  input: unknown;
}

/** Silent parts have nothing to show: encrypted reasoning, sources, step markers. */
const PART_KINDS = new Map<string, Part["kind"]>([
  ["text", "text"],
  ["reasoning", "thinking"],
  ["thinking", "thinking"],
  ["tool-call", "call"],
  ["tool_use", "call"],
  ["tool-result", "result"],
  ["image", "picture"],
  ["file", "picture"],
  ["redacted-reasoning", "silent"],
  ["source", "silent"],
  ["step-start", "silent"],
]);

export function chatRecord(record: Json) {
  const content = asObject(record["message"])?.["content"] ?? record["content"];
  const parts = typeof content === "string" ? [content] : (asArray(content) ?? []);
  return {
    /** Undefined for a transcript line that is an event. */
    role: record["role"],
    parts: parts.map(partOf),
    model: asText(record["model"]),
    /** The summary that a compaction left. */
    isSummary: asObject(asObject(record["providerOptions"])?.["cursor"])?.["isSummary"] === true,
    calls: [...asObjects(parts).flatMap(callOf), ...asObjects(record["tool_calls"]).map(openAiCall)],
    /** For a message that is a result: its call and tool. */
    answers: { callId: asText(record["tool_call_id"]) ?? asText(record["id"]), name: asText(record["name"]) },
  };
}

function partOf(value: unknown): Part {
  const part = asObject(value);
  if (part === undefined) return { kind: "text", type: "text", text: asString(value) ?? "" };
  const type = asText(part["type"]) ?? "(none)";
  const kind = PART_KINDS.get(type) ?? "unknown";
  const text = asString(part["thinking"]) ?? asString(part["text"]) ?? "";
  return kind === "result" ? { kind, type, text, result: resultOf(part) } : { kind, type, text };
}

function resultOf(part: Json): NonNullable<Part["result"]> {
  return {
    callId: asText(part["toolCallId"]),
    name: asText(part["toolName"]),
    output: part["result"] ?? asObject(part["output"])?.["value"] ?? part["output"],
    isError: part["isError"] === true,
  };
}

function callOf(part: Json): Call[] {
  if (PART_KINDS.get(asText(part["type"]) ?? "") !== "call") return [];
  const id = asText(part["toolCallId"]) ?? asText(part["id"]);
  return [{ id, name: asText(part["toolName"]) ?? asText(part["name"]) ?? "", input: part["args"] ?? part["input"] }];
}

function openAiCall(call: Json): Call {
  const named = asObject(call["function"]);
  return { id: asText(call["id"]), name: asText(named?.["name"]) ?? "", input: named?.["arguments"] };
}

/** Calls and results of a message. */
export function callIdsIn(record: Json): string[] {
  return asObjects(record["content"]).flatMap((part) => asText(part["toolCallId"]) ?? []);
}

/** A line without a role: an error, or the end of a turn, which matters only if it failed. */
export function eventOf(record: Json): { type: string; text?: string; isKnown: boolean } {
  const type = asText(record["type"]) ?? "(none)";
  if (type === "error") {
    const { error } = record;
    const text = asText(error) ?? asText(asObject(error)?.["message"]) ?? asText(record["message"]) ?? "Error";
    return { type, text, isKnown: true };
  }
  const { status } = record;
  if (type !== "turn_ended") return { type, isKnown: false };
  return {
    type,
    isKnown: true,
    ...(status === "error" || status === "aborted" ? { text: `Turn ended: ${status}` } : {}),
  };
}

/** A documented line: `{role, content}`, or a tool's name with `{type: "tool_use"}`. */
export function documentedLine(record: Json) {
  const kind = asText(record["role"]) ?? asText(record["type"]) ?? "(none)";
  const text = asString(record["content"]) ?? "";
  return { kind, isCall: kind === "tool_use", text, input: record["input"], at: asTime(record["timestamp"]) };
}

/** `meta.json` beside a store. */
export function metaFields(document: Json | undefined) {
  return {
    title: asText(document?.["title"]),
    cwd: asText(document?.["cwd"]),
    createdMs: asTime(document?.["createdAtMs"]),
    updatedMs: asTime(document?.["updatedAtMs"]),
  };
}

/** `workspace.json` of an editor window: its folder as a URI. */
export function folderOf(document: Json | undefined): string | undefined {
  return asText(document?.["folder"]);
}
