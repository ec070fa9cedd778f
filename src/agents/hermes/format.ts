/**
 * The tables and columns of `state.db`, and the messages of transcript files, which have the same fields. Only this
 * file and format-index.ts name them.
 */
import type { SessionToolCall } from "../../core/session.ts";
import {
  asArray,
  asNumber,
  asObject,
  asObjects,
  asString,
  asText,
  asTime,
  type Json,
  wordOf,
} from "../../lib/json/fields.ts";
import { jsonOrText, jsonText, parseJson, parseObject } from "../../lib/json/json.ts";
import type { ReadOnlyDatabase, Row } from "../../lib/sqlite/sqlite.ts";
import { bytesColumn, columnList, textFromBytes } from "../shared/columns.ts";

/** The column of each count. */
const TOKEN_COLUMNS = {
  input: "input_tokens",
  output: "output_tokens",
  cacheRead: "cache_read_tokens",
  cacheWrite: "cache_write_tokens",
  reasoning: "reasoning_tokens",
} as const;
const COST_COLUMNS = ["estimated_cost_usd", "actual_cost_usd", "cost_status"];
const BILLING_COLUMNS = ["model", "billing_provider", "billing_base_url", "billing_mode"];
const PARENT_COLUMNS = ["end_reason", "ended_at", "session_key"];

const SESSION_COLUMNS = [
  ...["id", "source", "model", "model_config", "parent_session_id", "session_key"],
  ...["started_at", "ended_at", "last_activity_at", "title", "cwd", "git_branch", "archived", "hidden"],
  ...Object.values(TOKEN_COLUMNS),
  ...COST_COLUMNS,
];

const USAGE_COLUMNS = [
  ...["session_id", ...BILLING_COLUMNS, "task", "api_call_count"],
  ...Object.values(TOKEN_COLUMNS),
  ...COST_COLUMNS,
  "last_seen",
];

/** Sessions tables are recognised by their time columns in seconds. */
export function isStateStore(database: ReadOnlyDatabase): boolean {
  return database.hasColumn("sessions", "started_at") && database.hasColumn("messages", "timestamp");
}

/** Excludes rows undone with /undo. Older schemas have no mark, or NULL. */
export function visibleRows(database: ReadOnlyDatabase, alias: string): string {
  if (!database.hasColumn("messages", "active")) return "1";
  const compacted = database.hasColumn("messages", "compacted") ? ` OR ${alias}.compacted = 1` : "";
  return `(${alias}.active IS NOT 0${compacted})`;
}

/** All sessions, or the one with the id. */
export function sessionRows(database: ReadOnlyDatabase, id?: string): Row[] {
  const visible = visibleRows(database, "m");
  const parent = PARENT_COLUMNS.map((name) =>
    database.hasColumn("sessions", name) ? `p.${name} AS parent_${name}` : `NULL AS parent_${name}`,
  );
  const join = database.hasColumn("sessions", "parent_session_id") ? "s.parent_session_id" : "NULL";
  const sql = `SELECT ${columnList(database, "sessions", "s", SESSION_COLUMNS)}, ${parent.join(", ")},
    (SELECT min(m.timestamp) FROM messages m WHERE m.session_id = s.id AND ${visible}) AS first_at,
    (SELECT max(m.timestamp) FROM messages m WHERE m.session_id = s.id AND ${visible}) AS last_at,
    EXISTS (SELECT 1 FROM messages m WHERE m.session_id = s.id AND m.role = 'assistant'
      AND m.timestamp >= s.started_at) AS replied
    FROM sessions s LEFT JOIN sessions p ON p.id = ${join}`;
  return id === undefined ? database.all(sql) : database.all(`${sql} WHERE s.id = ?`, id);
}

export function rawSession(database: ReadOnlyDatabase, id: string): Row | undefined {
  return database.get("SELECT * FROM sessions WHERE id = ?", id);
}

export type SessionFields = ReturnType<typeof sessionFields>;

