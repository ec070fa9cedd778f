/** What the index holds and what it lacks; and removing it. */
import { statSync } from "node:fs";
import { acquireLock } from "../../lib/process/process-lock.ts";
import type { Catalog } from "../catalog.ts";
import { isCopied } from "../cache/copied.ts";
import { lockPath, removeDatabase } from "../cache/database.ts";
import type { IndexConnection } from "./index-connection.ts";

export interface AgentIndexStatus {
  agent: string;
  sessions: number;
  /** Known as they are now. */
  current: number;
  /** Known as they were before they were changed. */
  outdated: number;
  missing: number;
  /** Of what is outdated or missing. */
  bytesToRead: number;
}

export interface IndexStatus {
  path: string;
  exists: boolean;
  bytes: number;
  /** A process is working on it now. */
  building: boolean;
  /** It was copied, and what is outdated may be as it was but for the numbers of files: the next build finds out. */
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

/** False when a process is working on the index. */
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
