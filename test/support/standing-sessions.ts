/** Past sessions as a daemon has them: without its memory, each question lists all sessions of the agent again. */
import { AgentRegistry } from "../../src/agents/registry.ts";
import { CachedStores } from "../../src/history/cached-stores.ts";
import { SessionManager } from "../../src/history/manager.ts";

const IDLE_MS = 600_000;

export function standingSessions(home: string): SessionManager {
  const env = { home, platform: "linux", vars: {} } as const;
  return new SessionManager(new AgentRegistry(), env, { standing: new CachedStores(env, IDLE_MS) });
}
