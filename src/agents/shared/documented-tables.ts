/**
 * Tables `sessions` and `messages` as documented for Cursor and Hermes; no known version writes them. Columns beyond the
 * essential ones may be missing.
 */
import type { TokenCounts } from "../../core/cost.ts";
import type { SessionMessage } from "../../core/session.ts";
import { asNumber, asObjects, asString, asText, asTime, asTokens } from "../../lib/json/fields.ts";
import { parseJson } from "../../lib/json/json.ts";
import { optional } from "../../lib/values/optional.ts";
import type { ReadOnlyDatabase, Row } from "../../lib/sqlite/sqlite.ts";
import type { SessionHead, UsageRecord } from "../adapter.ts";
import type { ParsedSession } from "../in-memory.ts";
import type { ReadNotes } from "../read-notes.ts";
import { sessionTitle } from "../session-title.ts";
import { columnList } from "./columns.ts";
import type { ListedSession } from "./source-list.ts";
import { answerMessage, CallIndex, withTimestamp, tokenUsage, toolMessage } from "./message-fields.ts";

const SESSION_COLUMNS = ["title", "summary", "model", "cwd", "created_at", "updated_at"];
const MESSAGE_COLUMNS = [
  "id",
  "role",
  "content",
  "tool_calls",
  "tool_call_id",
  "tool_name",
  "thinking",
  "model",
  "input_tokens",
  "output_tokens",
  "thinking_tokens",
  "cached_tokens",
  "cost_usd",
  "created_at",
];

export function hasDocumentedTables(database: ReadOnlyDatabase): boolean {
  return (
    database.hasColumn("sessions", "id") &&
    database.hasColumn("messages", "session_id") &&
    database.hasColumn("messages", "role")
  );
}

export function listDocumentedSessions(database: ReadOnlyDatabase): ListedSession[] {
  return database.all(sessionQuery(database)).map((row) => ({ id: String(row["id"]), head: headOf(row) }));
}

/** Undefined if the session does not exist (any more). */
export function readDocumentedSession(
  database: ReadOnlyDatabase,
  id: string,
  notes: ReadNotes,
): ParsedSession | undefined {
  const session = database.get(`${sessionQuery(database)} WHERE s.id = ?`, id);
  if (session === undefined) return undefined;
  const columns = columnList(database, "messages", "m", MESSAGE_COLUMNS);
  const rows = database.all(`SELECT ${columns} FROM messages m WHERE m.session_id = ? ORDER BY m.rowid`, id);
  const messages: SessionMessage[] = [];
  const usage: UsageRecord[] = [];
  const calls = new CallIndex();
  for (const row of rows) {
    const message = messageOf(row, calls, notes);
    if (message !== undefined) messages.push(message);
    if (hasCounts(row)) usage.push(usageRecord(row, id, asText(row["model"]) ?? asText(session["model"])));
  }
  const raw = { session: database.get("SELECT * FROM sessions WHERE id = ?", id), messages: rows };
  return { head: headOf(session), messages, usage, raw };
}

function sessionQuery(database: ReadOnlyDatabase): string {
  const of = "FROM messages m WHERE m.session_id = s.id";
  const has = (column: string): boolean => database.hasColumn("messages", column);
  const uncounted = ["input_tokens", "output_tokens"].filter(has).map((name) => `AND m.${name} IS NULL`);
  const model = has("model")
    ? `(SELECT m.model ${of} AND m.model IS NOT NULL GROUP BY m.model ORDER BY count(*) DESC, max(m.rowid) DESC LIMIT 1)`
    : "NULL";
  const prompt = has("content")
    ? `(SELECT m.content ${of} AND m.role = 'user' AND m.content <> '' ORDER BY m.rowid LIMIT 1)`
    : "NULL";
  return `SELECT CAST(s.id AS TEXT) AS id, ${columnList(database, "sessions", "s", SESSION_COLUMNS)},
    ${model} AS used_model, ${prompt} AS prompt, (SELECT count(*) ${of} AND m.role = 'assistant') AS replies,
    (SELECT count(*) ${of} AND m.role = 'assistant' ${uncounted.join(" ")}) AS uncounted FROM sessions s`;
}

function headOf(row: Row): SessionHead {
  const replies = asNumber(row["replies"]) ?? 0;
  return {
    title: sessionTitle(asText(row["title"]) ?? asText(row["summary"]), asText(row["prompt"])),
    ...optional("createdMs", asTime(row["created_at"])),
    ...optional("updatedMs", asTime(row["updated_at"])),
    ...optional("model", asText(row["used_model"]) ?? asText(row["model"])),
    ...optional("cwd", asText(row["cwd"])),
    ...(replies > 0 && row["uncounted"] === replies ? { usageUnknown: true } : {}),
  };
}

function messageOf(row: Row, calls: CallIndex, notes: ReadNotes): SessionMessage | undefined {
  const role = asText(row["role"]);
  const content = asString(row["content"]) ?? "";
  const at = asTime(row["created_at"]);
  const time = withTimestamp(at);
  switch (role) {
    case "user":
    case "system":
      return { role, content, ...time };
    case "assistant":
      return reply(row, content, time, calls);
    case "tool": {
      const toolCallId = asText(row["tool_call_id"]) ?? "";
      const call = calls.answer(toolCallId, content, false, at);
      const toolName = asText(row["tool_name"]) ?? call?.toolName ?? "";
      return toolMessage({ toolCallId, toolName, output: content }, time);
    }
    default:
      notes.unknown(`role ${role ?? "(none)"}`);
      return undefined;
  }
}

function reply(row: Row, content: string, time: { timestamp?: Date }, calls: CallIndex): SessionMessage {
  const toolCalls = asObjects(parseJson(row["tool_calls"])).map((call) => ({
    toolCallId: asText(call["toolCallId"]) ?? "",
    toolName: asText(call["toolName"]) ?? "",
    input: call["input"],
  }));
  calls.add(toolCalls, time.timestamp?.getTime());
  const tokens = hasCounts(row) ? tokenUsage(tokensInRow(row)) : undefined;
  const [thinking, model] = [asText(row["thinking"]), asText(row["model"])];
  return answerMessage({ content, toolCalls, thinking, model, tokenUsage: tokens }, time);
}

function hasCounts(row: Row): boolean {
  return asNumber(row["input_tokens"]) !== undefined || asNumber(row["output_tokens"]) !== undefined;
}

/** The token counts of a row of `messages`; a missing column counts nothing. */
export function tokensInRow(row: Row): TokenCounts {
  const output = asTokens(row["output_tokens"]);
  return {
    input: asTokens(row["input_tokens"]),
    cached: asTokens(row["cached_tokens"]),
    cacheWrite: asTokens(row["cache_write_tokens"]),
    cacheWrite1h: 0,
    output,
    thinking: Math.min(output, asTokens(row["thinking_tokens"])),
  };
}

function usageRecord(row: Row, sessionId: string, model: string | undefined): UsageRecord {
  const usd = asNumber(row["cost_usd"]);
  return {
    key: `${sessionId}|${String(row["id"])}`,
    tokens: tokensInRow(row),
    ...optional("at", asTime(row["created_at"])),
    ...optional("model", model),
    ...(usd !== undefined && usd > 0 ? { reportedMicroUsd: usd * 1e6 } : {}),
  };
}
