/** What listings of all adapters have in common: each session once, and the files it depends on. */
import { fileStat, type FileStat } from "../../lib/fs/directory.ts";
import type { SessionHead, SessionSource } from "../adapter.ts";

/** A session in a database: the query that lists it tells all of its head. */
export interface ListedSession {
  id: string;
  head: SessionHead;
}

/** Each session once: the place that was looked at first wins. */
export function firstOfEach(sources: Iterable<SessionSource>): SessionSource[] {
  const byId = new Map<string, SessionSource>();
  for (const source of sources) if (!byId.has(source.sessionId)) byId.set(source.sessionId, source);
  return [...byId.values()];
}

/** The database and its write-ahead log: what must be unchanged for a session in it to be unchanged. */
export function filesOfDatabase(database: FileStat): FileStat[] {
  const log = fileStat(`${database.path}-wal`);
  return log === undefined ? [database] : [database, log];
}

/** When the last of these files was changed. */
export function lastChange(files: readonly FileStat[]): number {
  return Math.max(...files.map((file) => file.mtimeMs));
}
