/** Sends the comments of a local review: to a session here, on another machine, or as the prompt of a new one. */
import { startArguments } from "../../agents/start-options.ts";
import { AgentRegistry } from "../../agents/registry.ts";
import { sendMessage } from "../../client/send-to-session.ts";
import type { KnownSession } from "../../client/session-list.ts";
import { sendReview } from "../../changes/review/send-review.ts";
import type { Sender } from "../../changes/review/review-file.ts";
import { settleComments, takeComments, type Outcome, type Taken } from "../../changes/review/reviews.ts";
import { AgentMuxError } from "../../core/errors.ts";
import { findOnPath } from "../../lib/process/find-on-path.ts";
import { optional } from "../../lib/values/optional.ts";
import type { ReviewSend, ReviewSent } from "../../protocol/review.ts";
import { sessionFiles } from "../../protocol/session-files.ts";
import { usageError } from "../command.ts";
import { chooseRunning } from "../mux/choose.ts";
import { chooseRemote, isRemoteRef, messageRemote } from "../mux/remote.ts";
import { sessionDirectories } from "../mux/session-directories.ts";
import { SHELL } from "../run/command-session.ts";

type Sent = Pick<ReviewSent, "receipt" | "session">;

interface Receiver {
  /** Absent for a new session. */
  id?: string;
  deliver(taken: Taken): Promise<Sent>;
}

export async function sendLocal(
  home: string,
  ids: readonly string[],
  running: KnownSession | undefined,
  wish: ReviewSend,
): Promise<ReviewSent> {
  if (wish.to !== undefined && wish.new !== undefined) throw usageError("--to and --new exclude each other.");
  // Whatever can be refused before is: from then on the comments count as being sent.
  const receiver = wish.new === undefined ? await session(running, wish) : await newSession(wish.new);
  const outbox = {
    take: (sender: Sender) => takeComments(home, ids, { ...wish, ...optional("to", receiver.id) }, sender),
    settle: (delivery: string, outcome: Outcome) => settleComments(home, ids, delivery, outcome),
  };
  return sendReview(outbox, receiver.deliver);
}

async function session(running: KnownSession | undefined, { to, force = false }: ReviewSend): Promise<Receiver> {
  if (to !== undefined && isRemoteRef(to)) {
    const remote = await chooseRemote(to);
    if (!remote.alive) throw notRunning();
    refuseShell(remote);
    return {
      id: remote.id,
      deliver: async ({ message }) => ({
        session: remote.id,
        receipt: (await messageRemote(remote.id, message, force)).receipt,
      }),
    };
  }
  const { meta } = to === undefined ? (running ?? refuseEnded()) : chooseRunning(to);
  refuseShell(meta);
  const { id, incarnation } = meta;
  const { socket } = sessionFiles(sessionDirectories(), id);
  return {
    id,
    deliver: async ({ message, delivery }) => {
      const { receipt } = await sendMessage(socket, message, { force, incarnation, id: delivery });
      return { session: id, receipt };
    },
  };
}

async function newSession(agent: string): Promise<Receiver> {
  const { name: kind, command, displayName, launch } = await new AgentRegistry().get(agent);
  if (launch?.start?.prompt === undefined) throw usageError(`${displayName} cannot be started with a prompt.`);
  if (findOnPath(command, process.env) === undefined)
    throw new AgentMuxError("AGENT_NOT_INSTALLED", `${command} is not on the PATH; install ${displayName} first.`);
  const { start } = launch;
  return {
    deliver: async ({ message, root }) => {
      const { startDetached } = await import("../mux/start.ts");
      const words = startArguments(start, { prompt: message }, []) as string[];
      return { session: await startDetached({ command: [command, ...words], kind, cwd: root }), receipt: "started" };
    },
  };
}

/** A shell would run the quoted code. */
function refuseShell({ kind, agent }: { kind: string; agent?: string | undefined }): void {
  if (kind === SHELL && agent === undefined)
    throw usageError("No agent runs in that session: a shell would run the quoted code.");
}

function refuseEnded(): never {
  throw notRunning();
}

function notRunning(): AgentMuxError {
  return new AgentMuxError(
    "SESSION_NOT_FOUND",
    "The session is not running. Resume it (amux resume), or send the comments to another with --to or --new.",
  );
}
