/**
 * MATCH on the message indexes of `state.db`. The trigram index finds substrings, and only it can segment CJK text.
 * Either may be missing, stale, or being rebuilt.
 */
import { asNumber, asText } from "../../lib/json/fields.ts";
import type { ReadOnlyDatabase, Row } from "../../lib/sqlite/sqlite.ts";
import { errorText } from "../../lib/text/error-text.ts";
import { oneLine } from "../../lib/text/text.ts";
import type { NativeSearchHit } from "../adapter.ts";
import type { ReadNotes } from "../read-notes.ts";
import { listDocumentedSessions, readDocumentedSession } from "../shared/documented-tables.ts";
import { indexedRows, rowTexts, titles, TRIGRAM_INDEX, unindexedRows, WORD_INDEX } from "./format-index.ts";
import { type Alternative, fitsTrigrams, hasCjk, matchesText, matchExpression, snippetOf } from "./query.ts";
import { readStateSession } from "./state-store.ts";

interface RowHit {
  sessionId: string;
  score: number;
  snippet: string;
  row?: number;
}

export function searchStateStore(
  database: ReadOnlyDatabase,
  query: readonly Alternative[],
  limit: number,
  notes: ReadNotes,
): NativeSearchHit[] {
  const best = new Map<string, RowHit>();
  const keep = (hit: RowHit): void => {
    const known = best.get(hit.sessionId);
    if (known === undefined || hit.score > known.score) best.set(hit.sessionId, hit);
  };
  for (const hit of indexHits(database, query, limit, notes)) keep(hit);
  for (const hit of titleHits(database, query, best)) keep(hit);
  return [...best.values()]
    .sort((a, b) => b.score - a.score)
    .slice(0, limit)
    .map((hit) => located(database, hit, notes));
}

function indexHits(
  database: ReadOnlyDatabase,
  query: readonly Alternative[],
  limit: number,
  notes: ReadNotes,
): RowHit[] {
  const gap = unindexedRows(database);
  const trigrams = fitsTrigrams(query) && database.hasTable(TRIGRAM_INDEX);
  const words = !hasCjk(query) && database.hasTable(WORD_INDEX);
  if (gap === "all" || (!words && !trigrams)) return scan(database, query);
  try {
    let hits = words ? matches(database, WORD_INDEX, query, limit) : [];
    if (hits.length === 0 && trigrams) hits = matches(database, TRIGRAM_INDEX, query, limit);
    return gap === undefined ? hits : [...hits, ...scan(database, query, gap)];
  } catch (error) {
    notes.skip(database.path, `search index is unusable (${errorText(error)})`);
    return scan(database, query);
  }
}

function matches(database: ReadOnlyDatabase, index: string, query: readonly Alternative[], limit: number): RowHit[] {
  const hits = new Map<string, RowHit>();
  for (const found of indexedRows(database, index, matchExpression(query))) {
    if (hits.has(found.sessionId)) continue;
    hits.set(found.sessionId, { ...found, snippet: oneLine(found.snippet) });
    if (hits.size >= limit) break;
  }
  return [...hits.values()];
}

function scan(
  database: ReadOnlyDatabase,
  query: readonly Alternative[],
  range: { above: number; upTo: number } = { above: 0, upTo: Number.MAX_SAFE_INTEGER },
): RowHit[] {
  const hits = new Map<string, RowHit>();
  for (const { sessionId, row, text } of rowTexts(database, range)) {
    if (hits.has(sessionId) || !matchesText(query, text)) continue;
    // BM25 needs the index, so unindexed rows get a small score and come last.
    hits.set(sessionId, { sessionId, row, score: Number.EPSILON, snippet: snippetOf(text, query) });
  }
  return [...hits.values()];
}

/** Titles are not indexed. A session found only by its title ranks with the best. */
function titleHits(
  database: ReadOnlyDatabase,
  query: readonly Alternative[],
  best: ReadonlyMap<string, RowHit>,
): RowHit[] {
  const score = Math.max(Number.EPSILON, ...[...best.values()].map((hit) => hit.score));
  return titles(database)
    .map(({ sessionId, title }) => ({ sessionId, score, snippet: oneLine(title) }))
    .filter((hit) => !best.has(hit.sessionId) && matchesText(query, hit.snippet));
}

function located(database: ReadOnlyDatabase, hit: RowHit, notes: ReadNotes): NativeSearchHit {
  const { sessionId, score, snippet, row } = hit;
  if (row === undefined) return { sessionId, score, snippet };
  const placed = readStateSession(database, sessionId, notes)?.placed ?? [];
  const messageIndex = placed.findIndex(({ rows }) => rows.includes(row));
  return { sessionId, score, snippet, ...(messageIndex === -1 ? {} : { messageIndex }) };
}

/** MATCH on the documented `sessions_fts` and `memories_fts`. */
export function searchDocumentedStore(
  database: ReadOnlyDatabase,
  query: readonly Alternative[],
  limit: number,
  notes: ReadNotes,
): NativeSearchHit[] {
  const sessions = database.hasTable("sessions_fts")
    ? documentedMatches(database, "sessions_fts", query, limit).map((row) => sessionHit(database, row, query, notes))
    : scanDocumented(database, query, limit, notes);
  return [...sessions, ...searchDocumentedNotes(database, query, limit)];
}

export function searchDocumentedNotes(
  database: ReadOnlyDatabase,
  query: readonly Alternative[],
  limit: number,
): NativeSearchHit[] {
  return database.hasTable("memories_fts")
    ? documentedMatches(database, "memories_fts", query, limit).map(memoryHit)
    : [];
}

function documentedMatches(
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

function scanDocumented(
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
