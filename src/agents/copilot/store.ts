/**
 * `session-store.db`, the program's index over all sessions. It knows requests the events no longer show (a rewind
 * cuts them out of the file) and sessions whose folder is gone. Mostly the rows are still in the -wal file, and
 * reading that means copying the database; so all of it that is asked for again and again is read at once and kept
 * until the files change.
 */
import { fileStat } from "../../lib/fs/directory.ts";
import { errorText } from "../../lib/text/error-text.ts";
import { asNumber, asText, asTime } from "../../lib/json/fields.ts";
import { type ReadOnlyDatabase, type Row, withDatabase } from "../../lib/sqlite/sqlite.ts";
import { requestTokens, type RequestTokens } from "./tokens.ts";

export interface StoredSession {
  id: string;
  cwd: string | undefined;
  branch: string | undefined;
  summary: string | undefined;
  createdMs: number | undefined;
  updatedMs: number | undefined;
}

export interface StoredRequest {
  rowId: number;
  model: string | undefined;
  agentId: string | undefined;
  tokens: RequestTokens;
  nanoAiu: number | undefined;
  durationMs: number | undefined;
  at: number | undefined;
}

interface Store {
  sessions: Map<string, StoredSession>;
  requests: Map<string, StoredRequest[]>;
}

export interface StoredTurn {
  prompt: string | undefined;
  answer: string | undefined;
  at: number | undefined;
}

export type OpenedStore = Store | { failure: string } | undefined;

let latest: { stamp: string; opened: OpenedStore } | undefined;

/** Undefined when there is no store. */
export function openStore(path: string): OpenedStore {
  const stamp = [path, `${path}-wal`].map(stampOf).join("\n");
  if (latest?.stamp !== stamp) latest = { stamp, opened: readStore(path) };
  return latest.opened;
}

function stampOf(path: string): string {
  const stat = fileStat(path);
  return `${path}:${stat?.size}:${stat?.mtimeMs}`;
}

function readStore(path: string): OpenedStore {
  let problem: string | undefined;
  const stat = fileStat(path, (_, reason) => (problem = reason));
  if (stat === undefined) return problem === undefined ? undefined : { failure: problem };
  try {
    return withDatabase(path, (database) => ({ sessions: sessionsIn(database), requests: requestsIn(database) }));
  } catch (error) {
    return { failure: `cannot be read as a database (${errorText(error)})` };
  }
}

function sessionsIn(database: ReadOnlyDatabase): Map<string, StoredSession> {
  const sessions = new Map<string, StoredSession>();
  if (!database.hasColumn("sessions", "id")) return sessions;
  for (const row of database.each("SELECT * FROM sessions")) {
    const id = asText(row["id"]);
    if (id === undefined) continue;
    sessions.set(id, {
      id,
      cwd: asText(row["cwd"]),
      branch: asText(row["branch"]),
      summary: asText(row["summary"]),
      createdMs: timeOf(row["created_at"]),
      updatedMs: timeOf(row["updated_at"]),
    });
  }
  return sessions;
}

function requestsIn(database: ReadOnlyDatabase): Map<string, StoredRequest[]> {
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

function requestOf(row: Row): StoredRequest {
  return {
    rowId: Number(row["row_id"]),
    model: asText(row["model"]),
    agentId: asText(row["agent_id"]) ?? asText(row["parent_tool_call_id"]),
    tokens: requestTokens({
      inputTokens: row["input_tokens"],
      outputTokens: row["output_tokens"],
      cacheReadTokens: row["cache_read_tokens"],
      cacheWriteTokens: row["cache_write_tokens"],
      reasoningTokens: row["reasoning_tokens"],
    }),
    nanoAiu: asNumber(row["total_nano_aiu"]),
    durationMs: asNumber(row["duration_ms"]),
    at: timeOf(row["created_at"]),
  };
}

/** Prompts and final answers of a session, for one that has no events. Throws when the store cannot be read. */
export function turnsOf(path: string, sessionId: string): StoredTurn[] {
  return withDatabase(path, (database) => {
    if (!database.hasColumn("turns", "session_id")) return [];
    const rows = database.all("SELECT * FROM turns WHERE session_id = ? ORDER BY turn_index", sessionId);
    return rows.map((row) => ({
      prompt: asText(row["user_message"]),
      answer: asText(row["assistant_response"]),
      at: timeOf(row["timestamp"]),
    }));
  });
}

/** The program writes ISO times; the column's own default is SQLite's form, which is in UTC but does not say so. */
function timeOf(value: unknown): number | undefined {
  const text = asText(value);
  return asTime(
    text !== undefined && /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/.test(text) ? `${text.replace(" ", "T")}Z` : value,
  );
}
