/** Finds the session that made a request which several sessions hold through forks and resumes. */
import type { SessionHead, UsageRecord } from "../../agents/adapter.ts";

export interface RequestHolder {
  head: SessionHead;
  usage: readonly UsageRecord[];
}

interface Held {
  sessionId: string;
  record: UsageRecord;
  startedMs: number;
}

/** Maps each request key to the session it is billed to. */
export function ownersOf(sessions: ReadonlyMap<string, RequestHolder>): Map<string, string> {
  const best = new Map<string, Held>();
  for (const [sessionId, { head, usage }] of sessions) {
    const startedMs = head.startedMs ?? head.createdMs ?? Number.MAX_SAFE_INTEGER;
    for (const record of usage) {
      const held = { sessionId, record, startedMs };
      const other = best.get(record.key);
      if (other === undefined || isBetter(held, other)) best.set(record.key, held);
    }
  }
  const owners = new Map<string, string>();
  for (const [key, { sessionId }] of best) owners.set(key, sessionId);
  return owners;
}

/** The original is not marked as a copy. Ties go to the earliest date, then to the file begun first. */
function isBetter(a: Held, b: Held): boolean {
  const [copied, otherCopied] = [a.record.copied ?? false, b.record.copied ?? false];
  if (copied !== otherCopied) return otherCopied;
  const [at, otherAt] = [a.record.at ?? Number.MAX_SAFE_INTEGER, b.record.at ?? Number.MAX_SAFE_INTEGER];
  if (at !== otherAt) return at < otherAt;
  return a.startedMs === b.startedMs ? a.sessionId < b.sessionId : a.startedMs < b.startedMs;
}
