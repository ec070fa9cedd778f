/**
 * The format of Gemini CLI's chats, in all layouts. Only this file names fields and record types, so that a renamed field is a
 * change in one place.
 */
import type { TokenCounts } from "../../core/cost.ts";
import type { SessionImage } from "../../core/session.ts";
import { asArray, asNumber, asObject, asObjects, asText, asTime, asTokens, type Json } from "../../lib/json/fields.ts";
import { optional } from "../../lib/values/optional.ts";
import { callsIn, partsOf, plainText, responsesIn, thoughtsIn, type Response } from "../shared/parts-format.ts";
import { picturesOf } from "../shared/pictures.ts";

const MESSAGE_TYPES = new Set(["user", "gemini", "info", "warning", "error"]);

/** The id and type of a message; undefined for other records. */
export function identityOf(record: Json): { id: string; type: string } | undefined {
  const id = asText(record["id"]);
  const type = asText(record["type"]);
  return id !== undefined && type !== undefined && MESSAGE_TYPES.has(type) ? { id, type } : undefined;
}

export const typeOf = (record: Json): unknown => record["type"];

/** The operation of a line in a chat file. */
type Step =
  | { kind: "message" }
  | { kind: "rewind"; to: string }
  | { kind: "header"; fields: Json; messages?: unknown[] | undefined };

export function stepOf(record: Json): Step | undefined {
  if (typeof record["$rewindTo"] === "string") return { kind: "rewind", to: record["$rewindTo"] };
  if (typeof record["id"] === "string") return { kind: "message" };
  const set = asObject(record["$set"]);
  if (set !== undefined) return { kind: "header", fields: set, messages: asArray(set["messages"]) };
  const isHeader = typeof record["sessionId"] === "string" || typeof record["projectHash"] === "string";
  return isHeader ? { kind: "header", fields: record } : undefined;
}

/** The n-th message of a line that replaces the whole list. */
export function messageAt(record: Json, index: number): Json | undefined {
  return asObject(asArray(asObject(record["$set"])?.["messages"])?.[index]);
}

/** `projects.json`: the folder under `tmp/` of each directory. */
export function foldersIn(projects: Json | undefined): ReadonlyMap<string, string> {
  const entries = Object.entries(asObject(projects?.["projects"]) ?? {});
  return new Map(entries.filter((entry): entry is [string, string] => typeof entry[1] === "string"));
}

export type Header = ReturnType<typeof headerOf>;

export function headerOf(fields: Json) {
  return {
    projectHash: asText(fields["projectHash"]),
    kind: asText(fields["kind"]),
    summary: asText(fields["summary"]),
    directories: (asArray(fields["directories"]) ?? []).filter((item) => typeof item === "string"),
    startMs: asTime(fields["startTime"]),
    lastMs: asTime(fields["lastUpdated"]),
  };
}

/** A chat of 0.5.5 to 0.38 in one document. */
export function documentParts(document: Json): { header: Json; messages: Json[] } {
  const { messages, ...header } = document;
  return { header, messages: asObjects(messages) };
}

/** The first line of a chat that amux writes. Gemini CLI assigns its own session id. */
export function forkHeader(projectHash: string | undefined, startTime: string, lastUpdated: string): Json {
  return {
    sessionId: crypto.randomUUID(),
    ...optional("projectHash", projectHash),
    startTime,
    lastUpdated,
    kind: "main",
  };
}

/** The documented layout has `role` and `parts` instead of `type` and `content`, and no ids. */
export function normalized(record: Json, id: string): Json {
  const role = asText(record["role"]);
  if (role === undefined || record["type"] !== undefined) return record;
  const metadata = asObject(record["usageMetadata"]);
  return {
    ...record,
    id: asText(record["id"]) ?? id,
    type: role === "model" ? "gemini" : role,
    content: record["content"] ?? record["parts"],
    ...(metadata ? { tokens: tokensFromMetadata(metadata) } : {}),
  };
}

/** A line of `logs.json`: a typed prompt. */
export function logEntry(item: unknown) {
  const entry = asObject(item);
  const sessionId = asText(entry?.["sessionId"]);
  const text = asText(entry?.["message"]);
  if (entry?.["type"] !== "user" || sessionId === undefined || text === undefined) return undefined;
  return { sessionId, text, timestamp: entry["timestamp"], at: timeOf(entry) };
}

/** A saved history. 0.2.2 wrote only the list, later versions put it beside the sign-in method. */
export function savedHistory(saved: unknown): Json[] {
  return asObjects(asArray(saved) ?? asObject(saved)?.["history"]);
}

/** A typed prompt, as a record. */
export function typedRecord(id: string, text: string, timestamp: unknown): Json {
  return { id, type: "user", content: text, timestamp };
}

/** A content as sent to the API, as a record; `next` holds the results of its calls. */
export function savedRecord(id: string, content: Json, next: Json | undefined): Json {
  const type = content["role"] === "model" ? "gemini" : "user";
  return { id, type, content: withCallIds(content["parts"], next?.["parts"]) };
}

export function stampRecord(record: Json, timestamp: unknown): void {
  record["timestamp"] = timestamp;
}

/** Calls of 0.2.2 have no id, but their responses do; responses are in call order. */
function withCallIds(parts: unknown, answers: unknown): Json[] {
  const unused = responsesIn(answers);
  return partsOf(parts).map((part) => {
    const call = asObject(part["functionCall"]);
    if (call === undefined || asText(call["id"]) !== undefined) return part;
    const found = unused.findIndex((response) => response.name === call["name"]);
    const id = found === -1 ? undefined : unused.splice(found, 1)[0]!.id;
    return { ...part, functionCall: { ...call, ...optional("id", id) } };
  });
}

