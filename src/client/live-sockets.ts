/**
 * The sockets of running sessions, and the removal of those whose process is gone. A file is removed only when that is
 * proven: nobody answers, and we hold the lock that every runner takes before it binds.
 */
import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { codeOf } from "../lib/fs/directory.ts";
import { acquireLock, removeAbandoned } from "../lib/process/process-lock.ts";
import { socketAnswers } from "../lib/process/socket-probe.ts";
import { RESERVE_FILE, sessionFiles, socketDirectory, type SessionPlaces } from "../protocol/session-files.ts";
import { isSessionId } from "../protocol/session-id.ts";

const SOCKET = ".sock";
const LOCK = ".lock";

export async function listLive(places: SessionPlaces): Promise<string[]> {
  const ids = idsOf(places, [SOCKET]);
  const live = await Promise.all(ids.map((id) => socketAnswers(sessionFiles(places, id).socket)));
  return ids.filter((_, at) => live[at]);
}

/** Answers the sessions whose leftovers were removed. */
export async function removeOrphans(places: SessionPlaces): Promise<string[]> {
  const removed: string[] = [];
  // A runner may have been killed before it had its socket, or while somebody had removed it.
  for (const id of idsOf(places, [SOCKET, LOCK])) {
    const { socket, lock, directory } = sessionFiles(places, id);
    if (await socketAnswers(socket)) continue;
    // A runner that is just starting has the lock before it answers.
    const held = acquireLock(lock);
    if (held === undefined) continue;
    if (!(await socketAnswers(socket))) {
      rmSync(socket, { force: true });
      removeUnfinished(directory);
      removed.push(id);
    }
    held.release();
    removeAbandoned(lock);
  }
  return removed;
}

/** Files that a killed runner was just writing, and the room it held. */
function removeUnfinished(directory: string): void {
  for (const name of namesIn(directory))
    if (name.endsWith(".tmp") || name === RESERVE_FILE) rmSync(join(directory, name), { force: true });
}

/** Of the files with one of these endings, which are of the same length. */
function idsOf(places: SessionPlaces, endings: readonly string[]): string[] {
  const names = namesIn(socketDirectory(places)).filter((name) => endings.some((ending) => name.endsWith(ending)));
  const ids = new Set(names.map((name) => name.slice(0, -SOCKET.length)));
  return [...ids].filter(isSessionId).sort();
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return [];
    throw error;
  }
}
