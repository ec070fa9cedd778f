/** Keeps the vault below its limit: whole sessions are dropped, those that changed longest ago first. */
import type { Manifest, VaultFile } from "./manifest.ts";
import { StoredSize } from "./objects.ts";

interface KeptSession {
  changedMs: number;
  files: VaultFile[];
}

/** Returns how many sessions were dropped. */
export function dropOldest(manifest: Manifest, stored: StoredSize): number {
  if (stored.bytes <= manifest.maxBytes) return 0;
  const sessions = keptSessions(manifest.files.values()).sort((a, b) => a.changedMs - b.changedMs);
  const isTooLarge = ({ files }: KeptSession): boolean => new StoredSize(files).bytes > manifest.maxBytes;
  // A session that can never fit must not drive out the others.
  const hopeless = new Set(sessions.filter(isTooLarge));
  let dropped = 0;
  for (const session of [...hopeless, ...sessions.filter((each) => !hopeless.has(each))]) {
    if (stored.bytes <= manifest.maxBytes) break;
    for (const file of session.files) {
      manifest.files.delete(file.path);
      stored.remove(file);
    }
    dropped++;
    const { sessions: before = 0, untilMs = 0 } = manifest.dropped ?? {};
    const isOld = !hopeless.has(session);
    manifest.dropped = { sessions: before + 1, untilMs: isOld ? Math.max(untilMs, session.changedMs) : untilMs };
  }
  return dropped;
}

/** Whether the session of a file is larger than the whole vault may be, with this file. */
export function canNeverFit(manifest: Manifest, file: VaultFile): boolean {
  const others = [...manifest.files.values()].filter(
    ({ agent, path, sessions }) =>
      agent === file.agent && path !== file.path && sessions.some((id) => file.sessions.includes(id)),
  );
  return new StoredSize([...others, file]).bytes > manifest.maxBytes;
}

/** A file of several sessions goes with the one that changed last. */
function keptSessions(files: Iterable<VaultFile>): KeptSession[] {
  const all = [...files];
  const changed = new Map<string, number>();
  for (const { agent, sessions, sessionMs } of all) {
    for (const id of sessions) {
      const key = `${agent}:${id}`;
      changed.set(key, Math.max(changed.get(key) ?? 0, sessionMs));
    }
  }
  const kept = new Map<string, KeptSession>();
  for (const file of all) {
    const keys = file.sessions.map((id) => `${file.agent}:${id}`);
    const key = keys.reduce((a, b) => (changed.get(b)! > changed.get(a)! ? b : a), keys[0] ?? "");
    const session = kept.get(key) ?? { changedMs: changed.get(key) ?? file.sessionMs, files: [] };
    kept.set(key, session);
    session.files.push(file);
  }
  return [...kept.values()];
}
