/**
 * OpenClaw's tables, columns and fields outside of transcripts; only this file names them. A key is a row in
 * `session_nodes`, each of its transcripts a row in `session_windows`, and the lines are `transcript_events`.
 */
import { basename } from "node:path";
import { asObject, asText, asTime, type Json } from "../../lib/json/fields.ts";
import { parseRecord } from "../../lib/json/jsonl.ts";
import type { ReadOnlyDatabase, Row } from "../../lib/sqlite/sqlite.ts";
import { inflate } from "./zstd.ts";

/** Transcripts of deleted and (opt-in) of old sessions, each stored as a whole. */
export const ARCHIVES = "session_transcript_archives";
export const COLD_ARCHIVES = "session_transcript_cold_archives";
export type BlobTable = typeof ARCHIVES | typeof COLD_ARCHIVES;

/** The source of a forked key, and the time of the fork. */
export interface Fork {
  from: string;
  atMs: number;
}

export interface SessionEntry {
  key: string;
  sessionId: string;
  /** The transcript's name; after a reset (2026.5) it is that of the old session. */
  fileName?: string;
  label?: string;
  displayName?: string;
  archived?: boolean;
  /** When the key switched to this session id. */
  sinceMs?: number;
  /** The key has switched to another session id. */
  past?: true;
  /** The key of a sub-agent's parent session. */
  spawnedBy?: string;
}

export type StoredWindow = NonNullable<ReturnType<typeof windowOf>>;
export type BlobRow = ReturnType<typeof listBlobs>[number];

/** Every transcript that is not contained in a later one of its key. */
export function listWindows(database: ReadOnlyDatabase): StoredWindow[] {
  if (!database.hasTable("transcript_events")) return [];
  const table = ["session_windows", "sessions"].find((name) => database.hasColumn(name, "session_id"));
  if (table === undefined) {
    const rows = database.all("SELECT DISTINCT session_id FROM transcript_events");
    return rows.flatMap((row) => windowOf(row) ?? []);
  }
  const windows = new Map<string, StoredWindow>();
  for (const row of database.all(windowQuery(database, table))) {
    const window = windowOf(row);
    if (window) windows.set(window.sessionId, window);
  }
  const containers = containingWindows(database, table);
  for (const window of windows.values()) {
    if (window.fork) window.fork.from = lastContainer(containers, window.fork.from);
    const container = windows.get(lastContainer(containers, window.sessionId));
    if (container?.entry) container.entry.sinceMs = Math.min(container.entry.sinceMs ?? 0, window.entry?.sinceMs ?? 0);
  }
  return [...windows.values()].filter(({ sessionId }) => !containers.has(sessionId));
}

function windowQuery(database: ReadOnlyDatabase, windows: string): string {
  const nodes = ["session_nodes", "session_entries"].find((table) => database.hasColumn(table, "session_key"));
  const joined = nodes !== undefined && database.hasColumn(windows, "session_key");
  const node = (column: string, path: string): string => (joined ? field(database, "n", nodes, column, path) : "NULL");
  const window = (column: string): string => (database.hasColumn(windows, column) ? `w.${column}` : "NULL");
  return `SELECT w.session_id, ${window("session_key")} AS session_key, ${window("created_at")} AS created_at,
      coalesce(${window("transcript_updated_at")}, ${window("updated_at")}) AS updated_at, ${window("model")} AS model,
      ${node("created_at", "createdAt")} AS key_created_at, ${node("label", "label")} AS label,
      ${node("display_name", "displayName")} AS display_name, ${node("archived_at", "archivedAt")} AS archived_at,
      ${node("spawned_by", "spawnedBy")} AS spawned_by, ${node("current_session_id", "sessionId")} AS current_id,
      ${node("fork_source_session_id", "forkSource.sessionId")} AS forked_from
    FROM ${windows} w ${joined ? `LEFT JOIN ${nodes} n ON n.session_key = w.session_key` : ""}`;
}

/** A column or, in builds without it, the field of the entry that it mirrors. */
function field(database: ReadOnlyDatabase, alias: string, table: string, column: string, path: string): string {
  if (database.hasColumn(table, column)) return `${alias}.${column}`;
  if (!database.hasColumn(table, "entry_json")) return "NULL";
  return `CASE WHEN json_valid(${alias}.entry_json) THEN json_extract(${alias}.entry_json, '$.${path}') END`;
}

