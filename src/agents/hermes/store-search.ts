/** MATCH on the indexes of Hermes' databases. */
import type { ReadOnlyDatabase } from "../../lib/sqlite/sqlite.ts";
import { errorText } from "../../lib/text/error-text.ts";
import { oneLine } from "../../lib/text/text.ts";
import type { NativeSearchHit } from "../adapter.ts";
import type { ReadNotes } from "../read-notes.ts";
import { listDocumentedSessions, readDocumentedSession } from "../shared/documented-tables.ts";
import {
  documentedRows,
  indexedRows,
  NOTE_INDEX,
  noteText,
  rowTexts,
  SESSION_INDEX,
  titles,
  TRIGRAM_INDEX,
  unindexedRows,
  WORD_INDEX,
} from "./format-index.ts";
import { type Alternative, fitsTrigrams, hasCjk, matchesText, matchExpression, snippetOf } from "./query.ts";
import { readStateSession } from "./state-store.ts";

export interface Search {
  database: ReadOnlyDatabase;
  query: readonly Alternative[];
  limit: number;
  notes: ReadNotes;
}

interface RowHit {
  sessionId: string;
  score: number;
  snippet: string;
  row?: number;
}

/**
 * The message indexes of `state.db`. The trigram index finds substrings, and only it can segment CJK text. Either may be missing,
 * stale, or being rebuilt.
 */
export function searchStateStore(search: Search): NativeSearchHit[] {
  const best = new Map<string, RowHit>();
  const keep = (hit: RowHit): void => {
    const known = best.get(hit.sessionId);
    if (known === undefined || hit.score > known.score) best.set(hit.sessionId, hit);
  };
  for (const hit of indexHits(search)) keep(hit);
  for (const hit of titleHits(search, best)) keep(hit);
  return [...best.values()]
    .sort((a, b) => b.score - a.score)
    .slice(0, search.limit)
    .map((hit) => located(search, hit));
}

function indexHits(search: Search): RowHit[] {
  const { database, query, notes } = search;
  const gap = unindexedRows(database);
  const trigrams = fitsTrigrams(query) && database.hasTable(TRIGRAM_INDEX);
  const words = !hasCjk(query) && database.hasTable(WORD_INDEX);
  if (gap === "all" || (!words && !trigrams)) return scan(search);
  try {
    let hits = words ? matches(search, WORD_INDEX) : [];
    if (hits.length === 0 && trigrams) hits = matches(search, TRIGRAM_INDEX);
    return gap === undefined ? hits : [...hits, ...scan(search, gap)];
  } catch (error) {
    notes.skip(database.path, `search index is unusable (${errorText(error)})`);
    return scan(search);
  }
}

function matches({ database, query, limit }: Search, index: string): RowHit[] {
  const hits = new Map<string, RowHit>();
  for (const found of indexedRows(database, index, matchExpression(query))) {
    if (hits.has(found.sessionId)) continue;
    hits.set(found.sessionId, found);
    if (hits.size >= limit) break;
  }
  return [...hits.values()];
}

const ALL_ROWS = { above: 0, upTo: Number.MAX_SAFE_INTEGER };

function scan({ database, query }: Search, range = ALL_ROWS): RowHit[] {
  const hits = new Map<string, RowHit>();
  for (const { sessionId, row, text } of rowTexts(database, range)) {
    if (hits.has(sessionId) || !matchesText(query, text)) continue;
    // BM25 needs the index, so unindexed rows get a small score and come last.
    hits.set(sessionId, { sessionId, row, score: Number.EPSILON, snippet: snippetOf(text, query) });
  }
  return [...hits.values()];
}

/** Titles are not indexed. A session found only by its title ranks with the best. */
function titleHits({ database, query }: Search, best: ReadonlyMap<string, RowHit>): RowHit[] {
  const score = Math.max(Number.EPSILON, ...[...best.values()].map((hit) => hit.score));
  return titles(database)
    .map(({ sessionId, title }) => ({ sessionId, score, snippet: oneLine(title) }))
    .filter((hit) => !best.has(hit.sessionId) && matchesText(query, hit.snippet));
}

function located({ database, notes }: Search, { row, ...hit }: RowHit): NativeSearchHit {
  if (row === undefined) return hit;
  const placed = readStateSession(database, hit.sessionId, notes)?.placed ?? [];
  const messageIndex = placed.findIndex(({ rows }) => rows.includes(row));
  return { ...hit, ...(messageIndex === -1 ? {} : { messageIndex }) };
}

/** The indexes of the documented layout. */
export function searchDocumentedStore(search: Search): NativeSearchHit[] {
  const sessions = search.database.hasTable(SESSION_INDEX) ? indexedSessions(search) : scanDocumented(search);
  return [...sessions, ...searchDocumentedNotes(search)];
}

function indexedSessions(search: Search): NativeSearchHit[] {
  return documentedHits(search, SESSION_INDEX).map(({ sessionId = "", score, snippet }) => {
    const { index } = matchingMessage(search, sessionId);
    return { sessionId, score, snippet, ...(index === -1 ? {} : { messageIndex: index }) };
  });
}

const NOTE_ID = "memories/";

/** A note may belong to the session it was learnt in; otherwise its row identifies it. */
export function searchDocumentedNotes(search: Search): NativeSearchHit[] {
  if (!search.database.hasTable(NOTE_INDEX)) return [];
  return documentedHits(search, NOTE_INDEX).map(({ row, sessionId = `${NOTE_ID}${row}`, score, snippet }) => {
    return { sessionId, score, snippet, memory: true };
  });
}

function documentedHits({ database, query, limit }: Search, index: string): ReturnType<typeof documentedRows> {
  return documentedRows(database, index, { expression: matchExpression(query), limit });
}

function matchingMessage({ database, query, notes }: Search, sessionId: string): { index: number; text: string } {
  const messages = readDocumentedSession(database, sessionId, notes)?.messages ?? [];
  const index = messages.findIndex(({ content }) => matchesText(query, content));
  return { index, text: messages[index]?.content ?? "" };
}

/** The text of a note, by the id of a hit. */
export function documentedNote(database: ReadOnlyDatabase, id: string): string | undefined {
  const row = id.startsWith(NOTE_ID) ? id.slice(NOTE_ID.length) : "";
  return /^\d{1,15}$/.test(row) && database.hasTable(NOTE_INDEX) ? noteText(database, Number(row)) : undefined;
}

function scanDocumented(search: Search): NativeSearchHit[] {
  const { query } = search;
  const hits: NativeSearchHit[] = [];
  for (const { id, head } of listDocumentedSessions(search.database)) {
    const { index, text } = matchingMessage(search, id);
    const hit = { sessionId: id, score: Number.EPSILON };
    if (index !== -1) hits.push({ ...hit, snippet: snippetOf(text, query), messageIndex: index });
    else if (matchesText(query, head.title)) hits.push({ ...hit, snippet: head.title });
    if (hits.length >= search.limit) break;
  }
  return hits;
}
