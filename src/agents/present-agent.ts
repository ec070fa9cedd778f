/** Loads an agent's adapter only if the agent left anything on this machine. */
import { isNothingAt } from "../lib/fs/directory.ts";
import type { AgentAdapter, AgentEnv } from "./adapter.ts";
import { AGENT_LOCATIONS } from "./agent-locations.gen.ts";
import type { AgentRegistry } from "./registry.ts";

export async function presentAgent(registry: AgentRegistry, name: string, env: AgentEnv): Promise<AgentAdapter> {
  const locations = registry.isBuiltIn(name) ? AGENT_LOCATIONS[name] : undefined;
  return locations?.(env).every(isNothingAt) ? withoutHistory(name) : registry.get(name);
}

function withoutHistory(name: string): AgentAdapter {
  return {
    name,
    displayName: name,
    command: name,
    capabilities: { canResume: false, canFork: false, sessionPersistence: "none" },
  };
}