function windowOf(row: Row) {
  const sessionId = asText(row["session_id"]);
  if (sessionId === undefined) return undefined;
  return {
    sessionId,
    /** The entry of the transcript's key. */
    entry: entryOf(row, sessionId),
    /** For a forked key: the source session and the time. */
    fork: forkOf(row),
    updatedMs: asTime(row["updated_at"]),
    model: asText(row["model"]),
  };
}

function entryOf(row: Row, sessionId: string): SessionEntry | undefined {
  const key = asText(row["session_key"]);
  if (key === undefined) return undefined;
  const entry = sessionEntry(key, sessionId, {
    label: row["label"],
    displayName: row["display_name"],
    archivedAt: row["archived_at"],
    startedAt: row["created_at"],
    spawnedBy: row["spawned_by"],
  });
  const current = asText(row["current_id"]) ?? sessionId;
  return current === sessionId ? entry : { ...entry, past: true };
}

function forkOf(row: Row): Fork | undefined {
  const from = asText(row["forked_from"]);
  const atMs = asTime(row["key_created_at"]);
  return from === undefined || atMs === undefined ? undefined : { from, atMs };
}

/**
 * A rewind copies the whole transcript into a new window; a reset starts an empty one. No column distinguishes them: a
 * window is contained if the next one has its first and last message.
 */
function containingWindows(database: ReadOnlyDatabase, table: string): Map<string, string> {
  if (!database.hasColumn(table, "previous_session_id") || !database.hasTable("transcript_event_identities")) {
    return new Map();
  }
  const end = (direction: "ASC" | "DESC"): string => `(SELECT a.event_id FROM transcript_event_identities a
    WHERE a.session_id = w.session_id AND a.event_type = 'message' ORDER BY a.seq ${direction} LIMIT 1)`;
  const rows = database.all(`SELECT w.session_id, v.session_id AS container FROM ${table} w
    JOIN ${table} v ON v.previous_session_id = w.session_id
    WHERE 2 = (SELECT count(*) FROM (SELECT ${end("ASC")} AS id UNION ALL SELECT ${end("DESC")})
      WHERE EXISTS (SELECT 1 FROM transcript_event_identities b WHERE b.session_id = v.session_id AND b.event_id = id))`);
  return new Map(rows.map((row) => [String(row["session_id"]), String(row["container"])]));
}

function lastContainer(containers: ReadonlyMap<string, string>, sessionId: string): string {
  let last = sessionId;
  // Rows are untrusted, so they may form a cycle.
  for (let steps = containers.size; steps > 0 && containers.has(last); steps--) last = containers.get(last)!;
  return last;
}

/** For deleted sessions the row is the original; its published file may be gone. */
export function listBlobs(database: ReadOnlyDatabase, table: BlobTable) {
  if (!database.hasColumn(table, "archive_blob")) return [];
  const query = `SELECT session_id, generation, archive_name, archive_blob IS NOT NULL AS inside FROM ${table}`;
  return database.all(query).flatMap((row) => {
    const sessionId = asText(row["session_id"]);
    const generation = asText(row["generation"]);
    const name = asText(row["archive_name"]);
    if (sessionId === undefined || generation === undefined || name === undefined) return [];
    // The name is that of its file in the agent's `sessions` directory, or in `cold` inside it; or the row contains it.
    return { sessionId, generation, name, inside: row["inside"] === 1 };
  });
}

/** The limit that covers the header, initial settings, and the first prompt with a heartbeat before it. */
const OPENING_EVENTS = 12;

export type Opening = ReturnType<typeof readOpening>;

/** The events needed for a summary. */
export function readOpening(database: ReadOnlyDatabase, sessionId: string, onDamage: () => void) {
  const rows = database.all(`${eventQuery(database)} LIMIT ${OPENING_EVENTS}`, sessionId);
  const last = database.get(
    "SELECT created_at FROM transcript_events WHERE session_id = ? ORDER BY seq DESC LIMIT 1",
    sessionId,
  );
  return {
    events: [...eventsOf(rows, onDamage)],
    /** There are no further events. */
    whole: rows.length < OPENING_EVENTS,
    /** When the last event was written. */
    lastMs: asTime(last?.["created_at"]),
  };
}

