/** What listings of all adapters have in common: each session once, and the files it depends on. */
import { fileStat, type FileStat } from "../../lib/directory.ts";
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

/** A session whose files need not be looked at before somebody asks when it was changed. */
export class ListedSource implements SessionSource {
  readonly sessionId: string;
  readonly path: string;
  readonly files: readonly FileStat[];
  readonly locator: unknown;
  /** Those that tell when it was changed. */
  readonly #own: readonly FileStat[];

  constructor(fields: Pick<SessionSource, "sessionId" | "path" | "files" | "locator">, own = fields.files) {
    this.sessionId = fields.sessionId;
    this.path = fields.path;
    this.files = fields.files;
    this.locator = fields.locator;
    this.#own = own;
  }

  get updatedMs(): number {
    return lastChange(this.#own);
  }
}
