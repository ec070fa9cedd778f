/**
 * `sessions/sessions.db` as the documentation describes it: tables of sessions and messages with token counts. No known
 * version writes it. Ids are whole numbers or UUIDs; columns beyond the essential ones may be missing.
 */
import type { TokenCounts } from "../../core/cost.ts";
import type { SessionMessage, SessionToolCall, TokenUsage } from "../../core/session.ts";
import { asArray, asNumber, asObject, asString, asText, asTime, asTokens } from "../../lib/fields.ts";
import type { ReadOnlyDatabase, Row } from "../../lib/sqlite.ts";
import { titleFrom } from "../../lib/text.ts";
import type { SessionHead, UsageRecord } from "../adapter.ts";
import type { ParsedSession } from "../in-memory.ts";
import type { ReadNotes } from "../read-notes.ts";

const SESSION_COLUMNS = ["title", "model", "cwd", "created_at", "updated_at"];
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
  "created_at",
];

export interface DocumentedSession {
  id: string;
  head: SessionHead;
}

export function listDocumentedSessions(database: ReadOnlyDatabase): DocumentedSession[] {
  const required = [["sessions", "id"] as const, ["messages", "session_id"] as const, ["messages", "role"] as const];
  if (!required.every(([table, column]) => database.hasColumn(table, column))) {
    throw new Error("has no tables of sessions and messages");
  }
  return database.all(sessionQuery(database)).map((row) => ({ id: String(row["id"]), head: headOf(row) }));
}

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
  const calls = new Map<string, OpenCall>();
  for (const row of rows) {
    const message = messageOf(row, calls, notes);
    if (message !== undefined) messages.push(message);
    if (hasCounts(row)) usage.push(usageRecord(row, id, asText(row["model"]) ?? asText(session["model"])));
  }
  return { head: headOf(session), messages, usage, raw: { session, messages: rows } };
}

/** A select list in which missing columns are NULL. */
function columnList(database: ReadOnlyDatabase, table: string, alias: string, names: readonly string[]): string {
  const has = (name: string): boolean => database.hasColumn(table, name);
  return names.map((name) => (has(name) ? `${alias}.${name} AS ${name}` : `NULL AS ${name}`)).join(", ");
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
  const created = asTime(row["created_at"]);
  const updated = asTime(row["updated_at"]);
  const model = asText(row["used_model"]) ?? asText(row["model"]);
  const cwd = asText(row["cwd"]);
  const replies = asNumber(row["replies"]) ?? 0;
  return {
    title: titleFrom(asText(row["title"]) ?? asText(row["prompt"])),
    ...(created === undefined ? {} : { createdMs: created }),
    ...(updated === undefined ? {} : { updatedMs: updated }),
    ...(model === undefined ? {} : { model }),
    ...(cwd === undefined ? {} : { cwd }),
    ...(replies > 0 && row["uncounted"] === replies ? { usageUnknown: true } : {}),
  };
}

interface OpenCall {
  call: SessionToolCall;
  /** When the reply was written; only a call that was alone in it has a time of its own. */
  since: number | undefined;
}

function messageOf(row: Row, calls: Map<string, OpenCall>, notes: ReadNotes): SessionMessage | undefined {
  const role = asText(row["role"]);
  const content = asString(row["content"]) ?? "";
  const at = asTime(row["created_at"]);
  const time = at === undefined ? {} : { timestamp: new Date(at) };
  switch (role) {
    case "user":
    case "system":
      return { role, content, ...time };
    case "assistant":
      return reply(row, content, time, calls);
    case "tool": {
      const toolCallId = asText(row["tool_call_id"]) ?? "";
      const call = answered(calls.get(toolCallId), content, at);
      const toolName = asText(row["tool_name"]) ?? call?.toolName ?? "";
      return { role, content, ...time, toolResult: { toolCallId, toolName, output: content } };
    }
    default:
      notes.unknown(`role ${role ?? "(none)"}`);
      return undefined;
  }
}

function reply(row: Row, content: string, time: { timestamp?: Date }, calls: Map<string, OpenCall>): SessionMessage {
  const toolCalls = toolCallsIn(asText(row["tool_calls"]));
  const since = toolCalls.length === 1 ? time.timestamp?.getTime() : undefined;
  for (const call of toolCalls) calls.set(call.toolCallId, { call, since });
  const thinking = asText(row["thinking"]);
  const model = asText(row["model"]);
  return {
    role: "assistant",
    content,
    ...time,
    ...(toolCalls.length > 0 ? { toolCalls } : {}),
    ...(thinking === undefined ? {} : { thinking }),
    ...(model === undefined ? {} : { model }),
    ...(hasCounts(row) ? { tokenUsage: shownTokens(tokensOf(row)) } : {}),
  };
}

function toolCallsIn(json: string | undefined): SessionToolCall[] {
  let list: unknown;
  try {
    list = JSON.parse(json ?? "[]");
  } catch {
    // A broken list of calls does not cost the message.
  }
  return (asArray(list) ?? []).map((entry) => {
    const call = asObject(entry) ?? {};
    return {
      toolCallId: asText(call["toolCallId"]) ?? "",
      toolName: asText(call["toolName"]) ?? "",
      input: call["input"],
    };
  });
}

function answered(open: OpenCall | undefined, output: string, at: number | undefined): SessionToolCall | undefined {
  if (open === undefined) return undefined;
  open.call.output = output;
  if (open.since !== undefined && at !== undefined && at >= open.since) open.call.durationMs = at - open.since;
  return open.call;
}

function hasCounts(row: Row): boolean {
  return asNumber(row["input_tokens"]) !== undefined || asNumber(row["output_tokens"]) !== undefined;
}

function tokensOf(row: Row): TokenCounts {
  const output = asTokens(row["output_tokens"]);
  return {
    input: asTokens(row["input_tokens"]),
    cached: asTokens(row["cached_tokens"]),
    cacheWrite: 0,
    cacheWrite1h: 0,
    output,
    thinking: Math.min(output, asTokens(row["thinking_tokens"])),
  };
}

function shownTokens(tokens: TokenCounts): TokenUsage {
  return {
    inputTokens: tokens.input,
    outputTokens: tokens.output,
    ...(tokens.thinking > 0 ? { thinkingTokens: tokens.thinking } : {}),
    ...(tokens.cached > 0 ? { cachedTokens: tokens.cached } : {}),
  };
}

function usageRecord(row: Row, sessionId: string, model: string | undefined): UsageRecord {
  const at = asTime(row["created_at"]);
  return {
    key: `${sessionId}|${String(row["id"])}`,
    tokens: tokensOf(row),
    ...(at === undefined ? {} : { at }),
    ...(model === undefined ? {} : { model }),
  };
}
