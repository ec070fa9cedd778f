/** The sessions as this browser saw them last, for a page that is opened while the daemon is down. Gone with the login. */
import type { MuxSession } from "../../protocol/mux-session.ts";

const KEY = "amux.last-known";
/** More would not fit beside the rest of what a browser keeps; the running ones come first. */
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
    forgetLastKnown(); // The browser's store is full: half of it would be worse than nothing.
  }
}

export function readLastKnown(): LastKnown | undefined {
  try {
    const kept = JSON.parse(localStorage.getItem(KEY) ?? "null") as LastKnown | null;
    return kept !== null && Array.isArray(kept.sessions) ? kept : undefined;
  } catch {
    return undefined; // Written by another build of the page.
  }
}

export function forgetLastKnown(): void {
  localStorage.removeItem(KEY);
}
