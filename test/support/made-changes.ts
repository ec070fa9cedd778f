/** A session in a made repository, and what it changed there. */
import { clientOf, madeAgent, type MadeSession } from "./made-agent.ts";
import type { GitRepository } from "./git-repository.ts";
import type { SessionChanges } from "../../src/core/changes.ts";
import { sessionChanges } from "../../src/changes/diff/session-changes.ts";
import type { ChangesOptions } from "../../src/changes/diff/subject.ts";

export const T0 = Date.parse("2026-06-01T12:00:00Z");
export const HOUR = 3_600_000;

/** A session that began at T0 and ended an hour later. */
export function session(cwd: string, more: Partial<MadeSession> = {}): MadeSession {
  const head = { createdMs: T0, updatedMs: T0 + HOUR, cwd, ...more.head };
  return { id: "one", messages: [{ role: "user", content: "hi" }], ...more, head };
}

export function changesOf(
  made: GitRepository,
  one: MadeSession,
  options: ChangesOptions = {},
): Promise<SessionChanges> {
  const client = clientOf(made.home, madeAgent("made", [one]));
  const subject = { session: { agent: "made", sessionId: one.id } };
  return sessionChanges({ sessions: client.sessions, env: made.env }, subject, { hunks: true, ...options });
}

export function edited(path: string, text = "b"): Partial<MadeSession> {
  const input = { file_path: path, old_string: "a", new_string: text };
  const timestamp = new Date(T0 + 60_000);
  const toolResult = { toolCallId: "c1", toolName: "Edit", output: "done" };
  return {
    messages: [
      { role: "assistant", content: "", timestamp, toolCalls: [{ toolCallId: "c1", toolName: "Edit", input }] },
      { role: "tool", content: "done", timestamp, toolResult },
    ],
  };
}
