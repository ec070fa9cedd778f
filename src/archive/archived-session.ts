/** A session as it goes into the archive and comes out of it: what its reader gives, without the agent's own records. */
import type { ReportedTotal, SessionHead, SessionReader, UsageRecord } from "../agents/adapter.ts";
import { readerOf } from "../agents/in-memory.ts";
import type { SessionMessage, SubagentTranscript } from "../core/session.ts";

export interface ArchivedSession {
  agent: string;
  sessionId: string;
  /** Last change of the files, for sessions that do not tell it themselves. */
  sourceMs: number;
  /** As a listing sees it, with what only other sessions' files know of it. */
  head: SessionHead;
  /** As the whole of it tells it. */
  wholeHead: SessionHead;
  messageCount: number;
  turnCount: number;
  usage: UsageRecord[];
  reportedTotals?: ReportedTotal[];
  messages: SessionMessage[];
  subagents: SubagentTranscript[];
}

export function updatedMsOf({ head, sourceMs }: Pick<ArchivedSession, "head" | "sourceMs">): number {
  return head.updatedMs ?? sourceMs;
}

export function createdMsOf(session: Pick<ArchivedSession, "head" | "sourceMs">): number {
  return session.head.createdMs ?? updatedMsOf(session);
}

/** For whoever reads a session from memory. */
export function readerOfArchived(session: ArchivedSession): SessionReader {
  const { wholeHead, messages, usage, reportedTotals, subagents, messageCount, turnCount } = session;
  return {
    ...readerOf({
      // A copy: whoever reads it may add to it.
      head: { ...wholeHead },
      messages,
      usage,
      ...(reportedTotals ? { reportedTotals } : {}),
      ...(subagents.length > 0 ? { subagents } : {}),
      raw: undefined,
    }),
    counts: () => ({ messageCount, turnCount }),
  };
}

/** Requests of all states of a session, each once: two machines may both have gone on with it. */
export function unitedUsage([first = [], ...others]: readonly UsageRecord[][]): UsageRecord[] {
  if (others.length === 0) return first;
  const keys = new Set(first.map(({ key }) => key));
  const all = [...first];
  for (const record of others.flat()) {
    if (keys.has(record.key)) continue;
    keys.add(record.key);
    all.push(record);
  }
  return all;
}
