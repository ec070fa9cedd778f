/**
 * A session opened for reading, without its secrets. Everything is inspected before the first word leaves, and the whole session
 * is refused if any of it cannot be, as a push to an archive does.
 */
import { AgentMuxError } from "../core/errors.ts";
import type { SessionMessage, SessionSummary, SubagentTranscript } from "../core/session.ts";
import type { SessionView } from "../history/session-view.ts";
import { EventLoopYielder } from "../lib/process/yield-to-event-loop.ts";
import { errorText } from "../lib/text/error-text.ts";
import { redactMessage } from "./redact-message.ts";
import { UnreadableValue, type Finding, type Redactor } from "./redactor.ts";
import { doubtAbout } from "./unsure.ts";

/** Sessions up to this size are kept in memory: looking for secrets takes longer than all else, and is then done once. */
const KEPT_BYTES = 32 * 1024 * 1024;

export interface RedactedViewOptions {
  /** Takes out possible secrets too, instead of refusing. */
  takeUnsure?: boolean;
  /** Whether the agent's own records are wanted. */
  raw?: boolean;
  /** Called now and then; may throw to end the work. */
  onProgress?: (messages: number) => void;
}

export async function redactedView(
  view: SessionView,
  redactor: Redactor,
  { takeUnsure = false, raw = false, onProgress }: RedactedViewOptions = {},
): Promise<SessionView> {
  const { unifiedId } = view.summary;
  const settle = (findings: readonly Finding[]): void => {
    const doubt = takeUnsure ? undefined : doubtAbout(findings);
    if (doubt !== undefined) throw refusal(unifiedId, `${doubt}; --take-unsure redacts it and keeps the rest`);
  };
  try {
    const findings: Finding[] = [];
    const summary = redactSummary(view.summary, redactor, findings);
    const yielder = new EventLoopYielder();
    const isSmall = view.source.files.reduce((sum, { size }) => sum + size, 0) <= KEPT_BYTES;
    const kept: SessionMessage[] | undefined = isSmall ? [] : undefined;
    let count = 0;
    for (const message of view.messages()) {
      const clean = redactMessage(message, `messages[${count++}]`, redactor, findings);
      kept?.push(clean);
      onProgress?.(count);
      await yielder.yieldIfDue();
    }
    const subagents: SubagentTranscript[] = [];
    for (const { messages, ...rest } of view.subagents()) {
      const where = `subagents[${subagents.length}]`;
      const facts = redactor.value(rest, where, findings) as Omit<SubagentTranscript, "messages">;
      const own: SessionMessage[] = [];
      for (const message of messages) {
        own.push(redactMessage(message, `${where}.messages[${own.length}]`, redactor, findings));
        onProgress?.(count + own.length);
        await yielder.yieldIfDue();
      }
      subagents.push({ ...facts, messages: own });
    }
    const records = raw ? redactor.value(view.raw(), "raw", findings) : undefined;
    settle(findings);
    return {
      summary: { ...summary, messageCount: count, redacted: findings.length },
      source: view.source,
      *messages() {
        if (kept !== undefined) return yield* kept;
        // Read again rather than kept; a session that grew meanwhile shows only what was inspected.
        let index = 0;
        for (const message of view.messages()) {
          if (index === count) return;
          const found: Finding[] = [];
          const clean = redactMessage(message, `messages[${index++}]`, redactor, found);
          settle(found);
          yield clean;
        }
      },
      subagents: () => subagents,
      raw: () => records,
    };
  } catch (error) {
    if (!(error instanceof UnreadableValue)) throw error;
    throw refusal(unifiedId, `cannot be checked for secrets: ${errorText(error)}`, error);
  }
}

function redactSummary(summary: SessionSummary, redactor: Redactor, findings: Finding[]): SessionSummary {
  const { agent, sessionId, unifiedId, createdAt, updatedAt, forkedFrom, parentId, ...rest } = summary;
  for (const id of [agent, sessionId, forkedFrom, parentId]) if (id !== undefined) redactor.require(id, "id");
  const clean = redactor.value(rest, "session", findings) as Omit<
    SessionSummary,
    "agent" | "sessionId" | "unifiedId" | "createdAt" | "updatedAt"
  >;
  return {
    agent,
    sessionId,
    unifiedId,
    createdAt,
    updatedAt,
    ...clean,
    ...(forkedFrom === undefined ? {} : { forkedFrom }),
    ...(parentId === undefined ? {} : { parentId }),
  };
}

function refusal(unifiedId: string, reason: string, cause?: unknown): AgentMuxError {
  return new AgentMuxError("VALIDATION_ERROR", `${unifiedId} ${reason}.`, { cause });
}
