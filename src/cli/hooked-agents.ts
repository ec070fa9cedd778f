/** What the hook commands share. */
import { AgentMuxError } from "../core/errors.ts";
import type { ArgumentSpec } from "./command.ts";

export const HOOK_AGENT_ARGUMENT: ArgumentSpec = {
  name: "agent",
  description: "only this agent",
  optional: true,
  completes: "agents",
};

/** One agent's broken settings must not affect the others. */
export function attempted(work: () => boolean): { changed: boolean; error?: AgentMuxError } {
  try {
    return { changed: work() };
  } catch (error) {
    if (error instanceof AgentMuxError) return { changed: false, error };
    throw error;
  }
}
