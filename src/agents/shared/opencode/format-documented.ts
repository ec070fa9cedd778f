/**
 * The database as OpenCode's documentation describes it: tables `sessions`, `messages` and `tool_calls`. No released
 * version writes it. Here `parent_id` is the source of a fork.
 */
import type { MessageRole, SessionMessage, SessionToolCall } from "../../../core/session.ts";
import { asNumber, asString, asText, asTime, wordOf } from "../../../lib/json/fields.ts";
import { jsonOrText } from "../../../lib/json/json.ts";
import { optional } from "../../../lib/values/optional.ts";
import { withDatabase, type ReadOnlyDatabase, type Row } from "../../../lib/sqlite/sqlite.ts";
import type { SessionHead, UsageRecord } from "../../adapter.ts";
import type { ParsedSession } from "../../in-memory.ts";
import type { ReadNotes } from "../../read-notes.ts";
import { sessionTitle } from "../../session-title.ts";
import { tokensInRow } from "../documented-tables.ts";
import { mostUsed } from "../model-uses.ts";
import { withTimestamp } from "../message-fields.ts";
import type { ListedRow } from "./head.ts";
import { tokenUsageOf } from "./transcript.ts";

/** Undefined if the database lacks these tables. */
export function listDocumented(database: ReadOnlyDatabase): ListedRow[] | undefined {
  if (!database.hasColumn("sessions", "id") || !database.hasColumn("messages", "session_id")) return undefined;
  const listed: ListedRow[] = [];
  for (const session of database.all("SELECT * FROM sessions")) {
    const messages = messageRows(database, session["id"]);
    if (messages.length > 0)
      listed.push({ id: String(session["id"]), head: headOf(session, messages), documented: true });
  }
  return listed;
}

export function readDocumented(path: string, id: string, notes: ReadNotes): ParsedSession | undefined {
  return withDatabase(path, (database) => {
    const session = database.all("SELECT * FROM sessions WHERE id = ?", id)[0];
    const rows = messageRows(database, id);
    if (session === undefined || rows.length === 0) return undefined;
    const calls = toolRows(database, id);
    const callsOf = new Map<unknown, Row[]>();
    for (const call of calls) callsOf.set(call["message_id"], [...(callsOf.get(call["message_id"]) ?? []), call]);
    const originals = copiedFrom(database, rows, session["parent_id"], new Set([id]));
    const messages: SessionMessage[] = [];
    const usage: UsageRecord[] = [];
    for (const [index, row] of rows.entries()) {
      const original = originals[index];
      const message = messageOf(row, callsOf.get(row["id"]) ?? [], notes);
      if (message !== undefined) messages.push(original === undefined ? message : { ...message, inherited: true });
      const record = usageOf(row, original);
      if (record !== undefined) usage.push(record);
    }
    const raw = { session, messages: rows, toolCalls: calls };
    return { head: headOf(session, rows), messages, usage, raw };
  });
}

function messageRows(database: ReadOnlyDatabase, sessionId: unknown): Row[] {
  if (typeof sessionId !== "string" && typeof sessionId !== "number") return [];
  const order = database.hasColumn("messages", "created_at") ? "created_at, rowid" : "rowid";
  return database.all(`SELECT * FROM messages WHERE session_id = ? ORDER BY ${order}`, sessionId);
}

function toolRows(database: ReadOnlyDatabase, sessionId: string): Row[] {
  if (!database.hasColumn("tool_calls", "message_id")) return [];
  const sql = `SELECT * FROM tool_calls
    WHERE message_id IN (SELECT id FROM messages WHERE session_id = ?) ORDER BY rowid`;
  return database.all(sql, sessionId);
}

