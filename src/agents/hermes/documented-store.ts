/**
 * The database as Hermes' documentation describes it: sessions, messages with tokens and cost for each turn,
 * `sessions_fts`, and memory entries in tables of their own. No known version writes it; it is told by its columns.
 */
import type { TokenCounts } from "../../core/cost.ts";
import type { SessionMessage, SessionToolCall, TokenUsage } from "../../core/session.ts";
import { asArray, asNumber, asObject, asString, asText, asTime, asTokens } from "../../lib/fields.ts";
import type { ReadOnlyDatabase, Row } from "../../lib/sqlite.ts";
import { titleFrom } from "../../lib/text.ts";
import type { SessionHead, UsageRecord } from "../adapter.ts";
import type { ParsedSession } from "../in-memory.ts";
import type { ReadNotes } from "../read-notes.ts";
import { columnList } from "./columns.ts";
import { parseJson } from "./content.ts";

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

export function isDocumentedStore(database: ReadOnlyDatabase): boolean {
  return database.hasColumn("sessions", "id") && database.hasColumn("messages", "session_id");
}

export interface DocumentedSession {
  id: string;
  head: SessionHead;
}

export function listDocumentedSessions(database: ReadOnlyDatabase): DocumentedSession[] {
  return database.all(sessionQuery(database)).map((row) => ({ id: String(row["id"]), head: headOf(row) }));
}

export function readDocumentedSession(
  database: ReadOnlyDatabase,
  id: string,
  notes: ReadNotes,
): ParsedSession | undefined {
  const session = database.get(`${sessionQuery(database)} WHERE s.id = ?`, id);
  if (session === undefined) return undefined;
  const head = headOf(session);
  const rows = database.all(
    `SELECT ${columnList(database, "messages", "m", MESSAGE_COLUMNS)} FROM messages m WHERE m.session_id = ? ORDER BY m.id`,
    id,
  );
  const messages: SessionMessage[] = [];
  const usage: UsageRecord[] = [];
  const calls = new Map<string, OpenCall>();
  for (const row of rows) {
    const message = messageOf(row, calls, notes);
    if (message !== undefined) messages.push(message);
    if (hasCounts(row)) usage.push(usageRecord(row, id, asText(row["model"]) ?? asText(session["model"])));
  }
  const raw = {
    session: database.get("SELECT * FROM sessions WHERE id = ?", id),
    messages: rows,
  };
  return { head, messages, usage, raw };
}

function sessionQuery(database: ReadOnlyDatabase): string {
  const counted = ["input_tokens", "output_tokens"].filter((name) => database.hasColumn("messages", name));
  const uncounted = counted.length === 0 ? "1" : counted.map((name) => `m.${name} IS NULL`).join(" AND ");
  const models = database.hasColumn("messages", "model")
    ? `(SELECT m.model FROM messages m WHERE m.session_id = s.id AND m.model IS NOT NULL
        GROUP BY m.model ORDER BY count(*) DESC, max(m.id) DESC LIMIT 1)`
    : "NULL";
  return `SELECT CAST(s.id AS TEXT) AS id, ${columnList(database, "sessions", "s", SESSION_COLUMNS)},
    ${models} AS used_model,
    (SELECT m.content FROM messages m WHERE m.session_id = s.id AND m.role = 'user' ORDER BY m.id LIMIT 1) AS prompt,
    (SELECT count(*) FROM messages m WHERE m.session_id = s.id AND m.role = 'assistant') AS replies,
    (SELECT count(*) FROM messages m WHERE m.session_id = s.id AND m.role = 'assistant' AND ${uncounted}) AS uncounted
    FROM sessions s`;
}

function headOf(row: Row): SessionHead {
  const created = asTime(row["created_at"]);
  const updated = asTime(row["updated_at"]);
  const model = asText(row["used_model"]) ?? asText(row["model"]);
  const cwd = asText(row["cwd"]);
  const replies = asNumber(row["replies"]) ?? 0;
  return {
    title: titleFrom(asText(row["title"]) ?? asText(row["summary"]) ?? asText(row["prompt"])),
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
  const toolCalls = (asArray(parseJson(asText(row["tool_calls"]))) ?? []).map((entry): SessionToolCall => {
    const call = asObject(entry) ?? {};
    return {
      toolCallId: asText(call["toolCallId"]) ?? "",
      toolName: asText(call["toolName"]) ?? "",
      input: call["input"],
    };
  });
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
  const usd = asNumber(row["cost_usd"]);
  return {
    key: `${sessionId}|${String(row["id"])}`,
    tokens: tokensOf(row),
    ...(at === undefined ? {} : { at }),
    ...(model === undefined ? {} : { model }),
    ...(usd !== undefined && usd > 0 ? { reportedMicroUsd: usd * 1e6 } : {}),
  };
}
