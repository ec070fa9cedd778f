/** The index connection of a process, the index's coverage, and its removal. */
import { statSync } from "node:fs";
import { IndexDatabase, lockPath, removeDatabase } from "../cache/database.ts";
import { SearchIndex } from "./index-reader.ts";
import { SEARCH_TABLES } from "./index-tables.ts";
import { acquireLock } from "../../lib/process/process-lock.ts";
import type { Catalog } from "../catalog.ts";
import { isCopied } from "../cache/copied.ts";

interface Opened {
  database: IndexDatabase;
  /** Identity of the file: it may be removed and recreated. */
  ino: number;
  version: number;
  index: SearchIndex;
}

/** Opened on first use; its lists are reloaded only after a write. */
export class IndexConnection {
  readonly path: string;
  #opened: Opened | undefined;

  constructor(path: string) {
    this.path = path;
  }

  /** Runs `use` on a snapshot of the index, or without one if the index is missing, unusable or fails during the query. */
  ask<T>(without: boolean, use: (index: SearchIndex | undefined) => T): T {
    if (!without) {
      try {
        const opened = this.#open();
        if (opened) return opened.database.snapshot(() => use(this.#current(opened)));
      } catch {
        // Damaged or locked permanently. The next builder sets a damaged file aside.
        this.close();
      }
    }
    return use(undefined);
  }

  #open(): Opened | undefined {
    const ino = statSync(this.path, { throwIfNoEntry: false })?.ino;
    if (this.#opened && this.#opened.ino !== ino) this.close();
    if (this.#opened || ino === undefined) return this.#opened;
    const database = IndexDatabase.openExisting(this.path, SEARCH_TABLES);
    if (database === undefined) return undefined;
    this.#opened = database.snapshot(() => {
      const index = new SearchIndex(database);
      return { database, ino, version: database.dataVersion, index };
    });
    return this.#opened;
  }

  #current(opened: Opened): SearchIndex {
    const version = opened.database.dataVersion;
    if (version !== opened.version) {
      opened.index = new SearchIndex(opened.database);
      opened.version = version;
    }
    return opened.index;
  }

  close(): void {
    try {
      this.#opened?.database.close();
    } catch {
      // Failure is harmless here.
    }
    this.#opened = undefined;
  }
}

export interface AgentIndexStatus {
  agent: string;
  sessions: number;
  /** Current in the index. */
  current: number;
  /** Indexed, but changed since. */
  outdated: number;
  missing: number;
  /** Bytes that are outdated or missing. */
  bytesToRead: number;
}

export interface IndexStatus {
  path: string;
  exists: boolean;
  bytes: number;
  /** Another process is filling it now. */
  building: boolean;
  /** The index was copied: outdated sessions may differ only in inodes. The next build finds out. */
  copied: boolean;
  agents: AgentIndexStatus[];
}

export function indexStatus(connection: IndexConnection, catalogs: readonly Catalog[]): IndexStatus {
  const { path } = connection;
  const copied = connection.ask(false, (index) => index !== undefined && isCopied(index.database));
  const agents = connection.ask(false, (index) =>
    catalogs.map((catalog) => {
      const { name: agent } = catalog.adapter;
      const status: AgentIndexStatus = { agent, sessions: 0, current: 0, outdated: 0, missing: 0, bytesToRead: 0 };
      for (const id of catalog.ids()) {
        const source = catalog.source(id)!;
        status.sessions++;
        if (index?.current(catalog, source)) status.current++;
        else {
          status[index?.find(agent, id) ? "outdated" : "missing"]++;
          status.bytesToRead += source.files.reduce((sum, file) => sum + file.size, 0);
        }
      }
      return status;
    }),
  );
  return {
    path,
    exists: sizeOf(path) !== undefined,
    bytes: sizeWithLog(path),
    building: isLocked(path),
    copied,
    agents,
  };
}

function sizeOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.size;
}

function sizeWithLog(path: string): number {
  return (sizeOf(path) ?? 0) + (sizeOf(`${path}-wal`) ?? 0);
}

function isLocked(path: string): boolean {
  if (sizeOf(lockPath(path)) === undefined) return false;
  const lock = acquireLock(lockPath(path));
  lock?.release();
  return lock === undefined;
}

/** False if another process uses the index. */
export function clearIndex(connection: IndexConnection): boolean {
  const { path } = connection;
  if (sizeOf(path) === undefined) return true;
  const lock = acquireLock(lockPath(path));
  if (lock === undefined) return false;
  try {
    connection.close();
    removeDatabase(path);
    return true;
  } finally {
    lock.release();
  }
}
