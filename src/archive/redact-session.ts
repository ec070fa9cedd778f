/** A session without its secrets, and where they were. */
import type { ReportedTotal, SessionHead, UsageRecord } from "../agents/adapter.ts";
import type { SessionMessage, SubagentTranscript } from "../core/session.ts";
import type { ArchivedSession } from "./archived-session.ts";
import { redactMessage } from "../redaction/redact-message.ts";
import type { Finding, Redactor } from "../redaction/redactor.ts";

export interface RedactedSession {
  session: ArchivedSession;
  findings: Finding[];
}

/** Throws if any part of the session cannot be inspected. */
export function redactSession(session: ArchivedSession, redactor: Redactor): RedactedSession {
  const findings: Finding[] = [];
  const { agent, sessionId, reportedTotals } = session;
  const messages = (list: readonly SessionMessage[], where: string): SessionMessage[] =>
    list.map((message, index) => redactMessage(message, `${where}[${index}]`, redactor, findings));
  return {
    session: {
      ...session,
      agent: redactor.require(agent, "agent"),
      sessionId: redactor.require(sessionId, "sessionId"),
      head: redactHead(session.head, redactor, findings),
      // Nearly the same content; its findings would be duplicates.
      wholeHead: redactHead(session.wholeHead, redactor, []),
      usage: session.usage.map((record, index) => redactUsage(record, `usage[${index}]`, redactor)),
      ...(reportedTotals
        ? { reportedTotals: redactor.value(reportedTotals, "totals", findings) as ReportedTotal[] }
        : {}),
      messages: messages(session.messages, "messages"),
      subagents: session.subagents.map(({ messages: own, ...rest }, index) => {
        const where = `subagents[${index}]`;
        const facts = redactor.value(rest, where, findings) as Omit<SubagentTranscript, "messages">;
        return { ...facts, messages: messages(own, `${where}.messages`) };
      }),
    },
    findings,
  };
}

function redactHead(head: SessionHead, redactor: Redactor, findings: Finding[]): SessionHead {
  const { familyKeys, forkedFrom, parentId, ...rest } = head;
  for (const key of [...(familyKeys ?? []), forkedFrom, parentId]) {
    if (key !== undefined) redactor.require(key, "head.familyKeys");
  }
  return { ...head, ...(redactor.value(rest, "head", findings) as SessionHead) };
}

/** Keys stay unchanged: they identify copies of a request. */
function redactUsage(record: UsageRecord, where: string, redactor: Redactor): UsageRecord {
  redactor.require(record.key, `${where}.key`);
  const { key: _, ...rest } = record;
  return { ...(redactor.value(rest, where, []) as UsageRecord), key: record.key };
}
