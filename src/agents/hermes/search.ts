/**
 * Searches Hermes' own indexes: one hit per session, its best message. Titles, notes, old transcripts and rows that are
 * not indexed are matched by the same rules.
 */
import { basename, join, relative } from "node:path";
import { AgentMuxError } from "../../core/errors.ts";
import { codeOf, fileStat } from "../../lib/fs/directory.ts";
import { readText } from "../../lib/fs/foreign-file.ts";
import { type ReadOnlyDatabase, withDatabase } from "../../lib/sqlite/sqlite.ts";
import { errorText } from "../../lib/text/error-text.ts";
import type { AgentEnv, MemoryNote, NativeSearchHit } from "../adapter.ts";
import type { ReadNotes } from "../read-notes.ts";
import { hasDocumentedTables } from "../shared/documented-tables.ts";
import { recordsIn } from "../shared/line-file.ts";
import { documentedNote, searchDocumentedNotes, searchDocumentedStore, searchStateStore } from "./store-search.ts";
import { isStateStore } from "./format.ts";
import { databasesOf, defaultHome, homes, isInstalled, lineFilesOf, sessionOfFile } from "./locations.ts";
import { type Alternative, matchesText, parseQuery, snippetOf } from "./query.ts";
import { documentIn, isDocument, messagesOf } from "./transcript-lines.ts";

export function search(env: AgentEnv, text: string, limit: number, notes: ReadNotes): NativeSearchHit[] {
  const query = parseQuery(text);
  if (query.length === 0 || limit <= 0) return [];
  const indexed: NativeSearchHit[] = [];
  const unranked: NativeSearchHit[] = [];
  for (const home of homes(env, notes)) {
    for (const { path } of databasesOf(home, notes)) indexed.push(...searchDatabase(path, query, limit, notes));
    unranked.push(...searchLineFiles(home, query, notes));
  }
  unranked.push(...matchingEntries(env, query, notes));
  // Hits without a rank come last.
  const lowest = Math.min(1, ...indexed.map((hit) => hit.score));
  for (const hit of unranked) hit.score = lowest;
  return bestOfEach([...indexed, ...unranked]).slice(0, limit);
}

/** Searches only notes and the documented table of memories. */
export function searchNotes(env: AgentEnv, text: string, limit: number, notes: ReadNotes): NativeSearchHit[] {
  // Every search over all agents calls this.
  if (!isInstalled(env)) return [];
  const query = parseQuery(text);
  if (query.length === 0 || limit <= 0) return [];
  const hits: NativeSearchHit[] = [];
  for (const home of homes(env, notes)) {
    for (const { path } of databasesOf(home, notes)) {
      const found = opened(path, notes, (database) =>
        hasDocumentedTables(database) ? searchDocumentedNotes({ database, query, limit, notes }) : [],
      );
      hits.push(...(found ?? []));
    }
  }
  return [...hits, ...matchingEntries(env, query, notes)].slice(0, limit);
}

export function note(id: string, env: AgentEnv, notes: ReadNotes): MemoryNote | undefined {
  for (const entry of memoryEntries(env, notes)) if (entry.id === id) return entry;
  for (const home of homes(env, notes)) {
    for (const { path, mtimeMs } of databasesOf(home, notes)) {
      const text = opened(path, notes, (database) =>
        hasDocumentedTables(database) ? documentedNote(database, id) : undefined,
      );
      if (text !== undefined) return { path, text, updatedMs: mtimeMs };
    }
  }
  return undefined;
}

function matchingEntries(env: AgentEnv, query: readonly Alternative[], notes: ReadNotes): NativeSearchHit[] {
  const hits: NativeSearchHit[] = [];
  for (const { id, text } of memoryEntries(env, notes)) {
    if (matchesText(query, text)) hits.push({ sessionId: id, score: 0, snippet: snippetOf(text, query), memory: true });
  }
  return hits;
}

function searchDatabase(
  path: string,
  query: readonly Alternative[],
  limit: number,
  notes: ReadNotes,
): NativeSearchHit[] {
  const hits = opened(path, notes, (database) => {
    if (isStateStore(database)) return searchStateStore({ database, query, limit, notes });
    return hasDocumentedTables(database) ? searchDocumentedStore({ database, query, limit, notes }) : [];
  });
  return hits ?? [];
}

/** A store that cannot be searched is noted and does not affect the others. */
function opened<T>(path: string, notes: ReadNotes, search: (database: ReadOnlyDatabase) => T): T | undefined {
  try {
    return withDatabase(path, search);
  } catch (error) {
    notes.skip(path, `cannot be searched (${errorText(error)})`);
    return undefined;
  }
}

function searchLineFiles(home: string, query: readonly Alternative[], notes: ReadNotes): NativeSearchHit[] {
  const hits: NativeSearchHit[] = [];
  for (const { path } of lineFilesOf(home, notes)) {
    try {
      let messageIndex = 0;
      const records = isDocument(path) ? (documentIn(path) ?? []) : recordsIn(path);
      for (const { content } of messagesOf(records, notes)) {
        if (matchesText(query, content)) {
          hits.push({
            sessionId: sessionOfFile(basename(path))!,
            score: 0,
            snippet: snippetOf(content, query),
            messageIndex,
          });
          break;
        }
        messageIndex++;
      }
    } catch (error) {
      notes.skip(path, error instanceof AgentMuxError ? error.message : `cannot be read (${codeOf(error)})`);
    }
  }
  return hits;
}

/** Best first, one hit per session; a note from a session that is itself a hit is omitted. */
function bestOfEach(hits: readonly NativeSearchHit[]): NativeSearchHit[] {
  const best = new Map<string, NativeSearchHit>();
  for (const hit of hits.toSorted((a, b) => b.score - a.score)) {
    if (!best.has(hit.sessionId)) best.set(hit.sessionId, hit);
  }
  return [...best.values()];
}

/**
 * Hermes' own notes: `memories/MEMORY.md` and `USER.md` in each home, with entries separated by a line `§`. A search finds them,
 * but they are not sessions.
 */
interface MemoryEntry extends MemoryNote {
  /** The file, relative to the default home, and the entry's number. */
  id: string;
}

const MEMORY_FILES = ["MEMORY.md", "USER.md"];
/** Hermes caps each file at a few thousand characters. */
const MAX_MEMORY_BYTES = 4 * 1024 * 1024;

function* memoryEntries(env: AgentEnv, notes: ReadNotes): Generator<MemoryEntry> {
  for (const home of homes(env)) {
    for (const name of MEMORY_FILES) {
      const path = join(home, "memories", name);
      const file = relative(defaultHome(env), path);
      const { texts, updatedMs } = entriesIn(path, notes);
      for (const [index, text] of texts.entries()) yield { id: `${file}#${index + 1}`, path, text, updatedMs };
    }
  }
}

function entriesIn(path: string, notes: ReadNotes): { texts: string[]; updatedMs: number } {
  const stat = fileStat(path, notes.onProblem);
  const entries = { texts: [] as string[], updatedMs: stat?.mtimeMs ?? 0 };
  if (stat === undefined) return entries;
  if (stat.size > MAX_MEMORY_BYTES) {
    notes.skip(path, "is too large for memory notes");
    return entries;
  }
  try {
    entries.texts = readText(path)
      .split(/^\s*§\s*$/m)
      .map((entry) => entry.trim())
      .filter((entry) => entry !== "");
  } catch (error) {
    notes.skip(path, `cannot be read (${codeOf(error)})`);
  }
  return entries;
}
