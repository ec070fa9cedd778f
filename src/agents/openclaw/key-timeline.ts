/**
 * Which session a key had at a given time. A sub-agent belongs to the session that its parent's key had when it
 * started.
 */
import type { SessionEntry } from "./format.ts";

export class KeyTimeline {
  readonly #sessions = new Map<string, { sessionId: string; sinceMs: number }[]>();

  add({ key, sessionId, sinceMs = 0 }: SessionEntry): void {
    const sessions = this.#sessions.get(key);
    if (sessions === undefined) this.#sessions.set(key, [{ sessionId, sinceMs }]);
    else sessions.push({ sessionId, sinceMs });
  }

  sessionAt(key: string, ms: number): string | undefined {
    let best: { sessionId: string; sinceMs: number } | undefined;
    for (const session of this.#sessions.get(key) ?? []) {
      if (session.sinceMs <= ms && session.sinceMs >= (best?.sinceMs ?? 0)) best = session;
    }
    return best?.sessionId;
  }
}
