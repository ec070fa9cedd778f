/** The tables and columns of `session-store.db`. */
import { asNumber, asText, asTime, asTokens } from "../../lib/json/fields.ts";
import type { ReadOnlyDatabase, Row } from "../../lib/sqlite/sqlite.ts";

export type StoredSession = NonNullable<ReturnType<typeof sessionOf>>;
export type StoredRequest = ReturnType<typeof requestOf>;
export type StoredTurn = ReturnType<typeof turnOf>;

export function sessionsIn(database: ReadOnlyDatabase): Map<string, StoredSession> {
  const sessions = new Map<string, StoredSession>();
  if (!database.hasColumn("sessions", "id")) return sessions;
  for (const session of database.all("SELECT * FROM sessions").map(sessionOf)) {
    if (session) sessions.set(session.id, session);
  }
  return sessions;
}

function sessionOf(row: Row) {
  const id = asText(row["id"]);
  if (id === undefined) return undefined;
  return {
    id,
    cwd: asText(row["cwd"]),
    branch: asText(row["branch"]),
    summary: asText(row["summary"]),
    createdMs: timeOf(row["created_at"]),
    updatedMs: timeOf(row["updated_at"]),
  };
}

export function requestsIn(database: ReadOnlyDatabase): Map<string, StoredRequest[]> {
  const requests = new Map<string, StoredRequest[]>();
  if (!database.hasColumn("assistant_usage_events", "session_id")) return requests;
  for (const row of database.each("SELECT rowid AS row_id, * FROM assistant_usage_events ORDER BY rowid")) {
    const sessionId = asText(row["session_id"]);
    if (sessionId === undefined) continue;
    const same = requests.get(sessionId);
    if (same) same.push(requestOf(row));
    else requests.set(sessionId, [requestOf(row)]);
  }
  return requests;
}

function requestOf(row: Row) {
  return {
    rowId: Number(row["row_id"]),
    model: asText(row["model"]),
    agentId: asText(row["agent_id"]) ?? asText(row["parent_tool_call_id"]),
    tokens: {
      input: asTokens(row["input_tokens"]),
      output: asTokens(row["output_tokens"]),
      cacheRead: asTokens(row["cache_read_tokens"]),
      cacheWrite: asTokens(row["cache_write_tokens"]),
      reasoning: asTokens(row["reasoning_tokens"]),
    },
    nanoAiu: asNumber(row["total_nano_aiu"]),
    durationMs: asNumber(row["duration_ms"]),
    at: timeOf(row["created_at"]),
  };
}

/** Prompts and final answers of a session. */
export function turnsIn(database: ReadOnlyDatabase, sessionId: string): StoredTurn[] {
  if (!database.hasColumn("turns", "session_id")) return [];
  const rows = database.all("SELECT * FROM turns WHERE session_id = ? ORDER BY turn_index", sessionId);
  return rows.map(turnOf);
}

function turnOf(row: Row) {
  return {
    prompt: asText(row["user_message"]),
    answer: asText(row["assistant_response"]),
    at: timeOf(row["timestamp"]),
  };
}

/** The program writes ISO times; the column default is SQLite's format, in UTC without a zone. */
function timeOf(value: unknown): number | undefined {
  const text = asText(value);
  return asTime(
    text !== undefined && /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/.test(text) ? `${text.replace(" ", "T")}Z` : value,
  );
}