function headOf(session: Row, messages: Row[]): SessionHead {
  const prompt = messages.find((row) => row["role"] === "user");
  const createdMs = asTime(session["created_at"]) ?? asTime(messages[0]?.["created_at"]);
  const forkedFrom = asText(session["parent_id"]);
  return {
    title: sessionTitle(asText(session["title"]), asText(prompt?.["content"])),
    ...(createdMs === undefined ? {} : { createdMs, startedMs: createdMs }),
    ...optional("updatedMs", asTime(session["updated_at"]) ?? asTime(messages.at(-1)?.["created_at"])),
    ...optional("model", asText(session["model"]) ?? mostUsed(messages.map((row) => asText(row["model"])))),
    ...optional("cwd", asText(session["cwd"]) ?? asText(session["directory"])),
    familyKeys: [String(session["id"]), ...(forkedFrom === undefined ? [] : [forkedFrom])],
    ...optional("forkedFrom", forkedFrom),
  };
}

const COPIED_COLUMNS = ["role", "content", "model", "input_tokens", "output_tokens", "cached_tokens", "cost_usd"];

/** Leading messages with the same text and cost as the source's are copies: maps each to the id of the original. */
function copiedFrom(database: ReadOnlyDatabase, rows: Row[], sourceId: unknown, seen: Set<unknown>): string[] {
  const source = seen.has(sourceId) ? [] : messageRows(database, sourceId);
  const differs = (row: Row, index: number): boolean =>
    COPIED_COLUMNS.some((column) => row[column] !== source[index]?.[column]);
  const end = rows.findIndex((row, index) => index >= source.length || differs(row, index));
  const copied = source.slice(0, end === -1 ? rows.length : end);
  if (copied.length === 0) return [];
  const parent = database.get("SELECT parent_id FROM sessions WHERE id = ?", String(sourceId))?.["parent_id"];
  const earlier = copiedFrom(database, copied, parent, new Set([...seen, sourceId]));
  return copied.map((row, index) => earlier[index] ?? String(row["id"]));
}

const ROLES = new Set<unknown>(["user", "assistant", "system", "tool"]);

function messageOf(row: Row, calls: Row[], notes: ReadNotes): SessionMessage | undefined {
  const role = row["role"];
  if (!ROLES.has(role)) {
    notes.unknown(`documented message ${wordOf(role)}`);
    return undefined;
  }
  const content = asString(row["content"]) ?? "";
  const tokenUsage = tokenUsageOf(tokensInRow(row));
  const isAssistant = role === "assistant";
  return {
    role: role as MessageRole,
    content,
    ...withTimestamp(asTime(row["created_at"])),
    ...(isAssistant && calls.length > 0 ? { toolCalls: calls.map(toolCallOf) } : {}),
    ...(role === "tool" ? { toolResult: { toolCallId: String(row["id"]), toolName: "tool", output: content } } : {}),
    ...optional("thinking", asText(row["thinking"])),
    ...optional("model", asText(row["model"])),
    ...(isAssistant && tokenUsage !== undefined ? { tokenUsage } : {}),
  };
}

function toolCallOf(row: Row): SessionToolCall {
  return {
    toolCallId: String(row["id"]),
    toolName: asText(row["tool_name"]) ?? asText(row["name"]) ?? "unknown",
    input: jsonOrText(row["input"]),
    ...(row["output"] === null || row["output"] === undefined ? {} : { output: row["output"] }),
    ...optional("durationMs", asNumber(row["duration_ms"])),
    ...(row["status"] === "error" || row["status"] === "failed" ? { isError: true } : {}),
  };
}

function usageOf(row: Row, original: string | undefined): UsageRecord | undefined {
  const tokens = tokensInRow(row);
  const cost = asNumber(row["cost_usd"]) ?? 0;
  if (row["role"] !== "assistant" || (cost <= 0 && tokenUsageOf(tokens) === undefined)) return undefined;
  return {
    key: original ?? String(row["id"]),
    tokens,
    ...optional("at", asTime(row["created_at"])),
    ...optional("model", asText(row["model"])),
    ...(cost > 0 ? { reportedMicroUsd: cost * 1e6 } : {}),
    ...(original === undefined ? {} : { copied: true }),
  };
}