export function sessionFields(row: Row) {
  const config = parseObject(row["model_config"]);
  return {
    id: asText(row["id"]),
    title: asText(row["title"]),
    cwd: asText(row["cwd"]),
    branch: asText(row["git_branch"]),
    archived: row["archived"] === 1 || row["hidden"] === 1,
    started: row["started_at"],
    startedMs: asTime(row["started_at"]),
    firstMs: asTime(row["first_at"]),
    lastMs: asTime(row["last_at"]),
    hasMessages: row["last_at"] !== null,
    touched: [row["last_at"], row["last_activity_at"], row["ended_at"], row["started_at"]]
      .map(asTime)
      .filter((time) => time !== undefined),
    replied: row["replied"] === 1,
    /** The totals of the conversation. */
    sums: usageFields(row),
    /** Marks of a session's origin; older databases lack them and have the other columns. */
    marked: {
      delegate: asText(config?.["_delegate_from"]),
      branch: asText(config?.["_branched_from"]),
      reset: asText(config?.["_reset_from"]),
    },
    parent: asText(row["parent_session_id"]),
    isSubagent: row["source"] === "subagent",
    startedAfterParent: (asNumber(row["started_at"]) ?? 0) >= (asNumber(row["parent_ended_at"]) ?? Infinity),
    parentEnd: endOf(asText(row["parent_end_reason"]) ?? ""),
    sameKeyAsParent: asText(row["session_key"]) !== undefined && row["session_key"] === row["parent_session_key"],
  };
}

const RESETS = "session_reset session_switch idle daily suspended resume_pending_expired".split(" ");

/** What ended a session, if another one continues it. */
function endOf(reason: string): "branch" | "compression" | "reset" | undefined {
  if (reason === "compression") return reason;
  if (reason === "branched") return "branch";
  return RESETS.includes(reason) ? "reset" : undefined;
}

/** The usage of each session by model, or of one session. */
export function usageRows(database: ReadOnlyDatabase, id?: string): Row[] {
  if (!database.hasTable("session_model_usage")) return [];
  const query = `SELECT ${columnList(database, "session_model_usage", "u", USAGE_COLUMNS)} FROM session_model_usage u`;
  return id === undefined ? database.all(query) : database.all(`${query} WHERE u.session_id = ?`, id);
}

export const sessionIdOf = (row: Row): string => String(row["session_id"]);

export type UsageFields = ReturnType<typeof usageFields>;

export function usageFields(row: Row) {
  const [estimated, actual, status] = COST_COLUMNS.map((column) => row[column]);
  const counts = Object.entries(TOKEN_COLUMNS).map(([name, column]) => [name, row[column]]);
  return {
    model: asText(row["model"]),
    /** Identifies a row within a session. */
    keys: BILLING_COLUMNS.map((column) => asText(row[column]) ?? ""),
    /** '' is the conversation; the first versions of the table had no such column and held nothing else. */
    task: asText(row["task"]) ?? "",
    calls: asNumber(row["api_call_count"]) ?? 0,
    lastMs: asTime(row["last_seen"]),
    counts: Object.fromEntries(counts) as Record<keyof typeof TOKEN_COLUMNS, unknown>,
    estimatedUsd: estimated,
    actualUsd: actual,
    costStatus: status,
  };
}

/** Text is read as bytes, because it may contain NUL. */
export function messageRows(database: ReadOnlyDatabase, id: string): Row[] {
  const bytes = bytesColumn("m.content", "content_bytes");
  return database
    .all(`SELECT m.*, ${bytes} FROM messages m WHERE m.session_id = ? ORDER BY m.id`, id)
    .map(({ content_bytes: content, ...row }) => ({
      ...row,
      content: content === null ? null : textFromBytes(content),
    }));
}

/** The first visible prompt row after another row. */
export function nextPromptRow(database: ReadOnlyDatabase, id: string, after: number): Row | undefined {
  const kind = columnList(database, "messages", "m", ["display_kind"]);
  const sql = `SELECT m.id AS id, ${bytesColumn("m.content", "content")}, ${kind} FROM messages m
    WHERE m.session_id = ? AND m.role = 'user' AND m.id > ? AND ${visibleRows(database, "m")} ORDER BY m.id LIMIT 1`;
  const row = database.get(sql, id, after);
  return row && { ...row, content: textFromBytes(row["content"]) };
}

/** Converts a transcript line to a row, in which lists are JSON strings. */
export function rowOfLine(record: Json): Row {
  const { tool_calls: calls, content } = record;
  return {
    ...record,
    content: asArray(content) === undefined ? content : storedParts(content),
    tool_calls: calls === undefined || typeof calls === "string" ? calls : jsonText(calls),
  };
}

