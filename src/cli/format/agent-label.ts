/** An agent's name in lists. */
import { AgentRegistry } from "../../agents/registry.ts";

const registry = new AgentRegistry();

export function agentLabel(agent: string): string {
  return registry.isExperimental(agent) ? `${agent} (experimental)` : agent;
}
