/** What a session changed and the comments on it, for the terminal interface: on this machine, or through the daemon on another. */
import { recordLook } from "../changes/diff/looks.ts";
import { lookKey } from "../changes/diff/subject.ts";
import { conversationOf } from "../client/conversation.ts";
import { knownSessions } from "../client/session-list.ts";
import { AgentMuxError } from "../core/errors.ts";
import { joinUnifiedId } from "../core/unified-id.ts";
import { isSessionId, splitRemoteId } from "../protocol/session-id.ts";
import type { SessionWork, TuiServices, WorkSubject } from "../tui/services.ts";
import type { ReviewAccess } from "./review/review-access.ts";

/** Of a distant machine. */
const LOOK_WITHIN_MS = 30_000;

export function sessionWork(services: TuiServices, subject: WorkSubject): SessionWork {
  const { remote } = subject;
  const ref = remote?.id ?? localRef(subject);
  return {
    ...(remote === undefined ? localChanges(services, subject) : remoteChanges(services, remote)),
    review: async () => (await reviewOf(ref)).read(),
    comment: async (change) => (await reviewOf(ref)).change(change),
    send: async (wish) => (await reviewOf(ref)).send(wish),
  };
}

async function reviewOf(ref: string): Promise<ReviewAccess> {
  return (await import("./review/review-access.ts")).reviewOf(ref);
}

function localRef({ session, terminal }: WorkSubject): string {
  return session === undefined ? (terminal?.id ?? "") : joinUnifiedId(session.agent, session.sessionId);
}

type Changes = Pick<SessionWork, "isRunning" | "changes" | "looked">;

function localChanges({ env, places, history }: TuiServices, subject: WorkSubject): Changes {
  const ref = localRef(subject);
  return {
    isRunning: () =>
      knownSessions(places).some(
        ({ meta, alive }) => alive && (meta.id === subject.terminal?.id || conversationOf(meta) === ref),
      ),
    changes: async (options) => {
      const { sessionChanges } = await import("../changes/diff/session-changes.ts");
      return sessionChanges({ sessions: await history(), env }, subject, options);
    },
    looked: async (files) => recordLook(env, lookKey(subject), files),
  };
}

function remoteChanges({ daemon }: TuiServices, { id, isRunning }: NonNullable<WorkSubject["remote"]>): Changes {
  return {
    isRunning: () => isRunning,
    changes: async (options) => {
      const { remoteChanges: ask } = await import("./peers/remote-changes.ts");
      const changes = await ask(id, options);
      if (changes === undefined) throw new AgentMuxError("SESSION_NOT_FOUND", `There is no session ${id}.`);
      return changes;
    },
    looked: async (files) => {
      // A past session there has no terminal to name.
      if (!isSessionId(splitRemoteId(id)?.id ?? "")) return;
      const path = `/v1/sessions/${id}/changes/look`;
      await daemon.ask({ method: "POST", path, body: { files }, timeoutMs: LOOK_WITHIN_MS });
    },
  };
}
