/** This machine's sessions for commands that only read, without the code that starts agents, which loads slowly. */
import { AgentRegistry } from "../agents/registry.ts";
import type { AgentMuxClient } from "../index.ts";
import { optional } from "../lib/values/optional.ts";
import { processEnv, workingDirectory } from "../lib/fs/paths.ts";
import { findConfigPlaces } from "../run/config-places.ts";
import { SessionManager } from "../history/manager.ts";
import type { StandingStores } from "../history/standing-stores.ts";

export interface ReadingClient extends Pick<AgentMuxClient, "sessions"> {
  adapters: Pick<AgentMuxClient["adapters"], "list" | "get">;
}

/** `standing`: for a long-running program. */
export function localSessions(standing?: StandingStores): ReadingClient {
  const env = processEnv();
  const registry = new AgentRegistry();
  const sessions = new SessionManager(registry, env, {
    project: () => findConfigPlaces(env, workingDirectory()).project,
    ...optional("standing", standing),
  });
  return { sessions, adapters: { list: () => registry.names(), get: (name) => registry.get(name) } };
}
