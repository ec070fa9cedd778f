/** Common parts of all adapters' listings: each session once, with the files it depends on. */
import { fileStat, type FileStat } from "../../lib/fs/directory.ts";
import { withDatabase, type ReadOnlyDatabase } from "../../lib/sqlite/sqlite.ts";
import { errorText } from "../../lib/text/error-text.ts";
import type { SessionHead, SessionSource } from "../adapter.ts";
import type { ReadNotes } from "../read-notes.ts";

/** A session in a database: the listing query gives its whole head. */
export interface ListedSession {
  id: string;
  head: SessionHead;
}

/** Each session once: the first place wins. */
export function firstOfEach(sources: Iterable<SessionSource>): SessionSource[] {
  const byId = new Map<string, SessionSource>();
  for (const source of sources) if (!byId.has(source.sessionId)) byId.set(source.sessionId, source);
  return [...byId.values()];
}

/** The database and its write-ahead log: a session is unchanged while both are. */
export function filesOfDatabase(database: FileStat): FileStat[] {
  const log = fileStat(`${database.path}-wal`);
  return log === undefined ? [database] : [database, log];
}

/** The latest change of these files. */
export function lastChange(files: readonly FileStat[]): number {
  return files.reduce((latest, { mtimeMs }) => Math.max(latest, mtimeMs), -Infinity);
}

/** A session in a file of its own. */
export function fileSource(sessionId: string, file: FileStat, locator?: unknown): SessionSource {
  return { sessionId, path: file.path, files: [file], updatedMs: file.mtimeMs, ...(locator ? { locator } : {}) };
}

/** The sessions of a database. One that cannot be read is noted. */
export function databaseSources<Listed extends ListedSession>(
  database: FileStat,
  notes: ReadNotes,
  list: (database: ReadOnlyDatabase) => Listed[],
  locatorOf: (listed: Listed) => unknown,
): SessionSource[] {
  const { path } = database;
  const files = filesOfDatabase(database);
  try {
    return withDatabase(path, list).map((listed) => {
      const updatedMs = listed.head.updatedMs ?? lastChange(files);
      return { sessionId: listed.id, path, files, updatedMs, locator: locatorOf(listed) };
    });
  } catch (error) {
    notes.skip(path, errorText(error));
    return [];
  }
}

/** For copies without a pointer to their source: of sessions that begin alike, the one that was begun first is the original. */
export function oldestIsOriginal(family: readonly { source: SessionSource; head: SessionHead }[]): Map<string, string> {
  const [original, ...copies] = [...family].sort((a, b) => (a.head.startedMs ?? 0) - (b.head.startedMs ?? 0));
  return new Map(
    original && copies.map(({ source, head }) => [source.sessionId, head.forkedFrom ?? original.source.sessionId]),
  );
}
