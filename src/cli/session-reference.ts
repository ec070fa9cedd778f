/**
 * Finds a session by `<agent> <id>`, `<agent>:<id>` or `<id>`, a unique prefix of the id, or the terminal session that writes it.
 */
import { AgentRegistry } from "../agents/registry.ts";
import { AgentMuxError } from "../core/errors.ts";
import type { SessionReference } from "../core/diff.ts";
import type { SessionManager } from "../history/manager.ts";
import { usageError, type ArgumentSpec } from "./command.ts";

export const SESSION_ARGUMENTS: readonly ArgumentSpec[] = [
  {
    name: "agent",
    description: "agent, <agent>:<id>, the id alone, or the name of a terminal session",
    completes: "agents",
  },
  { name: "session-id", description: "id of the session, or a unique prefix", optional: true, completes: "ids" },
];

/** Source of known sessions. */
export interface SessionLookup {
  sessions: Pick<SessionManager, "resolveNativeId" | "matching"> & Partial<Pick<SessionManager, "whyMissing">>;
}

export async function resolveReference(client: SessionLookup, args: readonly string[]): Promise<SessionReference> {
  const [first, id] = args;
  if (first === undefined) throw usageError("Name a session: <agent> <id>, or <agent>:<id>.");
  // An empty prefix matches everything: an unset variable would select the only session.
  if (id === "") throw usageError(`The session id after "${first}" is empty.`);
  if (id !== undefined) return complete(client, first, id);
  const parts = client.sessions.resolveNativeId(first);
  if (parts) return complete(client, parts.agent, parts.nativeSessionId);
  const [agent = "", rest = ""] = first.split(":", 2);
  // Throws with the known agents.
  if (rest !== "") return complete(client, agent, rest);
  if (first === "" || first.includes(":") || new AgentRegistry().has(first)) {
    throw usageError(
      `"${first}" names no session. Write <agent> <id>, <agent>:<id> or <id>, as amux sessions list shows them.`,
    );
  }
  return ofAnyAgent(client, first);
}

/** The id alone. */
async function ofAnyAgent(client: SessionLookup, id: string): Promise<SessionReference> {
  const found: SessionReference[] = [];
  for (const agent of new AgentRegistry().names()) {
    for (const sessionId of await client.sessions.matching(agent, id)) found.push({ agent, sessionId });
  }
  const exact = found.filter(({ sessionId }) => sessionId === id);
  const chosen = exact.length > 0 ? exact : found;
  if (chosen.length === 1) return chosen[0]!;
  if (chosen.length === 0) return ofTerminal(client, id);
  throw ambiguous(
    id,
    "sessions",
    chosen.map(({ agent, sessionId }) => `${agent}:${sessionId}`),
  );
}

/** The conversation of a terminal session, by that session's id or name. */
async function ofTerminal(client: SessionLookup, ref: string): Promise<SessionReference> {
  const [{ findSession }, { conversationOf }] = await Promise.all([
    import("./mux/choose.ts"),
    import("../client/conversation.ts"),
  ]);
  const meta = findSession(ref)?.meta;
  if (meta === undefined) {
    const message = `No session of any agent has the id "${ref}", and no terminal session has that name.`;
    throw new AgentMuxError("SESSION_NOT_FOUND", `${message} See amux sessions list, amux ls.`);
  }
  const written = client.sessions.resolveNativeId(conversationOf(meta) ?? "");
  if (written) return complete(client, written.agent, written.nativeSessionId);
  throw new AgentMuxError("SESSION_NOT_FOUND", `No conversation found for session ${meta.id}. See amux tail.`);
}

/** Whether another machine may be meant: `<id>@peer`. */
export function hasMachine(args: readonly string[]): boolean {
  return args.at(-1)?.includes("@") === true;
}

const MAX_SHOWN = 5;

async function complete(client: SessionLookup, agent: string, id: string): Promise<SessionReference> {
  const matching = await client.sessions.matching(agent, id);
  if (matching.includes(id)) return { agent, sessionId: id };
  if (matching.length === 1) return { agent, sessionId: matching[0]! };
  if (matching.length === 0) {
    const why = await client.sessions.whyMissing?.(agent, id);
    if (why?.code === "PARSE_ERROR")
      throw new AgentMuxError(why.code, `${why.message} See amux doctor ${agent}.`, { cause: why });
    throw new AgentMuxError(
      "SESSION_NOT_FOUND",
      `No ${agent} session has the id "${id}". See amux sessions list ${agent}.`,
    );
  }
  throw ambiguous(id, `${agent} sessions`, matching);
}

function ambiguous(id: string, what: string, matching: readonly string[]): AgentMuxError {
  const shown = matching.slice(0, MAX_SHOWN).join(", ");
  const more = matching.length > MAX_SHOWN ? ", …" : "";
  return new AgentMuxError("VALIDATION_ERROR", `"${id}" matches ${matching.length} ${what}: ${shown}${more}.`);
}
