/** Transcripts inside an agent's database: event by event, or as one blob once they were archived. */
import { asObject, asText, asTime, type Json } from "../../lib/json/fields.ts";
import type { ReadOnlyDatabase, Row } from "../../lib/sqlite/sqlite.ts";
import { inflate } from "./zstd.ts";

/** The header, the settings a run begins with, and the first prompt, with a heartbeat before it, are within these. */
const OPENING_EVENTS = 12;

export interface Opening {
  events: Json[];
  /** There are no further events. */
  whole: boolean;
  /** When the last event was written. */
  lastMs: number | undefined;
}

/** What a summary needs of a transcript. */
export function readOpening(database: ReadOnlyDatabase, sessionId: string, onDamage: () => void): Opening {
  const rows = database.all(`${eventQuery(database)} LIMIT ${OPENING_EVENTS}`, sessionId);
  const last = database.get(
    "SELECT created_at FROM transcript_events WHERE session_id = ? ORDER BY seq DESC LIMIT 1",
    sessionId,
  );
  return {
    events: [...eventsOf(rows, onDamage)],
    whole: rows.length < OPENING_EVENTS,
    lastMs: asTime(last?.["created_at"]),
  };
}

/** All events of a window in the order they were written. */
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

/** Later builds compress bigger events, each by itself. */
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
    // A damaged blob or text; the caller counts it.
    return undefined;
  }
}

/** What `session_transcript_archives` (deleted sessions) and the cold storage (old ones, opt-in) hold of a transcript. */
export type BlobTable = "session_transcript_archives" | "session_transcript_cold_archives";

export interface StoredBlob {
  bytes: Uint8Array;
  compressed: boolean;
}

/** The lines of a transcript that is stored in one piece; undefined when it is not, or not any more. */
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
