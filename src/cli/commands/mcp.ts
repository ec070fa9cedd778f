import { createClient, type AgentMuxClient } from "../../index.ts";
import type { Command } from "../command.ts";
import { serve } from "../mcp/json-rpc.ts";
import { mcpMethods } from "../mcp/server.ts";

declare const AMUX_VERSION: string;

const command: Command = {
  name: "mcp",
  summary: "Serve past sessions to agents, as an MCP server",
  description:
    "Speaks MCP on standard input and output: search, list and read sessions, and what they cost. Nothing is ever changed. The session that asks is left out where it can be told.",
  options: [
    { name: "exclude", value: "session", description: "leave this session out too (<agent>:<id>)", repeatable: true },
  ],
  examples: [
    ["claude mcp add amux -- amux mcp", "give an agent the memory of all agents"],
    ["codex mcp add amux -- amux mcp", "another one"],
  ],
  async run(invocation) {
    const client = createClient();
    const asking = new Set([...invocation.texts("exclude"), ...(await sessionsAsking(client))]);
    const methods = mcpMethods({ client, version: AMUX_VERSION, asking });
    await serve(process.stdin, (line) => process.stdout.write(line), methods);
  },
};

export default command;

/** An agent tells the programs it starts which session they belong to, by a variable of its own. */
async function sessionsAsking(client: AgentMuxClient): Promise<string[]> {
  const found: string[] = [];
  for (const name of client.adapters.list()) {
    const adapter = await client.adapters.get(name);
    const variable = adapter.run?.sessionVariable;
    const id = variable === undefined ? undefined : process.env[variable];
    if (id !== undefined && id !== "") found.push(`${name}:${id}`);
  }
  return found;
}
