/**
 * Every session of this machine, alive or dead, from what runners leave on disk. It asks nobody: a list must be quick
 * and work with no daemon. Alive is what a running process holds the lock of; the rest is at most a second old.
 */
import { entriesOf, type OnProblem } from "../lib/fs/directory.ts";
import { isLockHeld } from "../lib/process/process-lock.ts";
import type { SessionMeta } from "../protocol/runner-api.ts";
import { sessionFiles, sessionsDirectory, type SessionPlaces } from "../protocol/session-files.ts";
import { isSessionId } from "../protocol/session-id.ts";
import { storedMeta } from "./stored-meta.ts";

export interface KnownSession {
  meta: SessionMeta;
  /** Its process is there. One whose process is gone without a word has no exit code. */
  alive: boolean;
}

/** Newest first. Those that cannot be listed are told, and cost the others nothing. */
export function knownSessions(places: SessionPlaces, onProblem?: OnProblem): KnownSession[] {
  return entriesOf(sessionsDirectory(places), onProblem)
    .filter((entry) => isSessionId(entry.name))
    .flatMap((entry) => metaOf(entry.name, sessionFiles(places, entry.name).meta, onProblem) ?? [])
    .map((meta) => ({ meta, alive: meta.alive && isLockHeld(sessionFiles(places, meta.id).lock) }))
    .sort((a, b) => (a.meta.created_at < b.meta.created_at ? 1 : -1));
}

function metaOf(id: string, path: string, onProblem: OnProblem | undefined): SessionMeta | undefined {
  const meta = storedMeta(path, onProblem);
  if (meta === undefined || meta.id === id) return meta;
  onProblem?.(path, `is that of ${meta.id}`);
  return undefined;
}