/** The parts as typed, whereas content has files and commands filled in; non-text parts are named. */
export function typedParts(record: Json): { text: string; isText: boolean }[] {
  return partsOf(record["displayContent"] ?? record["content"]).flatMap((part) => {
    const text = asText(part["text"]);
    if (text !== undefined) return { text, isText: true };
    const type = asObject(part["inlineData"])?.["mimeType"];
    if (asObject(part["inlineData"]) === undefined) return [];
    return { text: asText(type)?.startsWith("image/") ? "[image]" : "[file]", isText: false };
  });
}

export const isReply = (record: Json): boolean => record["type"] === "gemini";
export const isUser = (record: Json): boolean => record["type"] === "user";
export const isInfo = (record: Json): boolean => record["type"] === "info";
export const hasTokens = (record: Json): boolean => asObject(record["tokens"]) !== undefined;

/** The visible text of a record, without thoughts. */
export const textOf = (record: Json): string => plainText(record["content"]);
export const imagesOf = (record: Json): { images?: SessionImage[] } => picturesOf(record["content"]);
export const responsesOf = (record: Json): Response[] => responsesIn(record["content"]);
export const modelOf = (record: Json): string | undefined => asText(record["model"]);

/** How complete a record is; of two with the same id the fuller one counts. */
export function detailOf(record: Json): number {
  const hasCalls = (asArray(record["toolCalls"])?.length ?? 0) > 0;
  return (hasCalls ? 4 : 0) + (asObject(record["tokens"]) ? 2 : 0) + (modelOf(record) === undefined ? 0 : 1);
}

export interface Call {
  id: string;
  name: string;
  input: unknown;
  /** The status, if recorded: `success`, `error`, `cancelled`. */
  status?: string;
  /** The function response, if it is in the same record. */
  response?: Json;
  /** When the response was recorded. */
  at?: number;
}

/** Tool calls of a reply: its own list, or, in a history that was recorded again, its functionCall parts. */
export function callsOf(record: Json): Call[] {
  const listed = asArray(record["toolCalls"]);
  if (listed && listed.length > 0) return listed.flatMap((item) => listedCall(asObject(item)) ?? []);
  return callsIn(record["content"]);
}

function listedCall(item: Json | undefined): Call | undefined {
  const name = asText(item?.["name"]);
  if (item === undefined || name === undefined) return undefined;
  const call: Call = { id: asText(item["id"]) ?? name, name, input: item["args"] };
  const status = asText(item["status"]);
  if (status !== undefined) call.status = status;
  // A resume copies the responses of all parallel calls into each of them.
  const responses = responsesIn(item["result"]);
  const own = responses.find((response) => response.id === call.id) ?? responses[0];
  const response = own?.response ?? writtenResult(item["result"]);
  if (response !== undefined) call.response = response;
  const at = timeOf(item);
  if (at !== undefined) call.at = at;
  return call;
}

function writtenResult(result: unknown): Json | undefined {
  const text = plainText(result);
  return text === "" ? undefined : { output: text };
}

export function thinkingOf(record: Json): string | undefined {
  const thoughts = (asArray(record["thoughts"]) ?? []).flatMap((item) => {
    const thought = asObject(item);
    const subject = asText(thought?.["subject"]);
    const text = [subject === undefined ? undefined : `**${subject}**`, asText(thought?.["description"])];
    return text.filter((piece) => piece !== undefined).join(" ");
  });
  const all = thoughts.length > 0 ? thoughts : thoughtsIn(record["content"]);
  return all.length > 0 ? all.join("\n\n") : undefined;
}

export function timeOf(record: Json): number | undefined {
  return asTime(record["timestamp"]);
}

/** A shell command that exits with 3 is a success here: the call worked. */
export function isFailed(response: Json | undefined, status: string | undefined): boolean {
  if (status !== undefined) return status === "error" || status === "cancelled";
  return response !== undefined && response["output"] === undefined && response["error"] !== undefined;
}

/** `tokens` of a reply; undefined if Gemini CLI wrote none. */
export function tokensOf(record: Json): TokenCounts | undefined {
  const tokens = asObject(record["tokens"]);
  if (tokens === undefined) return undefined;
  const input = asTokens(tokens["input"]);
  const cached = asTokens(tokens["cached"]);
  const thinking = asTokens(tokens["thoughts"]);
  // Results of server-side tools, added to the prompt: input.
  const tool = asTokens(tokens["tool"]);
  const output = asTokens(tokens["output"]) + thinking;
  const fresh = inputHoldsCached(asNumber(tokens["total"]), input + output + tool, cached, input)
    ? input - cached
    : input;
  return { input: fresh + tool, cached, cacheWrite: 0, cacheWrite1h: 0, output, thinking };
}

/**
 * Whether `input` includes cached tokens. It does in all recordings so far; other tools that write this format exclude them, and
 * the total shows which.
 */
function inputHoldsCached(total: number | undefined, sum: number, cached: number, input: number): boolean {
  if (cached > input) return false;
  return total !== sum + cached || cached === 0;
}

/** The API's names for the same counts, as in the documented layout. */
function tokensFromMetadata(metadata: Json): Json {
  return {
    input: metadata["promptTokenCount"],
    output: metadata["candidatesTokenCount"],
    cached: metadata["cachedContentTokenCount"],
    thoughts: metadata["thoughtsTokenCount"],
    tool: metadata["toolUsePromptTokenCount"],
    total: metadata["totalTokenCount"],
  };
}
