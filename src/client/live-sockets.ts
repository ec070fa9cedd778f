/**
 * The sockets of running sessions, and the removal of those whose process is gone. A file is removed only when that is
 * proven: nobody answers, and we hold the lock that every runner takes before it binds.
 */
import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { codeOf } from "../lib/directory.ts";
import { acquireLock } from "../lib/process-lock.ts";
import { socketAnswers } from "../lib/socket-probe.ts";
import { sessionFiles, socketDirectory, type SessionPlaces } from "../protocol/session-files.ts";
import { isSessionId } from "../protocol/session-id.ts";

const SUFFIX = ".sock";

export async function listLive(places: SessionPlaces): Promise<string[]> {
  const ids = socketIds(places);
  const live = await Promise.all(ids.map((id) => socketAnswers(sessionFiles(places, id).socket)));
  return ids.filter((_, at) => live[at]);
}

/** Answers the sessions whose leftovers were removed. */
export async function removeOrphans(places: SessionPlaces): Promise<string[]> {
  const removed: string[] = [];
  for (const id of socketIds(places)) {
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
  }
  return removed;
}

/** Files that a killed runner was just writing. */
function removeUnfinished(directory: string): void {
  for (const name of namesIn(directory)) if (name.endsWith(".tmp")) rmSync(join(directory, name), { force: true });
}

function socketIds(places: SessionPlaces): string[] {
  return namesIn(socketDirectory(places))
    .filter((name) => name.endsWith(SUFFIX))
    .map((name) => name.slice(0, -SUFFIX.length))
    .filter(isSessionId)
    .sort();
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return [];
    throw error;
  }
}
