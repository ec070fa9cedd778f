/** An archived session: what its reader returns, without the agent's own records. */
import type { ReportedTotal, SessionHead, SessionReader, UsageRecord } from "../agents/adapter.ts";
import { readerOf } from "../agents/in-memory.ts";
import type { SessionMessage, SubagentTranscript } from "../core/session.ts";

export interface ArchivedSession {
  agent: string;
  sessionId: string;
  /** Modification time of the files, for sessions without their own date. */
  sourceMs: number;
  /** As in a listing, with facts from other sessions' files. */
  head: SessionHead;
  /** From reading the whole session. */
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

/** For reading a session from memory. */
export function readerOfArchived(session: ArchivedSession): SessionReader {
  const { wholeHead, messages, usage, reportedTotals, subagents, messageCount, turnCount } = session;
  return {
    ...readerOf({
      // A copy: readers may change it.
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

/** Requests of all states of a session, each once: two machines may both have continued it. */
export function mergedUsage([first = [], ...others]: readonly UsageRecord[][]): UsageRecord[] {
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
