/** The model of one session: how a run learns it from an agent that does not tell while it runs. */
import { AgentMuxError } from "../core/errors.ts";
import type { SessionManager } from "./manager.ts";

/** Undefined when the session is not in the agent's store, or names none. */
export async function modelOfSession(
  sessions: SessionManager,
  agent: string,
  sessionId: string,
): Promise<string | undefined> {
  try {
    return (await sessions.open(agent, sessionId)).summary.model;
  } catch (error) {
    if (error instanceof AgentMuxError && error.code === "SESSION_NOT_FOUND") return undefined;
    throw error;
  }
}
