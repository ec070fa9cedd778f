/** This machine's sessions for commands that only read, without the code that starts agents, which loads slowly. */
import { AgentRegistry } from "../agents/registry.ts";
import type { AgentMuxClient } from "../index.ts";
import { optional } from "../lib/values/optional.ts";
import { processEnv, workingDirectory } from "../lib/fs/paths.ts";
import { findConfigDirectories } from "../run/config-directories.ts";
import { SessionManager } from "../history/manager.ts";
import type { CachedStores } from "../history/cached-stores.ts";

export interface ReadingClient extends Pick<AgentMuxClient, "sessions"> {
  adapters: Pick<AgentMuxClient["adapters"], "list" | "get">;
}

/** `standing`: for a long-running program. */
export function localSessions(standing?: CachedStores): ReadingClient {
  const env = processEnv();
  const registry = new AgentRegistry();
  const sessions = new SessionManager(registry, env, {
    project: () => findConfigDirectories(env, workingDirectory()).project,
    ...optional("standing", standing),
  });
  return { sessions, adapters: { list: () => registry.names(), get: (name) => registry.get(name) } };
}
