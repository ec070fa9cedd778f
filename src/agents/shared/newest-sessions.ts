/** Limits an agent's sessions to the newest. Lists, costs and search hold them all in memory, about 4 KB each. */
import type { SessionSource } from "../adapter.ts";
import type { ReadNotes } from "../read-notes.ts";

export const MAX_SESSIONS = 200_000;

/** `store`: what is named in the note if some are left out. */
export function newestSessions(
  sources: SessionSource[],
  store: string,
  notes: ReadNotes,
  max = MAX_SESSIONS,
): SessionSource[] {
  if (sources.length <= max) return sources;
  const count = (sessions: number): string => sessions.toLocaleString("en");
  notes.skip(store, `holds ${count(sources.length)} sessions; amux uses the newest ${count(max)}`);
  return sources.toSorted((a, b) => b.updatedMs - a.updatedMs).slice(0, max);
}
