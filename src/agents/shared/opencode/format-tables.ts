/**
 * The database of OpenCode 1.2 to 1.18: tables `session`, `message` and `part`, with JSON in `data` columns. Columns
 * differ between releases, so any may be missing.
 */
import { asNumber, asObject, asString, asText, asTime, type Json } from "../../../lib/json/fields.ts";
import { parseObject } from "../../../lib/json/json.ts";
import { optional } from "../../../lib/values/optional.ts";
import type { ReadOnlyDatabase, Row } from "../../../lib/sqlite/sqlite.ts";
import type { ReadNotes } from "../../read-notes.ts";
import { createdOf, isStepEnd, undoneFromOf } from "./format.ts";
import { inOrder, partsInOrder, type SessionInfo, type StoredMessage, type StoredSession } from "./stored-session.ts";

/** The session columns that are read; others (file diffs, permissions, share links) can be large or secret. */
const SESSION_COLUMNS = [
  "id",
  "parent_id",
  "fork_session_id",
  "fork_boundary",
  "directory",
  "title",
  "version",
  "revert",
  "time_created",
  "time_updated",
  "time_archived",
];

export type SessionTable = "session" | "session_v2";
type MessageTable = "message" | "session_message";

export function hasMessageTables(database: ReadOnlyDatabase): boolean {
  return database.hasColumn("session", "id") && database.hasColumn("message", "data");
}

/** Session records, or the one with the given id. */
export function sessionRows(database: ReadOnlyDatabase, table: SessionTable, id?: string): Row[] {
  const columns = SESSION_COLUMNS.filter((column) => database.hasColumn(table, column));
  const sql = `SELECT ${columns.join(", ")} FROM ${table}`;
  return id === undefined ? database.all(sql) : database.all(`${sql} WHERE id = ?`, id);
}

export function infoOf(row: Row): SessionInfo {
  return {
    id: String(row["id"]),
    title: asString(row["title"]) ?? "",
    archived: asTime(row["time_archived"]) !== undefined,
    ...optional("parentId", asText(row["parent_id"])),
    ...optional("forkedFrom", asText(row["fork_session_id"])),
    ...optional("directory", asText(row["directory"])),
    ...optional("version", asText(row["version"])),
    ...optional("createdMs", asTime(row["time_created"])),
    ...optional("updatedMs", asTime(row["time_updated"])),
    ...optional("undoneFrom", undoneFromOf(parseObject(row["revert"]))),
  };
}

/** The session in full; undefined if it is gone. */
export function loadSession(database: ReadOnlyDatabase, id: string, notes: ReadNotes): StoredSession | undefined {
  const row = sessionRows(database, "session", id)[0];
  if (row === undefined) return undefined;
  const messages = messagesOf(database, id, notes);
  const byId = new Map(messages.map((message) => [message.id, message]));
  for (const part of partRows(database, id)) {
    const data = parseObject(part["data"]);
    const message = byId.get(String(part["message_id"]));
    if (data === undefined) notes.damage(database.path);
    else message?.parts.push({ id: String(part["id"]), data });
  }
  for (const message of messages) partsInOrder(message.parts);
  const removed = removedMessages(database, id, messages);
  return { info: infoOf(row), messages, removed, raw: { session: row, messages, removed } };
}

function partRows(database: ReadOnlyDatabase, sessionId: string): Iterable<Row> {
  if (!database.hasColumn("part", "data")) return [];
  return database.each("SELECT id, message_id, data FROM part WHERE session_id = ?", sessionId);
}

/** Messages of a session in order, without parts; `first` limits them to the earliest. */
export function messagesOf(
  database: ReadOnlyDatabase,
  sessionId: string,
  notes: ReadNotes,
  first?: number,
): StoredMessage[] {
  const messages: StoredMessage[] = [];
  const sql = "SELECT id, time_created, data FROM message WHERE session_id = ? ORDER BY time_created, id LIMIT ?";
  for (const row of database.each(sql, sessionId, first ?? -1)) {
    const data = parseObject(row["data"]);
    if (data === undefined) notes.damage(database.path);
    else messages.push(messageOf(row["id"], data, asTime(row["time_created"])));
  }
  return inOrder(messages);
}

