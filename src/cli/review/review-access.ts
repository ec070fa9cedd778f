/** A session's review, on this machine directly or on another through the daemon. */
import { realpathSync } from "node:fs";
import { conversationOf } from "../../client/conversation.ts";
import { knownSessions, type KnownSession } from "../../client/session-list.ts";
import { findReview } from "../../changes/review/review-file.ts";
import { changeReview, readReview, type ReviewTarget } from "../../changes/review/reviews.ts";
import { AgentMuxError } from "../../core/errors.ts";
import { joinUnifiedId } from "../../core/unified-id.ts";
import { workingDirectory } from "../../lib/fs/paths.ts";
import { optional } from "../../lib/values/optional.ts";
import type { Review, ReviewChange, ReviewSend, ReviewSent } from "../../protocol/review.ts";
import { splitRemoteId } from "../../protocol/session-id.ts";
import { usageError, type ArgumentSpec } from "../command.ts";
import { localSessions } from "../local-sessions.ts";
import { findSession } from "../mux/choose.ts";
import { sessionDirectories } from "../mux/session-directories.ts";
import { hasMachine, resolveReference } from "../session-reference.ts";
import { sendLocal } from "./send-local.ts";

export const REVIEWED_SESSION: ArgumentSpec = {
  name: "session",
  description: "a live or past session: id, slug, name or <agent>:<id>, or a unique prefix; id@peer on another machine",
  completes: "all-sessions",
};

export interface ReviewAccess {
  read(): Promise<Review>;
  change(change: ReviewChange): Promise<Review>;
  /** `to` by any name of a running session. */
  send(wish: ReviewSend): Promise<ReviewSent>;
}

export async function reviewOf(ref: string): Promise<ReviewAccess> {
  if (ref.trim() === "") throw usageError("The session name is empty. See amux ls.");
  return (hasMachine([ref]) ? await remoteReview(ref) : undefined) ?? localReview(await targetOf(ref));
}

/** Without links, as git names the root. */
function realHere(): string {
  try {
    return realpathSync(workingDirectory());
  } catch {
    // It was removed; no file is there.
    return "/";
  }
}

interface LocalTarget extends ReviewTarget {
  /** A running terminal of the session. */
  running?: KnownSession;
}

function localReview(target: LocalTarget): ReviewAccess {
  const { home } = sessionDirectories();
  return {
    read: async () => readReview(home, target.ids),
    change: (change) => changeReview(home, { ...target, from: realHere() }, change),
    send: (wish) => sendLocal(home, target.ids, target.running, wish),
  };
}

async function targetOf(ref: string): Promise<LocalTarget> {
  const own = findSession(ref);
  if (own !== undefined) {
    const { id, title, cwd } = own.meta;
    const conversation = conversationOf(own.meta);
    const ids = conversation === undefined ? [id] : [conversation, id];
    return { ids, describe: async () => ({ title, cwd }), ...optional("running", own.alive ? own : undefined) };
  }
  const local = localSessions();
  try {
    const { agent, sessionId } = await resolveReference(local, [ref]);
    const unifiedId = joinUnifiedId(agent, sessionId);
    const terminals = knownSessions(sessionDirectories()).filter(({ meta }) => conversationOf(meta) === unifiedId);
    return {
      ids: [unifiedId, ...terminals.map(({ meta }) => meta.id)],
      describe: async () => {
        const { title, cwd = "" } = (await local.sessions.open(agent, sessionId)).summary;
        return { title, cwd };
      },
      ...optional(
        "running",
        terminals.find(({ alive }) => alive),
      ),
    };
  } catch (error) {
    // The agent may have deleted it; its comments are still here.
    const isGone = error instanceof AgentMuxError && error.code === "SESSION_NOT_FOUND";
    if (!isGone || findReview(sessionDirectories().home, [ref]) === undefined) throw error;
    return { ids: [ref], describe: () => Promise.reject(error) };
  }
}

/** Undefined if no peer is meant: names may contain an `@`. */
async function remoteReview(ref: string): Promise<ReviewAccess | undefined> {
  const [{ remoteReference, unifiedIdOf }, { askDaemon, chooseRemote }] = await Promise.all([
    import("../peers/remote-history.ts"),
    import("../mux/remote.ts"),
  ]);
  const reference = remoteReference([ref]);
  if (reference === undefined) return undefined;
  const { peer, agent } = reference;
  const [path, query] =
    agent === ""
      ? [`/v1/sessions/${(await chooseRemote(ref)).id}/review`, ""]
      : [`/v1/history/${encodeURIComponent(await unifiedIdOf(reference))}/review`, `?peer=${peer}`];
  return {
    read: () => askDaemon<Review>("GET", `${path}${query}`),
    change: (change) => askDaemon<Review>("POST", `${path}${query}`, change),
    send: async (wish) => {
      const sent = await askDaemon<ReviewSent>("POST", `${path}/send${query}`, {
        ...wish,
        ...optional("to", wish.to === undefined ? undefined : await there(wish.to)),
      });
      return { ...sent, session: `${sent.session}@${peer}` };
    },
  };

  async function there(to: string): Promise<string> {
    const { id = "", peer: machine } = splitRemoteId(to.includes("@") ? (await chooseRemote(to)).id : to) ?? {};
    if (machine === peer) return id;
    throw usageError(`The comments are on ${peer}: --to takes a session of that machine, such as name@${peer}.`);
  }
}
