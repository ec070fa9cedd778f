/**
 * Every session of this machine, from the files runners leave on disk. A list must be quick and work without a daemon. A session
 * runs if its lock is held; the rest is at most a second old.
 */
import { entriesOf, type OnProblem } from "../lib/fs/directory.ts";
import { isLockHeld } from "../lib/process/process-lock.ts";
import type { SessionMeta } from "../protocol/runner-api.ts";
import {
  sessionFiles,
  sessionsDirectory,
  type SessionDirectories,
  type SessionFiles,
} from "../protocol/session-files.ts";
import { isSessionId } from "../protocol/session-id.ts";
import { storedMeta } from "./stored-meta.ts";

export interface KnownSession {
  meta: SessionMeta;
  /** Its process runs. A session whose process died without a word has no exit code. */
  alive: boolean;
}

/** Newest first. Unreadable sessions are reported and do not affect the others. */
export function knownSessions(places: SessionDirectories, onProblem?: OnProblem): KnownSession[] {
  return entriesOf(sessionsDirectory(places), onProblem)
    .filter((entry) => isSessionId(entry.name))
    .flatMap((entry) => metaOf(entry.name, sessionFiles(places, entry.name).meta, onProblem) ?? [])
    .map((meta) => stateOf(meta, sessionFiles(places, meta.id)))
    .sort((a, b) => (a.meta.created_at < b.meta.created_at ? 1 : -1));
}

/** A runner writes its end before it gives up its lock: if the lock is free, the file may have changed since it was read. */
function stateOf(meta: SessionMeta, files: SessionFiles): KnownSession {
  const alive = meta.alive && isLockHeld(files.lock);
  return { meta: alive === meta.alive ? meta : (storedMeta(files.meta) ?? meta), alive };
}

function metaOf(id: string, path: string, onProblem: OnProblem | undefined): SessionMeta | undefined {
  const meta = storedMeta(path, onProblem);
  if (meta === undefined || meta.id === id) return meta;
  onProblem?.(path, `is that of ${meta.id}`);
  return undefined;
}
