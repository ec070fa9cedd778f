/**
 * Every session of this machine, alive or dead, from what runners leave on disk. It asks nobody: a list must be quick
 * and work with no daemon. Alive is what a running process holds the lock of; the rest is at most a second old.
 */
import { readFileSync } from "node:fs";
import { entriesOf } from "../lib/directory.ts";
import { asObject, asText } from "../lib/fields.ts";
import { isLockHeld } from "../lib/process-lock.ts";
import type { SessionMeta } from "../protocol/runner-api.ts";
import { sessionFiles, sessionsDirectory, type SessionPlaces } from "../protocol/session-files.ts";
import { isSessionId } from "../protocol/session-id.ts";

export interface KnownSession {
  meta: SessionMeta;
  /** Its process is there. One whose process is gone without a word has no exit code. */
  alive: boolean;
}

/** Newest first. */
export function knownSessions(places: SessionPlaces): KnownSession[] {
  return entriesOf(sessionsDirectory(places))
    .filter((entry) => isSessionId(entry.name))
    .flatMap((entry) => storedMeta(sessionFiles(places, entry.name).meta) ?? [])
    .map((meta) => ({ meta, alive: meta.alive && isLockHeld(sessionFiles(places, meta.id).lock) }))
    .sort((a, b) => (a.meta.created_at < b.meta.created_at ? 1 : -1));
}

/** Our own file, written whole: its shape is not checked beyond being one of ours. */
export function storedMeta(path: string): SessionMeta | undefined {
  try {
    const value = asObject(JSON.parse(readFileSync(path, "utf8")));
    return asText(value?.["id"]) === undefined || asText(value?.["created_at"]) === undefined
      ? undefined
      : (value as unknown as SessionMeta);
  } catch {
    return undefined; // Not there yet, or not ours: no session to show.
  }
}
