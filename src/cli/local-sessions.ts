/** This machine's sessions for commands that only read: without what starts agents, which takes longer to load than a search. */
import { AgentRegistry } from "../agents/registry.ts";
import type { AgentMuxClient } from "../index.ts";
import { processEnv, workingDirectory } from "../lib/paths.ts";
import { findConfigPlaces } from "../run/config-places.ts";
import { SessionManager } from "../sessions/manager.ts";

export interface ReadingClient extends Pick<AgentMuxClient, "sessions"> {
  adapters: Pick<AgentMuxClient["adapters"], "list" | "get">;
}

export function localSessions(): ReadingClient {
  const env = processEnv();
  const registry = new AgentRegistry();
  const sessions = new SessionManager(registry, env, {
    project: () => findConfigPlaces(env, workingDirectory()).project,
  });
  return { sessions, adapters: { list: () => registry.names(), get: (name) => registry.get(name) } };
}
