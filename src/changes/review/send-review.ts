/** Sends a session's comments through the caller's delivery, at most once. */
import { AgentMuxError } from "../../core/errors.ts";
import { startTimeOf } from "../../lib/process/processes.ts";
import { errorText } from "../../lib/text/error-text.ts";
import type { ReviewSent } from "../../protocol/review.ts";
import { NOTHING_TYPED } from "../../status/deliver.ts";
import type { Sender } from "./review-file.ts";
import type { Outcome, Taken } from "./reviews.ts";

export interface Outbox {
  take(sender: Sender): Promise<Taken> | Taken;
  settle(delivery: string, outcome: Outcome): Promise<void> | void;
  /** Errors of the caller's own after which nothing was sent. */
  isUnsent?(error: unknown): boolean;
}

/** `deliver` has checked already that the session runs; what it throws is of the delivery itself. */
export async function sendReview(
  outbox: Outbox,
  deliver: (taken: Taken) => Promise<Pick<ReviewSent, "receipt" | "session">>,
): Promise<ReviewSent> {
  const taken = await outbox.take({ pid: process.pid, startTime: startTimeOf(process.pid) ?? "" });
  const { delivery, comments } = taken;
  let sent: Pick<ReviewSent, "receipt" | "session">;
  try {
    sent = await deliver(taken);
  } catch (error) {
    if (isUnsent(error) || outbox.isUnsent?.(error) === true) {
      await outbox.settle(delivery, undefined);
      throw error;
    }
    try {
      await outbox.settle(delivery, "unclear");
    } catch {
      // What went wrong first is told. After a while they count as unclear by themselves.
    }
    const message = `${errorText(error)} It is not known whether the comments arrived, so they are kept and not sent again. Look at the session, then resolve them, or send them with --again.`;
    throw new AgentMuxError(error instanceof AgentMuxError ? error.code : "INTERNAL", message, { cause: error });
  }
  await outbox.settle(delivery, sent);
  return { ...sent, comments };
}

/** The delivery says so itself, or there is no process to take it. Any other failure may come after the first byte. */
function isUnsent(error: unknown): boolean {
  if (!(error instanceof AgentMuxError)) return false;
  const { code, message } = error;
  return (
    ["SESSION_NOT_FOUND", "AGENT_NOT_FOUND", "CAPABILITY_ERROR", "COMMAND_NOT_FOUND"].includes(code) ||
    message.startsWith(NOTHING_TYPED)
  );
}
