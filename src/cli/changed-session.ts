/** The session whose changes a command shows: by name, or the newest of this directory. */
import { answer, repositoryAt } from "../changes/diff/repository.ts";
import { isBelow } from "../changes/worktree/choose-worktree.ts";
import { parseWorktreeList } from "../changes/worktree/parse-worktree-list.ts";
import { LIST } from "../changes/worktree/repository.ts";
import type { ChangesSubject } from "../changes/diff/subject.ts";
import { conversationOf } from "../client/conversation.ts";
import { knownSessions, type KnownSession } from "../client/session-list.ts";
import { AgentMuxError } from "../core/errors.ts";
import { listOrder } from "../history/list-order.ts";
import { splitUnifiedId } from "../core/unified-id.ts";
import { workingDirectory } from "../lib/fs/paths.ts";
import { optional } from "../lib/values/optional.ts";
import type { ReadingClient } from "./local-sessions.ts";
import { findSession } from "./mux/choose.ts";
import { sessionDirectories } from "./mux/session-directories.ts";
import { resolveReference } from "./session-reference.ts";

/** One look at the stores is enough for all worktrees. */
const ONE_LOOK_MS = 5000;

export interface ChangedSession {
  subject: ChangesSubject;
  /** As the user may type it. */
  name: string;
}

export async function changedSession(client: ReadingClient, ref: string | undefined): Promise<ChangedSession> {
  if (ref === undefined) return newestHere(client);
  // A terminal session may have no conversation.
  const terminal = ref.includes(":") ? undefined : findSession(ref);
  if (terminal !== undefined) return ofTerminal(terminal);
  const { agent, sessionId } = await resolveReference(client, [ref]);
  return ofConversation(`${agent}:${sessionId}`);
}

async function newestHere(client: ReadingClient): Promise<ChangedSession> {
  const { root, git } = await repositoryAt(workingDirectory());
  const entries = parseWorktreeList((await answer(git, ...LIST)) ?? "").map(({ path }) => path);
  // The main checkout speaks for its worktrees, which sessions that were started here got.
  const roots = entries[0] === root ? entries : [root];
  const running = knownSessions(sessionDirectories()).filter(({ alive }) => alive);
  const live = roots.flatMap((place) => running.find(({ meta }) => isBelow(meta.cwd, place)) ?? []);
  if (live[0] !== undefined) return ofTerminal(live[0]);
  const past = await Promise.all(
    roots.map((under) => client.sessions.listAll({ under, limit: 1, counts: false, staleMs: ONE_LOOK_MS })),
  );
  const [newest] = past.flat().sort(listOrder("date"));
  if (newest === undefined) {
    throw new AgentMuxError("SESSION_NOT_FOUND", `No session was found in ${root}. See amux sessions list.`);
  }
  return ofConversation(newest.unifiedId);
}

/** With the terminal that it runs in now, if any. */
function ofConversation(unifiedId: string): ChangedSession {
  const { agent, nativeSessionId: sessionId } = splitUnifiedId(unifiedId)!;
  const running = knownSessions(sessionDirectories()).find(
    ({ meta, alive }) => alive && conversationOf(meta) === unifiedId,
  );
  const terminal = running === undefined ? {} : ofTerminal(running).subject;
  return { subject: { ...terminal, session: { agent, sessionId } }, name: unifiedId };
}

function ofTerminal({ meta, alive }: KnownSession): ChangedSession {
  const parts = splitUnifiedId(conversationOf(meta) ?? "");
  return {
    name: meta.slug ?? meta.id,
    subject: {
      ...(parts === null ? {} : { session: { agent: parts.agent, sessionId: parts.nativeSessionId } }),
      terminal: {
        id: meta.id,
        cwd: meta.cwd,
        isRunning: alive,
        startedAt: meta.started_at,
        ...optional("endedAt", meta.exited_at),
      },
    },
  };
}
