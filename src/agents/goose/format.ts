/** The tables, columns and message parts of Goose's database. Only this file names them. */
import type { TokenCounts } from "../../core/cost.ts";
import { asNumber, asObject, asObjects, asString, asText, asTime, asTokens, type Json } from "../../lib/json/fields.ts";
import { parseJson, parseObject } from "../../lib/json/json.ts";
import type { ReadOnlyDatabase, Row } from "../../lib/sqlite/sqlite.ts";
import { columnList } from "../shared/columns.ts";
import { picturesOf } from "../shared/pictures.ts";

const SESSION_COLUMNS = [
  ...["name", "description", "working_dir", "created_at", "updated_at", "model_config_json"],
  ...["input_tokens", "output_tokens", "accumulated_input_tokens", "accumulated_output_tokens"],
];
const MESSAGE_COLUMNS = ["id", "message_id", "role", "content_json", "created_timestamp", "metadata_json"];

/** Names that Goose gives before it knows a better one. */
const UNNAMED = new Set(["CLI Session", "New Chat"]);

export function hasSessions(database: ReadOnlyDatabase): boolean {
  return database.hasColumn("sessions", "id") && database.hasColumn("messages", "content_json");
}

/** Sessions with messages: all, or the one with the id. */
export function sessionRows(database: ReadOnlyDatabase, id?: string): Row[] {
  const of = "FROM messages m WHERE m.session_id = s.id";
  const first = database.hasColumn("messages", "message_id")
    ? `(SELECT m.message_id ${of} ORDER BY m.created_timestamp, m.id LIMIT 1)`
    : "NULL";
  const query = `SELECT s.id AS id, ${columnList(database, "sessions", "s", SESSION_COLUMNS)}, ${first} AS first_message,
    (SELECT m.content_json ${of} AND m.role = 'user' ORDER BY m.created_timestamp, m.id LIMIT 1) AS prompt
    FROM sessions s WHERE EXISTS (SELECT 1 ${of})`;
  return id === undefined ? database.all(query) : database.all(`${query} AND s.id = ?`, id);
}

export function sessionOf(row: Row) {
  const named = [row["name"], row["description"]].map(asText).find((name) => name !== undefined && !UNNAMED.has(name));
  return {
    id: asText(row["id"]),
    name: named,
    prompt: () => textOf(partsOf(row["prompt"])),
    cwd: asText(row["working_dir"]),
    createdMs: timeOf(row["created_at"]),
    updatedMs: timeOf(row["updated_at"]),
    model: asText(parseObject(row["model_config_json"])?.["model_name"]),
    firstMessage: asText(row["first_message"]),
    tokens: tokensOf(row),
  };
}

/** Of all requests; older versions have only the last one's. Input includes the cache, which is not told apart. */
function tokensOf(row: Row): TokenCounts | undefined {
  const input = asNumber(row["accumulated_input_tokens"]) ?? asNumber(row["input_tokens"]);
  const output = asNumber(row["accumulated_output_tokens"]) ?? asNumber(row["output_tokens"]);
  if (input === undefined && output === undefined) return undefined;
  const none = { cached: 0, cacheWrite: 0, cacheWrite1h: 0, thinking: 0 };
  return { ...none, input: asTokens(input), output: asTokens(output) };
}

/** SQLite's own times are in UTC and do not say so. */
function timeOf(value: unknown): number | undefined {
  const text = asText(value);
  return asTime(text !== undefined && /^[\d-]+ [\d:.]+$/.test(text) ? `${text.replace(" ", "T")}Z` : value);
}

export function messageRows(database: ReadOnlyDatabase, id: string): Row[] {
  const columns = columnList(database, "messages", "m", MESSAGE_COLUMNS);
  // The times are whole seconds, so the order within one is that of the rows.
  return database.all(
    `SELECT ${columns} FROM messages m WHERE m.session_id = ? ORDER BY m.created_timestamp, m.id`,
    id,
  );
}

/** A row for `Session.raw`: JSON in JSON would hide what is in it from redaction. */
export function rawMessage(row: Row): Row {
  return { ...row, content_json: parseJson(row["content_json"]) ?? row["content_json"] };
}

export function rawSession(database: ReadOnlyDatabase, id: string): Row | undefined {
  return database.get("SELECT * FROM sessions WHERE id = ?", id);
}

export function messageOf(row: Row) {
  const parts = partsOf(row["content_json"]);
  return {
    role: asText(row["role"]),
    at: asTime(row["created_timestamp"]),
    parts,
    /** Only the model sees it: a summary, or what a command stands for. */
    isForModel: parseObject(row["metadata_json"])?.["userVisible"] === false,
    text: textOf(parts),
    thinking: parts.flatMap((part) => thinkingIn(part) ?? []).join("\n"),
    images: picturesOf(parts),
    calls: parts.flatMap((part) => callOf(part) ?? []),
    results: parts.flatMap((part) => resultOf(part) ?? []),
    /** Types of parts that this reader does not know. */
    unknown: parts.map(({ type }) => String(type)).filter((type) => !KNOWN.has(type)),
  };
}

const KNOWN = new Set([
  ...["text", "image", "toolRequest", "toolResponse", "toolConfirmationRequest", "actionRequired", "reasoning"],
  ...["frontendToolRequest", "thinking", "redactedThinking", "systemNotification", "conversationCompacted"],
]);

function partsOf(content: unknown): Json[] {
  return asObjects(parseJson(content));
}

function textOf(parts: readonly Json[]): string {
  const texts = parts.flatMap((part) => {
    if (part["type"] === "text") return asString(part["text"]) ?? [];
    if (part["type"] === "image") return "[image]";
    return part["type"] === "systemNotification" ? (asString(part["msg"]) ?? []) : [];
  });
  return texts.join("\n");
}

function thinkingIn(part: Json): string | undefined {
  if (part["type"] === "thinking") return asText(part["thinking"]);
  return part["type"] === "reasoning" ? asText(part["text"]) : undefined;
}

/** A call that could not be parsed has an error in place of its value. */
function callOf(part: Json) {
  if (part["type"] !== "toolRequest" && part["type"] !== "frontendToolRequest") return undefined;
  const call = asObject(asObject(part["toolCall"])?.["value"]);
  return { id: asText(part["id"]) ?? "", name: asText(call?.["name"]) ?? "", input: call?.["arguments"] };
}

function resultOf(part: Json) {
  if (part["type"] !== "toolResponse") return undefined;
  const result = asObject(part["toolResult"]);
  // Older versions have the list of contents itself.
  const value = asObject(result?.["value"]) ?? { content: result?.["value"] };
  const contents = asObjects(value["content"]).map(
    (content) => asString(content["text"]) ?? `[${String(content["type"])}]`,
  );
  return {
    id: asText(part["id"]) ?? "",
    output: asText(result?.["error"]) ?? contents.join("\n"),
    hasFailed: result?.["status"] === "error" || value["isError"] === true,
  };
}
