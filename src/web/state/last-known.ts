/** Caches the session list in this browser, for a page that is opened while the daemon is down. Logout clears it. */
import type { MuxSession } from "../../protocol/mux-session.ts";

const KEY = "amux.last-known";
/** Limits the cache to the browser's quota; running sessions come first. */
const KEPT = 300;

interface LastKnown {
  at: string;
  sessions: MuxSession[];
}

export function writeLastKnown({ at, sessions: all }: LastKnown): void {
  const newest = [...all].sort((a, b) => Number(b.alive) - Number(a.alive) || (a.created_at < b.created_at ? 1 : -1));
  const kept: LastKnown = { at, sessions: newest.slice(0, KEPT) };
  try {
    localStorage.setItem(KEY, JSON.stringify(kept));
  } catch {
    forgetLastKnown(); // The browser's storage is full; no cache is better than a partial one.
  }
}

export function readLastKnown(): LastKnown | undefined {
  try {
    const { at, sessions } = JSON.parse(localStorage.getItem(KEY) ?? "{}") as Partial<LastKnown>;
    if (typeof at !== "string" || !Array.isArray(sessions)) return undefined;
    return { at, sessions: sessions.filter(isSession) };
  } catch {
    return undefined; // Written by another build.
  }
}

/** Checks the fields that all views require. */
function isSession(value: unknown): value is MuxSession {
  if (typeof value !== "object" || value === null) return false;
  const { id, created_at, cwd, kind, title, command, status } = value as Record<string, unknown>;
  const isText = [id, created_at, cwd, kind, title].every((field) => typeof field === "string");
  return isText && Array.isArray(command) && typeof status === "object";
}

export function forgetLastKnown(): void {
  localStorage.removeItem(KEY);
}
