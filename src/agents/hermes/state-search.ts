/**
 * MATCH on the message indexes of `state.db`. Words are in `messages_fts`; `messages_fts_trigram` (since schema 10, no
 * tool rows) finds parts of words and is the only one that can take CJK text apart. Either may be missing, stale, or
 * still being rebuilt.
 */
import { errorText } from "../../lib/text/error-text.ts";
import { asNumber, asText } from "../../lib/json/fields.ts";
import type { ReadOnlyDatabase } from "../../lib/sqlite/sqlite.ts";
import { oneLine } from "../../lib/text/text.ts";
import type { NativeSearchHit } from "../adapter.ts";
import type { ReadNotes } from "../read-notes.ts";
import { bytesColumn, columnList, textFromBytes } from "../shared/columns.ts";
import { contentText } from "./content.ts";
import { fitsTrigrams, hasCjk, matchesText, matchExpression, type Alternative } from "./query.ts";
import { snippetOf } from "./snippet.ts";
import { readStateSession, visibleRows } from "./state-store.ts";

interface RowHit {
  sessionId: string;
  score: number;
  snippet: string;
  row?: number;
}

type Index = "messages_fts" | "messages_fts_trigram";

/** About how much of a message a snippet shows, in tokens of the index. */
const SNIPPET_WORDS = 24;

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
  const trigrams = fitsTrigrams(query) && database.hasTable("messages_fts_trigram");
  const words = !hasCjk(query) && database.hasTable("messages_fts");
  if (gap === "all" || (!words && !trigrams)) return scan(database, query);
  try {
    let hits = words ? matches(database, "messages_fts", query, limit) : [];
    if (hits.length === 0 && trigrams) hits = matches(database, "messages_fts_trigram", query, limit);
    return gap === undefined ? hits : [...hits, ...scan(database, query, gap)];
  } catch (error) {
    notes.skip(database.path, `search index is unusable (${errorText(error)})`);
    return scan(database, query);
  }
}

function matches(database: ReadOnlyDatabase, index: Index, query: readonly Alternative[], limit: number): RowHit[] {
  const sql = `SELECT m.id AS row, m.session_id AS session, bm25(${index}) AS rank_value,
    snippet(${index}, -1, '', '', '…', ${SNIPPET_WORDS}) AS snippet
    FROM ${index} JOIN messages m ON m.id = ${index}.rowid
    WHERE ${index} MATCH ? AND ${shownRows(database)} ORDER BY rank`;
  const hits = new Map<string, RowHit>();
  for (const found of database.each(sql, matchExpression(query))) {
    const sessionId = String(found["session"]);
    if (hits.has(sessionId)) continue;
    const snippet = oneLine(asText(found["snippet"]) ?? "");
    hits.set(sessionId, {
      sessionId,
      score: -(asNumber(found["rank_value"]) ?? 0),
      snippet,
      row: Number(found["row"]),
    });
    if (hits.size >= limit) break;
  }
  return [...hits.values()];
}

/** Ids of rows that are in no index yet, while Hermes rebuilds it in the background. */
function unindexedRows(database: ReadOnlyDatabase): "all" | { above: number; upTo: number } | undefined {
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

function scan(
  database: ReadOnlyDatabase,
  query: readonly Alternative[],
  range: { above: number; upTo: number } = { above: 0, upTo: Number.MAX_SAFE_INTEGER },
): RowHit[] {
  const sql = `SELECT m.id AS row, m.session_id AS session, ${bytesColumn("m.content", "content")},
    ${columnList(database, "messages", "m", ["tool_name", "tool_calls"])}
    FROM messages m WHERE m.id > ? AND m.id <= ? AND ${shownRows(database)} ORDER BY m.id`;
  const hits = new Map<string, RowHit>();
  for (const found of database.each(sql, range.above, range.upTo)) {
    const sessionId = String(found["session"]);
    if (hits.has(sessionId)) continue;
    const content = contentText(textFromBytes(found["content"]));
    const text = [content, asText(found["tool_name"]), asText(found["tool_calls"])].filter(Boolean).join("\n");
    // Nothing to rank by: BM25 needs the index. A small score keeps them behind what it ranked.
    if (matchesText(query, text)) {
      hits.set(sessionId, {
        sessionId,
        score: Number.EPSILON,
        snippet: snippetOf(text, query),
        row: Number(found["row"]),
      });
    }
  }
  return [...hits.values()];
}

/** Titles are in none of the indexes. A session found by its title only ranks with the best. */
function titleHits(
  database: ReadOnlyDatabase,
  query: readonly Alternative[],
  best: ReadonlyMap<string, RowHit>,
): RowHit[] {
  if (!database.hasColumn("sessions", "title")) return [];
  const score = Math.max(Number.EPSILON, ...[...best.values()].map((hit) => hit.score));
  return database
    .all("SELECT id, title FROM sessions WHERE title IS NOT NULL")
    .map((row) => ({ sessionId: String(row["id"]), score, snippet: oneLine(String(row["title"])) }))
    .filter((hit) => !best.has(hit.sessionId) && matchesText(query, hit.snippet));
}

/** What was taken back, and what nobody was shown, is not found. */
function shownRows(database: ReadOnlyDatabase): string {
  const hidden = database.hasColumn("messages", "display_kind") ? " AND coalesce(m.display_kind, '') <> 'hidden'" : "";
  return `${visibleRows(database, "m")}${hidden}`;
}

function located(database: ReadOnlyDatabase, hit: RowHit, notes: ReadNotes): NativeSearchHit {
  const { sessionId, score, snippet, row } = hit;
  if (row === undefined) return { sessionId, score, snippet };
  const placed = readStateSession(database, sessionId, notes)?.placed ?? [];
  const messageIndex = placed.findIndex(({ rows }) => rows.includes(row));
  return { sessionId, score, snippet, ...(messageIndex === -1 ? {} : { messageIndex }) };
}
