/** The sessions whose ends hold an account's current limits. */
import type { SessionSource } from "../adapter.ts";

/** The longest window is a week. */
const RECENT_MS = 8 * 86_400_000;

/** The newest files hold the current figures; more would only refine the forecast. */
const MAX_FILES = 20;

export function newestSources(sources: readonly SessionSource[], now: number): SessionSource[] {
  const recent = sources.filter(({ updatedMs, path }) => updatedMs > now - RECENT_MS && path.endsWith(".jsonl"));
  return recent.sort((a, b) => b.updatedMs - a.updatedMs).slice(0, MAX_FILES);
}
