/** Common parts of all adapters' listings: each session once, with the files it depends on. */
import { fileStat, type FileStat } from "../../lib/fs/directory.ts";
import type { SessionHead, SessionSource } from "../adapter.ts";

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