function messageOf(id: unknown, data: Json, rowTime: number | undefined): StoredMessage {
  return { id: String(id), createdMs: createdOf(data) ?? rowTime ?? 0, data, parts: [] };
}

/**
 * Messages deleted by the prompt after an undo. They were billed, but the session's totals no longer include them; the
 * event log of 1.18 has their last state, and their steps: only these are without what sub-agents cost in Kilo.
 */
export function removedMessages(
  database: ReadOnlyDatabase,
  sessionId: string,
  remaining: readonly StoredMessage[],
): StoredMessage[] {
  if (!database.hasColumn("event", "aggregate_id")) return [];
  const present = new Set(remaining.map((message) => message.id));
  const removed = new Map<string, StoredMessage>();
  for (const data of events(database, sessionId, "message.removed")) {
    const id = asText(data["messageID"]);
    if (id !== undefined && !present.has(id)) removed.set(id, { id, createdMs: 0, data: {}, parts: [] });
  }
  if (removed.size === 0) return [];
  for (const data of events(database, sessionId, "message.updated")) {
    const info = asObject(data["info"]);
    const id = asText(info?.["id"]);
    if (info !== undefined && id !== undefined && removed.has(id)) removed.set(id, messageOf(id, info, undefined));
  }
  for (const data of events(database, sessionId, "message.part.updated")) {
    const part = asObject(data["part"]) ?? {};
    const id = asText(part["id"]);
    const message = removed.get(asText(part["messageID"]) ?? "");
    if (message === undefined || id === undefined || !isStepEnd(part)) continue;
    message.parts = [...message.parts.filter((each) => each.id !== id), { id, data: part }];
  }
  return inOrder([...removed.values()]);
}

/** Event types carry a version: `message.removed.1`. */
function* events(database: ReadOnlyDatabase, sessionId: string, type: string): Generator<Json> {
  const sql = "SELECT data FROM event WHERE aggregate_id = ? AND type >= ? AND type < ? ORDER BY seq";
  for (const row of database.each(sql, sessionId, `${type}.`, `${type}/`)) {
    const data = parseObject(row["data"]);
    if (data !== undefined) yield data;
  }
}

/** The parts of a few messages, for a title. */
export function addParts(database: ReadOnlyDatabase, messages: StoredMessage[]): void {
  if (!database.hasColumn("part", "data")) return;
  for (const message of messages) {
    for (const row of database.all("SELECT id, data FROM part WHERE message_id = ?", message.id)) {
      const data = parseObject(row["data"]);
      if (data !== undefined) message.parts.push({ id: String(row["id"]), data });
    }
    partsInOrder(message.parts);
  }
}

/** When the first message of each session (or of one) was written. */
export function firstTimes(
  database: ReadOnlyDatabase,
  table: MessageTable,
  id: string | undefined,
): Map<string, number> {
  const sql = `SELECT session_id, min(time_created) AS first FROM ${table}`;
  const rows =
    id === undefined
      ? database.all(`${sql} GROUP BY session_id`)
      : database.all(`${sql} WHERE session_id = ? GROUP BY session_id`, id);
  return new Map(rows.map((row) => [String(row["session_id"]), asTime(row["first"]) ?? 0]));
}

/** How often each session used each model. */
export function modelUses(database: ReadOnlyDatabase, table: MessageTable) {
  const path = table === "message" ? "$.modelID" : "$.model.id";
  const model = `CASE WHEN json_valid(data) THEN json_extract(data, '${path}') END`;
  const rows = database.all(
    `SELECT session_id, ${model} AS model, count(*) AS n, max(time_created) AS last
     FROM ${table} GROUP BY session_id, model HAVING model IS NOT NULL`,
  );
  return rows.map((row) => ({
    sessionId: String(row["session_id"]),
    model: asText(row["model"]),
    count: asNumber(row["n"]) ?? 0,
    lastMs: asNumber(row["last"]) ?? 0,
  }));
}
