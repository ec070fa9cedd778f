/**
 * The sockets of running sessions, and cleanup after dead ones. A file is removed only if nobody answers and we hold the lock
 * that every runner takes before it binds.
 */
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { namesIn } from "../lib/fs/directory.ts";
import { acquireLock, removeAbandoned } from "../lib/process/process-lock.ts";
import {
  RESERVE_FILE,
  sessionFiles,
  socketDirectory,
  type SessionDirectories,
  type SessionFiles,
} from "../protocol/session-files.ts";
import { isSessionId } from "../protocol/session-id.ts";

const SOCKET = ".sock";
const LOCK = ".lock";

export async function listLive(places: SessionDirectories): Promise<string[]> {
  const ids = idsOf(places, [SOCKET]);
  const live = await Promise.all(ids.map((id) => answers(sessionFiles(places, id).socket)));
  return ids.filter((_, at) => live[at]);
}

/** Returns the sessions whose files it removed; of several clean-ups at once, one names a session. `running` are known to run. */
export async function removeOrphans(
  places: SessionDirectories,
  running: ReadonlySet<string> = new Set(),
): Promise<string[]> {
  const removed: string[] = [];
  // A runner may have been killed before it created its socket, or after its socket was deleted.
  for (const id of idsOf(places, [SOCKET, LOCK])) {
    if (running.has(id)) continue;
    const files = sessionFiles(places, id);
    if (await answers(files.socket)) continue;
    // Clean-ups take turns. The session's own lock cannot tell who removed a dead runner's: taking it over replaces it.
    const turn = acquireLock(`${files.lock}.clean-up`);
    if (turn === undefined) continue;
    try {
      if (await removeOrphan(files)) removed.push(id);
    } finally {
      turn.release();
    }
  }
  return removed;
}

/** False if nothing is left to remove, or a runner lives. */
async function removeOrphan({ socket, lock, directory }: SessionFiles): Promise<boolean> {
  // Another clean-up was faster, or the session has ended.
  if (!existsSync(socket) && !existsSync(lock)) return false;
  // A starting runner holds the lock before it answers.
  const held = acquireLock(lock);
  if (held === undefined) return false;
  const isDead = !(await answers(socket));
  if (isDead) {
    rmSync(socket, { force: true });
    removeUnfinished(directory);
  }
  held.release();
  removeAbandoned(lock);
  return isDead;
}

/** Loaded on demand: Node's sockets take as long to load as the rest of a list, and most lists need none. */
async function answers(socket: string): Promise<boolean> {
  return (await import("../lib/process/socket-probe.ts")).socketAnswers(socket);
}

/** Temporary files of a killed runner, and its disk reserve. */
function removeUnfinished(directory: string): void {
  for (const name of namesIn(directory))
    if (name.endsWith(".tmp") || name === RESERVE_FILE) rmSync(join(directory, name), { force: true });
}

/** The endings must have the same length. */
function idsOf(places: SessionDirectories, endings: readonly string[]): string[] {
  const names = namesIn(socketDirectory(places)).filter((name) => endings.some((ending) => name.endsWith(ending)));
  const ids = new Set(names.map((name) => name.slice(0, -SOCKET.length)));
  return [...ids].filter(isSessionId).sort();
}
