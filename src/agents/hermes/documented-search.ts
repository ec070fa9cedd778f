/** MATCH on the documented `sessions_fts` and `memories_fts`. */
import { asNumber, asText } from "../../lib/json/fields.ts";
import type { ReadOnlyDatabase, Row } from "../../lib/sqlite/sqlite.ts";
import { oneLine } from "../../lib/text/text.ts";
import type { NativeSearchHit } from "../adapter.ts";
import type { ReadNotes } from "../read-notes.ts";
import { listDocumentedSessions, readDocumentedSession } from "../shared/documented-tables.ts";
import { matchesText, matchExpression, type Alternative } from "./query.ts";
import { snippetOf } from "./snippet.ts";

export function searchDocumentedStore(
  database: ReadOnlyDatabase,
  query: readonly Alternative[],
  limit: number,
  notes: ReadNotes,
): NativeSearchHit[] {
  const sessions = database.hasTable("sessions_fts")
    ? matches(database, "sessions_fts", query, limit).map((row) => sessionHit(database, row, query, notes))
    : scan(database, query, limit, notes);
  return [...sessions, ...searchDocumentedNotes(database, query, limit)];
}

export function searchDocumentedNotes(
  database: ReadOnlyDatabase,
  query: readonly Alternative[],
  limit: number,
): NativeSearchHit[] {
  return database.hasTable("memories_fts") ? matches(database, "memories_fts", query, limit).map(memoryHit) : [];
}

function matches(
  database: ReadOnlyDatabase,
  index: "sessions_fts" | "memories_fts",
  query: readonly Alternative[],
  limit: number,
): Row[] {
  return database.all(
    `SELECT rowid AS row, CAST(session_id AS TEXT) AS session, bm25(${index}) AS rank_value,
     snippet(${index}, -1, '', '', '…', 24) AS snippet FROM ${index} WHERE ${index} MATCH ? ORDER BY rank LIMIT ?`,
    matchExpression(query),
    limit,
  );
}

function sessionHit(
  database: ReadOnlyDatabase,
  row: Row,
  query: readonly Alternative[],
  notes: ReadNotes,
): NativeSearchHit {
  const sessionId = String(row["session"]);
  const messages = readDocumentedSession(database, sessionId, notes)?.messages ?? [];
  const messageIndex = messages.findIndex(({ content }) => matchesText(query, content));
  return { sessionId, ...ranked(row), ...(messageIndex === -1 ? {} : { messageIndex }) };
}

const NOTE_ID = "memories/";

/** A note may belong to the session it was learnt in; otherwise its row identifies it. */
function memoryHit(row: Row): NativeSearchHit {
  return { sessionId: asText(row["session"]) ?? `${NOTE_ID}${String(row["row"])}`, ...ranked(row), memory: true };
}

/** The text of a note, by the id of a hit. */
export function documentedNote(database: ReadOnlyDatabase, id: string): string | undefined {
  const row = id.startsWith(NOTE_ID) ? id.slice(NOTE_ID.length) : "";
  if (!/^\d{1,15}$/.test(row) || !database.hasTable("memories_fts")) return undefined;
  const [note] = database.all("SELECT * FROM memories_fts WHERE rowid = ?", Number(row));
  if (note === undefined || asText(note["session_id"]) !== undefined) return undefined;
  return Object.values(note)
    .flatMap((text) => asText(text) ?? [])
    .join("\n");
}

function ranked(row: Row): { score: number; snippet: string } {
  return { score: -(asNumber(row["rank_value"]) ?? 0), snippet: oneLine(asText(row["snippet"]) ?? "") };
}

function scan(
  database: ReadOnlyDatabase,
  query: readonly Alternative[],
  limit: number,
  notes: ReadNotes,
): NativeSearchHit[] {
  const hits: NativeSearchHit[] = [];
  for (const { id, head } of listDocumentedSessions(database)) {
    const messages = readDocumentedSession(database, id, notes)?.messages ?? [];
    const messageIndex = messages.findIndex(({ content }) => matchesText(query, content));
    if (messageIndex !== -1) {
      hits.push({
        sessionId: id,
        score: Number.EPSILON,
        snippet: snippetOf(messages[messageIndex]!.content, query),
        messageIndex,
      });
    } else if (matchesText(query, head.title)) hits.push({ sessionId: id, score: Number.EPSILON, snippet: head.title });
    if (hits.length >= limit) break;
  }
  return hits;
}
