/** The agent that a command line starts, plug-ins included: `claude`, `/opt/bin/claude`, `env X=1 claude`, `npx codex`. */
import { agentOfCommand as agentAmong } from "./agent-programs.ts";
import { AGENT_PROGRAMS } from "./agent-programs.gen.ts";
import type { AgentRegistry } from "./registry.ts";

/** Undefined if it is not a known agent. */
export async function agentStartedBy(command: readonly string[], registry: AgentRegistry): Promise<string | undefined> {
  const programs: Record<string, string> = { ...AGENT_PROGRAMS };
  for (const name of registry.names()) programs[(await registry.get(name)).command] = name;
  return agentAmong(command, programs);
}
