/** An agent for whoever wants what it left behind: where it has left nothing, its adapter is not loaded for that. */
import { isNothingAt } from "../lib/fs/directory.ts";
import type { AgentAdapter, AgentEnv } from "./adapter.ts";
import { AGENT_PLACES } from "./agent-places.gen.ts";
import type { AgentRegistry } from "./registry.ts";

export async function presentAgent(registry: AgentRegistry, name: string, env: AgentEnv): Promise<AgentAdapter> {
  const places = registry.isBuiltIn(name) ? AGENT_PLACES[name] : undefined;
  return places?.(env).every(isNothingAt) ? withoutHistory(name) : registry.get(name);
}

function withoutHistory(name: string): AgentAdapter {
  return {
    name,
    displayName: name,
    command: name,
    capabilities: { canResume: false, canFork: false, sessionPersistence: "none" },
  };
}