export const isPromptLine = (record: Json): boolean => record["role"] === "user";
/** Old gateways wrote the tools and the model as a row with this role. */
export const META_ROLE = "session_meta";
export const modelOf = (record: Json): string | undefined => asText(record["model"]);

/** Converts a document to lines. */
export function documentLines(document: unknown): Json[] | undefined {
  const fields = asObject(document);
  const messages = asArray(fields?.["messages"]);
  if (fields === undefined || messages === undefined) return undefined;
  const meta = (time: string): Json => ({ role: META_ROLE, model: fields["model"], timestamp: fields[time] });
  return [meta("session_start"), ...asObjects(messages), meta("last_updated")];
}

export const rowIdOf = (row: Row): number => Number(row["id"]);
export const roleOf = (row: Row): string => wordOf(row["role"]);
export const atOf = (row: Row): number | undefined => asTime(row["timestamp"]);
export const isLive = (row: Row): boolean => row["active"] !== 0;
export const isVisible = (row: Row): boolean => isLive(row) || row["compacted"] === 1;
/** It was never shown. */
export const isHidden = (row: Row): boolean => row["display_kind"] === "hidden";
export const textOf = (row: Row): string => contentText(asText(row["content"]) ?? "");
export const callIdOf = (row: Row): string => asText(row["tool_call_id"]) ?? "";
export const toolNameOf = (row: Row): string | undefined => asText(row["tool_name"]);
export const isOlderThan = (row: Row, started: unknown): boolean => Number(row["timestamp"]) < Number(started);
export const saysTheSame = (a: Row, b: Row): boolean => a["role"] === b["role"] && a["content"] === b["content"];

export function identityOf(row: Row): string {
  return `${roleOf(row)}|${wordOf(row["timestamp"])}|${callIdOf(row)}`;
}

export function thinkingOf(row: Row): string | undefined {
  return asText(row["reasoning_content"]) ?? asText(row["reasoning"]) ?? reasoningTexts(row["reasoning_details"]);
}

/** Reasoning in blocks: `{text}` or `{summary}` each; encrypted blocks have neither. */
function reasoningTexts(json: unknown): string | undefined {
  const texts = asObjects(parseJson(json))
    .map((block) => asText(block["text"]) ?? asText(block["summary"]))
    .filter((text) => text !== undefined);
  return texts.length === 0 ? undefined : texts.join("\n\n");
}

export function toolCallsOf(row: Row): SessionToolCall[] {
  return asObjects(parseJson(row["tool_calls"])).map((call) => {
    const named = asObject(call["function"]) ?? call;
    return {
      toolCallId: asText(call["id"]) ?? asText(call["call_id"]) ?? "",
      toolName: asText(named["name"]) ?? "",
      // JSON that Hermes may have truncated; then the raw text is used.
      input: jsonOrText(named["arguments"]),
    };
  });
}

/** Tools answer in JSON of various shapes; these indicate a failure. */
export function isFailure(text: string): boolean {
  const result = text.startsWith("{") ? asObject(parseJson(text)) : undefined;
  if (result === undefined) return false;
  const exit = result["exit_code"];
  return (
    asText(result["error"]) !== undefined || result["success"] === false || (typeof exit === "number" && exit !== 0)
  );
}

/** Anything except plain text is stored as this and a list of parts. */
const PARTS_MARK = "\0json:";

/** Parts as stored in a database. */
function storedParts(parts: unknown): string {
  return `${PARTS_MARK}${jsonText(parts)}`;
}

export function contentText(stored: string): string {
  if (!stored.startsWith(PARTS_MARK)) return stored;
  const json = stored.slice(PARTS_MARK.length);
  const parts = parseJson(json);
  const list = asArray(parts);
  if (list === undefined) return asString(parts) ?? json;
  return list
    .map(partText)
    .filter((text) => text !== "")
    .join("\n");
}

function partText(part: unknown): string {
  if (typeof part === "string") return part;
  const object = asObject(part);
  if (object === undefined) return "";
  const text = asText(object["text"]) ?? asText(object["content"]);
  if (text !== undefined) return text;
  const type = asText(object["type"]);
  return type === undefined ? "" : `[${type.replace(/_url$/, "")}]`;
}
