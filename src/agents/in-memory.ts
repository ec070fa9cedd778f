/** A SessionReader over a session that is small enough to parse at once (databases, JSON documents). */
import type { MessageRole, SessionMessage, SubagentTranscript } from "../core/session.ts";
import type { ReportedTotal, SessionHead, SessionReader, SessionTally, UsageRecord } from "./adapter.ts";

export interface ParsedSession {
  head: SessionHead;
  messages: SessionMessage[];
  usage: UsageRecord[];
  reportedTotals?: ReportedTotal[];
  subagents?: SubagentTranscript[];
  raw: unknown;
}

export function readerOf(parsed: ParsedSession): SessionReader {
  const { reportedTotals, subagents } = parsed;
  return {
    head: parsed.head,
    messages: () => parsed.messages,
    usage: () => parsed.usage,
    ...(reportedTotals ? { reportedTotals: () => reportedTotals } : {}),
    ...(subagents ? { subagents: () => subagents } : {}),
    raw: () => parsed.raw,
  };
}

/** Counts and usage of any reader. */
export function tallyOf(reader: SessionReader): SessionTally {
  const reportedTotals = reader.reportedTotals?.();
  const usage = reader.usage();
  return {
    head: reader.head,
    ...(reader.counts?.() ?? countMessages(reader.messages())),
    usage: Array.isArray(usage) ? usage : [...usage],
    ...(reportedTotals ? { reportedTotals } : {}),
    ...(reader.origins ? { origins: reader.origins } : {}),
  };
}

/** Counts messages and turns by iterating over them. */
export function countMessages(messages: Iterable<{ role: MessageRole }>): { messageCount: number; turnCount: number } {
  let messageCount = 0;
  const turns = new TurnCounter();
  for (const { role } of messages) {
    messageCount++;
    turns.see(role);
  }
  return { messageCount, turnCount: turns.count };
}

/** A turn is a user message that an assistant message follows before the next user message. */
export class TurnCounter {
  count = 0;
  #open = false;

  see(role: MessageRole): void {
    if (role === "user") this.#open = true;
    else if (role === "assistant" && this.#open) {
      this.count++;
      this.#open = false;
    }
  }
}
