/** Whether a past session ends in an error. Reads all of it: summaries do not say. */
import { AgentMuxError } from "../core/errors.ts";
import { isErrorMessage } from "../core/message-error.ts";
import type { SessionMessage } from "../core/session.ts";

interface Sessions {
  open(agent: string, sessionId: string): Promise<{ messages(): Iterable<SessionMessage> }>;
}

/** Its last message is an error of the service or of a tool. Undefined if it cannot be read. */
export async function endsInError(
  sessions: Sessions,
  { agent, sessionId }: { agent: string; sessionId: string },
): Promise<boolean | undefined> {
  try {
    let last: SessionMessage | undefined;
    for (const message of (await sessions.open(agent, sessionId)).messages()) last = message;
    return last !== undefined && isErrorMessage(last);
  } catch (error) {
    if (isUnreadable(error)) return undefined;
    throw error;
  }
}

/** Damaged, or removed since it was listed. */
function isUnreadable(error: unknown): boolean {
  return error instanceof AgentMuxError && (error.code === "PARSE_ERROR" || error.code === "SESSION_NOT_FOUND");
}
