/** One session's summary. A run takes from it what the agent does not report: the model, the turns so far. */
import { AgentMuxError } from "../core/errors.ts";
import type { SessionSummary } from "../core/session.ts";
import type { SessionManager } from "./manager.ts";

/** Undefined if the session is not in the agent's store. */
export async function summaryOfSession(
  sessions: SessionManager,
  agent: string,
  sessionId: string,
): Promise<SessionSummary | undefined> {
  try {
    return (await sessions.open(agent, sessionId)).summary;
  } catch (error) {
    if (error instanceof AgentMuxError && error.code === "SESSION_NOT_FOUND") return undefined;
    throw error;
  }
}
