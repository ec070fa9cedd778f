/** Which agent a command line starts: `claude`, `/opt/bin/claude`, `env X=1 claude`, `npx codex`. */
import { basename } from "node:path";
import type { AgentRegistry } from "./registry.ts";

/** Undefined when it is none we know. Words after `--` are for the program, and name none. */
export async function agentOfCommand(command: readonly string[], registry: AgentRegistry): Promise<string | undefined> {
  const names = new Map<string, string>();
  for (const name of registry.names()) names.set((await registry.get(name)).command, name);
  for (const word of command) {
    if (word === "--") return undefined;
    const agent = names.get(basename(word));
    if (agent !== undefined) return agent;
  }
  return undefined;
}
