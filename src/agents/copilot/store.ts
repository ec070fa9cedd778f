/**
 * `session-store.db` has requests that a rewind removed from the events, and sessions whose folder is gone. Most rows
 * are in the -wal file, which must be copied to be read, so the result is cached until the files change.
 */
import { fileStat } from "../../lib/fs/directory.ts";
import { errorText } from "../../lib/text/error-text.ts";
import { withDatabase } from "../../lib/sqlite/sqlite.ts";
import { requestsIn, sessionsIn, type StoredRequest, type StoredSession } from "./format-store.ts";

interface Store {
  sessions: Map<string, StoredSession>;
  requests: Map<string, StoredRequest[]>;
}

export type OpenedStore = Store | { failure: string } | undefined;

let latest: { stamp: string; opened: OpenedStore } | undefined;

/** Undefined if there is no store. */
export function openStore(path: string): OpenedStore {
  const stamp = [path, `${path}-wal`].map(stampOf).join("\n");
  if (latest?.stamp !== stamp) latest = { stamp, opened: readStore(path) };
  return latest.opened;
}

function stampOf(path: string): string {
  const stat = fileStat(path);
  return `${path}:${stat?.size}:${stat?.mtimeMs}`;
}

function readStore(path: string): OpenedStore {
  let problem: string | undefined;
  const stat = fileStat(path, (_, reason) => (problem = reason));
  if (stat === undefined) return problem === undefined ? undefined : { failure: problem };
  try {
    return withDatabase(path, (database) => ({ sessions: sessionsIn(database), requests: requestsIn(database) }));
  } catch (error) {
    return { failure: `cannot be read as a database (${errorText(error)})` };
  }
}
