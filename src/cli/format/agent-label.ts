/** An agent's name in lists, or other text that names it or one of its sessions. */
import { AgentRegistry } from "../../agents/registry.ts";

const registry = new AgentRegistry();

export function agentLabel(agent: string, text = agent): string {
  return registry.isExperimental(agent) ? `${text} (experimental)` : text;
}
