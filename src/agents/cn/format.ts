/** The format of Continue's sessions: one document each, rewritten on every change. Only this file names its fields. */
import type { TokenCounts } from "../../core/cost.ts";
import { asObject, asObjects, asString, asText, asTime, asTokens, type Json } from "../../lib/json/fields.ts";
import { jsonOrText } from "../../lib/json/json.ts";
import { pathOfUri } from "../shared/file-uri.ts";
import { picturesOf } from "../shared/pictures.ts";

/** A title that nobody gave. */
const UNTITLED = new Set(["Untitled Session", "New Session"]);

export function documentOf(document: Json) {
  const title = asText(document["title"]);
  return {
    title: title === undefined || UNTITLED.has(title) ? undefined : title,
    cwd: folderOf(asText(document["workspaceDirectory"])),
    items: asObjects(document["history"]),
    /** Of every request of this session, also of those whose messages a compaction removed. Editors write none. */
    total: totalOf(asObject(document["usage"])),
  };
}

/** Editors write a URI. */
function folderOf(place: string | undefined): string | undefined {
  return place === undefined ? undefined : (pathOfUri(place) ?? place);
}

export interface Total {
  input: number;
  output: number;
}

function totalOf(usage: Json | undefined): Total | undefined {
  return usage && { input: asTokens(usage["promptTokens"]), output: asTokens(usage["completionTokens"]) };
}

/** When a session was first saved, by its id; from the list of all sessions. */
export function datesIn(list: unknown): Map<string, number> {
  const dates = new Map<string, number>();
  for (const entry of asObjects(list)) {
    const at = asTime(Number(entry["dateCreated"]));
    const id = asText(entry["sessionId"]);
    if (id !== undefined && at !== undefined) dates.set(id, at);
  }
  return dates;
}

export type Role = "user" | "assistant" | "system" | "tool" | "thinking";

export function itemOf(item: Json) {
  const message = asObject(item["message"]) ?? {};
  const usage = asObject(message["usage"]);
  return {
    role: asText(message["role"]) as Role | undefined,
    content: textOf(message["content"]),
    images: picturesOf(pictures(message["content"])),
    /** The item stands for everything before it. */
    isSummary: asText(item["conversationSummary"]) !== undefined,
    calls: callsOf(message, item),
    /** The call that a `tool` item is the output of. */
    answers: asText(message["toolCallId"]),
    model: asText(usage?.["model"]),
    tokens: usage && tokensOf(usage),
  };
}

export type Item = ReturnType<typeof itemOf>;

function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  const parts = asObjects(content).map((part) => {
    if (part["type"] === "text") return asString(part["text"]) ?? "";
    return part["type"] === "imageUrl" ? "[image]" : "[file]";
  });
  return parts.join("\n");
}

function pictures(content: unknown): Json[] {
  return asObjects(content).map((part) => ({ image_url: asObject(part["imageUrl"])?.["url"] }));
}

export interface Call {
  id: string;
  name: string;
  input: unknown;
  output: string | undefined;
  hasFailed: boolean;
}

/** The states of the calls have their outputs; a session that was cut short may have the calls only. Older ones have one state. */
function callsOf(message: Json, item: Json): Call[] {
  const listed = asObjects(item["toolCallStates"] ?? [item["toolCallState"]]);
  const states = new Map(listed.map((state) => [state["toolCallId"], state]));
  return asObjects(message["toolCalls"]).map((call) => {
    const called = asObject(call["function"]) ?? {};
    const state = states.get(call["id"]);
    const output = state?.["output"] === undefined ? undefined : asObjects(state["output"]).map(outputText).join("\n");
    return {
      id: asText(call["id"]) ?? "",
      name: asText(called["name"]) ?? "",
      input: state?.["parsedArgs"] ?? jsonOrText(called["arguments"]),
      output,
      hasFailed: state?.["status"] === "errored" || state?.["status"] === "canceled",
    };
  });
}

function outputText(output: Json): string {
  return asString(output["content"]) ?? "";
}

/** Input includes the cache, output includes reasoning. */
function tokensOf(usage: Json): TokenCounts {
  const input = asTokens(usage["prompt_tokens"]);
  const output = asTokens(usage["completion_tokens"]);
  const details = asObject(usage["prompt_tokens_details"]);
  const cached = Math.min(input, asTokens(details?.["cached_tokens"] ?? details?.["cache_read_tokens"]));
  const cacheWrite = Math.min(input - cached, asTokens(details?.["cache_write_tokens"]));
  const thinking = asTokens(asObject(usage["completion_tokens_details"])?.["reasoning_tokens"]);
  return {
    input: input - cached - cacheWrite,
    cached,
    cacheWrite,
    cacheWrite1h: 0,
    output,
    thinking: Math.min(thinking, output),
  };
}