/** All events of a window, in the order of writing. */
export function* readEvents(database: ReadOnlyDatabase, sessionId: string, onDamage: () => void): Generator<Json> {
  yield* eventsOf(database.each(eventQuery(database), sessionId), onDamage);
}

function* eventsOf(rows: Iterable<Row>, onDamage: () => void): Generator<Json> {
  for (const row of rows) {
    const event = eventOf(row);
    if (event === undefined) onDamage();
    else yield event;
  }
}

/** Later builds compress larger events individually. */
function eventQuery(database: ReadOnlyDatabase): string {
  const compressed = database.hasColumn("transcript_events", "event_zstd") ? ", event_zstd" : "";
  return `SELECT event_json${compressed} FROM transcript_events WHERE session_id = ? ORDER BY seq`;
}

function eventOf(row: Row): Json | undefined {
  try {
    const compressed = row["event_zstd"];
    const text =
      asText(row["event_json"]) ?? (compressed instanceof Uint8Array ? inflate(compressed).bytes.toString() : "");
    return asObject(JSON.parse(text));
  } catch {
    // Damaged; the caller counts it.
    return undefined;
  }
}

export interface StoredBlob {
  bytes: Uint8Array;
  compressed: boolean;
}

/** The lines of a transcript stored as a whole; undefined for other transcripts, or if it is gone. */
export function readBlob(
  database: ReadOnlyDatabase,
  table: BlobTable,
  sessionId: string,
  generation: string,
): StoredBlob | undefined {
  const encoding = database.hasColumn(table, "encoding") ? "encoding" : "'zstd'";
  const row = database.get(
    `SELECT ${encoding} AS encoding, archive_blob FROM ${table} WHERE session_id = ? AND generation = ?`,
    sessionId,
    generation,
  );
  const bytes = row?.["archive_blob"];
  return bytes instanceof Uint8Array ? { bytes, compressed: row?.["encoding"] === "zstd" } : undefined;
}

/** Cold storage holds rows of several tables in envelopes; the events are the transcript. */
export function uncovered(record: Json): Json[] {
  if (!("kind" in record) || "type" in record) return [record];
  const text = record["kind"] === "event" ? asText(asObject(record["row"])?.["event_json"]) : undefined;
  const event = text === undefined ? undefined : parseRecord(Buffer.from(text));
  return event === undefined ? [] : [event];
}

/** A turn started by OpenClaw itself. */
export function isOwnTurn(message: Json): boolean {
  const origin = asObject(message["provenance"])?.["kind"];
  return origin === "internal_system" || origin === "inter_session";
}

/** A value of `sessions.json`. */
export function indexEntry(key: string, value: unknown): SessionEntry | undefined {
  const fields = asObject(value);
  const sessionId = asText(fields?.["sessionId"]);
  if (fields === undefined || sessionId === undefined) return undefined;
  const file = asText(fields["sessionFile"]);
  return sessionEntry(key, sessionId, {
    // The path is from the writing machine, so only its name is used, for files beside the index. Later builds store a
    // session key here.
    fileName: file?.endsWith(".jsonl") ? basename(file.replaceAll("\\", "/")) : undefined,
    label: fields["label"],
    displayName: fields["displayName"],
    archivedAt: fields["archivedAt"],
    startedAt: fields["sessionStartedAt"],
    spawnedBy: fields["spawnedBy"],
  });
}

function sessionEntry(key: string, sessionId: string, fields: Json): SessionEntry {
  const entry: SessionEntry = { key, sessionId };
  for (const name of ["fileName", "label", "displayName", "spawnedBy"] as const) {
    const value = asText(fields[name])?.trim();
    if (value !== undefined && value !== "") entry[name] = value;
  }
  if (asTime(fields["archivedAt"]) !== undefined) entry.archived = true;
  const sinceMs = asTime(fields["startedAt"]);
  if (sinceMs !== undefined) entry.sinceMs = sinceMs;
  return entry;
}
