/** The message indexes of `state.db`, and the rows that none contains. */
import { asNumber, asText } from "../../lib/json/fields.ts";
import type { ReadOnlyDatabase, Row } from "../../lib/sqlite/sqlite.ts";
import { oneLine } from "../../lib/text/text.ts";
import { bytesColumn, columnList, textFromBytes } from "../shared/columns.ts";
import { contentText, visibleRows } from "./format.ts";

export const WORD_INDEX = "messages_fts";
/** Since schema 10, without tool rows. */
export const TRIGRAM_INDEX = "messages_fts_trigram";

/** The approximate length of a snippet, in tokens of the index. */
const SNIPPET_WORDS = 24;

interface IndexedRow {
  row: number;
  sessionId: string;
  score: number;
  snippet: string;
}

export function* indexedRows(database: ReadOnlyDatabase, index: string, expression: string): Generator<IndexedRow> {
  const sql = `SELECT m.id AS row, m.session_id AS session, bm25(${index}) AS rank_value,
    snippet(${index}, -1, '', '', '…', ${SNIPPET_WORDS}) AS snippet
    FROM ${index} JOIN messages m ON m.id = ${index}.rowid
    WHERE ${index} MATCH ? AND ${shownRows(database)} ORDER BY rank`;
  for (const found of database.each(sql, expression)) {
    yield { ...placeOf(found), ...ranked(found) };
  }
}

export function* rowTexts(
  database: ReadOnlyDatabase,
  { above, upTo }: { above: number; upTo: number },
): Generator<{ row: number; sessionId: string; text: string }> {
  const sql = `SELECT m.id AS row, m.session_id AS session, ${bytesColumn("m.content", "content")},
    ${columnList(database, "messages", "m", ["tool_name", "tool_calls"])}
    FROM messages m WHERE m.id > ? AND m.id <= ? AND ${shownRows(database)} ORDER BY m.id`;
  for (const found of database.each(sql, above, upTo)) {
    const content = contentText(textFromBytes(found["content"]));
    const texts = [content, asText(found["tool_name"]), asText(found["tool_calls"])];
    yield { ...placeOf(found), text: texts.filter(Boolean).join("\n") };
  }
}

function placeOf(found: Row): { row: number; sessionId: string } {
  return { row: Number(found["row"]), sessionId: String(found["session"]) };
}

/** Excludes undone and hidden rows. */
function shownRows(database: ReadOnlyDatabase): string {
  const hidden = database.hasColumn("messages", "display_kind") ? " AND coalesce(m.display_kind, '') <> 'hidden'" : "";
  return `${visibleRows(database, "m")}${hidden}`;
}

/** Ids of rows that are not indexed yet, while Hermes rebuilds the index in the background. */
export function unindexedRows(database: ReadOnlyDatabase): "all" | { above: number; upTo: number } | undefined {
  if (!database.hasTable("state_meta")) return undefined;
  const meta = new Map(
    database
      .all("SELECT key, CAST(value AS TEXT) AS value FROM state_meta WHERE key LIKE 'fts\\_%' ESCAPE '\\'")
      .map((row) => [String(row["key"]), String(row["value"])]),
  );
  if (meta.has("fts_stale") && meta.get("fts_stale") !== "0") return "all";
  const highWater = Number(meta.get("fts_rebuild_high_water") ?? 0);
  return highWater > 0 ? { above: Number(meta.get("fts_rebuild_progress") ?? 0), upTo: highWater } : undefined;
}

/** Indexes of the documented layout. */
export const SESSION_INDEX = "sessions_fts";
export const NOTE_INDEX = "memories_fts";

interface DocumentedRow {
  row: number;
  /** Notes may have none. */
  sessionId: string | undefined;
  score: number;
  snippet: string;
}

export function documentedRows(
  database: ReadOnlyDatabase,
  index: string,
  { expression, limit }: { expression: string; limit: number },
): DocumentedRow[] {
  const sql = `SELECT rowid AS row, CAST(session_id AS TEXT) AS session, bm25(${index}) AS rank_value,
    snippet(${index}, -1, '', '', '…', ${SNIPPET_WORDS}) AS snippet
    FROM ${index} WHERE ${index} MATCH ? ORDER BY rank LIMIT ?`;
  return database.all(sql, expression, limit).map((found) => ({
    row: Number(found["row"]),
    sessionId: asText(found["session"]),
    ...ranked(found),
  }));
}

function ranked(found: Row): { score: number; snippet: string } {
  return { score: -(asNumber(found["rank_value"]) ?? 0), snippet: oneLine(asText(found["snippet"]) ?? "") };
}

/** A note that belongs to no session. */
export function noteText(database: ReadOnlyDatabase, row: number): string | undefined {
  const [note] = database.all(`SELECT * FROM ${NOTE_INDEX} WHERE rowid = ?`, row);
  if (note === undefined || asText(note["session_id"]) !== undefined) return undefined;
  return Object.values(note)
    .flatMap((text) => asText(text) ?? [])
    .join("\n");
}

export function titles(database: ReadOnlyDatabase): { sessionId: string; title: string }[] {
  if (!database.hasColumn("sessions", "title")) return [];
  return database
    .all("SELECT id, title FROM sessions WHERE title IS NOT NULL")
    .map((row) => ({ sessionId: String(row["id"]), title: String(row["title"]) }));
}
