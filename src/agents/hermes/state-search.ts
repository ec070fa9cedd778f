/**
 * MATCH on the message indexes of `state.db`. The trigram index finds substrings, and only it can segment CJK text.
 * Either may be missing, stale, or being rebuilt.
 */
import { errorText } from "../../lib/text/error-text.ts";
import type { ReadOnlyDatabase } from "../../lib/sqlite/sqlite.ts";
import { oneLine } from "../../lib/text/text.ts";
import type { NativeSearchHit } from "../adapter.ts";
import type { ReadNotes } from "../read-notes.ts";
import { indexedRows, rowTexts, titles, TRIGRAM_INDEX, unindexedRows, WORD_INDEX } from "./format-index.ts";
import { fitsTrigrams, hasCjk, matchesText, matchExpression, type Alternative } from "./query.ts";
import { snippetOf } from "./snippet.ts";
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
