/** One session, opened for reading. */
import type { SessionReader, SessionSource } from "../agents/adapter.ts";
import type { SessionMessage, SessionSummary, SubagentTranscript } from "../core/session.ts";

export interface SessionView {
  summary: SessionSummary;
  source: SessionSource;
  /** The repository's commit at the start, if the agent recorded it. */
  commit?: string;
  /** Each call reads again. */
  messages(): Iterable<SessionMessage>;
  /** As `SessionReader.aside`. */
  aside?: ReturnType<NonNullable<SessionReader["aside"]>>;
  subagents(): SubagentTranscript[];
  raw(): unknown;
  /** As `SessionReader.copyUpTo`; undefined if the agent's sessions cannot be copied in part. */
  copyUpTo?: NonNullable<SessionReader["copyUpTo"]>;
  promptAfter?: NonNullable<SessionReader["promptAfter"]>;
}
