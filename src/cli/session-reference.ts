/** Which session is meant: `<agent> <id>`, `<agent>:<id>`, and any unambiguous beginning of the id. */
import { AgentMuxError } from "../core/errors.ts";
import type { SessionReference } from "../core/diff.ts";
import type { SessionManager } from "../sessions/manager.ts";
import { usageError, type ArgumentSpec } from "./command.ts";

export const SESSION_ARGUMENTS: readonly ArgumentSpec[] = [
  { name: "agent", description: "the agent, or a unified id <agent>:<id>", completes: "agents" },
  { name: "session-id", description: "the session's id or an unambiguous beginning of it", optional: true },
];

/** Whoever knows the sessions. */
export interface KnowsSessions {
  sessions: Pick<SessionManager, "resolveNativeId" | "matching">;
}

export async function resolveReference(client: KnowsSessions, args: readonly string[]): Promise<SessionReference> {
  const [first, id] = args;
  if (first === undefined) throw usageError("Name a session: <agent> <id>, or <agent>:<id>.");
  if (id !== undefined) return complete(client, first, id);
  const parts = client.sessions.resolveNativeId(first);
  if (!parts) {
    throw usageError(
      `"${first}" names no session. Write <agent> <id>, or <agent>:<id> as amux sessions list --json shows it.`,
    );
  }
  return complete(client, parts.agent, parts.nativeSessionId);
}

/** Whether another machine may be meant: `<id>@peer`. */
export function hasMachine(args: readonly string[]): boolean {
  return args.at(-1)?.includes("@") === true;
}

const MAX_SHOWN = 5;

async function complete(client: KnowsSessions, agent: string, id: string): Promise<SessionReference> {
  const matching = await client.sessions.matching(agent, id);
  if (matching.includes(id)) return { agent, sessionId: id };
  if (matching.length === 1) return { agent, sessionId: matching[0]! };
  if (matching.length === 0) {
    throw new AgentMuxError(
      "SESSION_NOT_FOUND",
      `No ${agent} session has the id "${id}". See amux sessions list ${agent}.`,
    );
  }
  const shown = matching.slice(0, MAX_SHOWN).join(", ");
  throw new AgentMuxError(
    "VALIDATION_ERROR",
    `"${id}" is the beginning of ${matching.length} ${agent} sessions: ${shown}${matching.length > MAX_SHOWN ? ", …" : ""}.`,
  );
}
