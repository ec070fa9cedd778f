import { conversationOf } from "../../client/conversation.ts";
import { knownSessions } from "../../client/session-list.ts";
import { createClient, type AgentMuxClient } from "../../index.ts";
import { codeOf } from "../../lib/fs/directory.ts";
import type { Command } from "../command.ts";
import { serve } from "../mcp/json-rpc.ts";
import { mcpMethods } from "../mcp/server.ts";
import { sessionDirectories } from "../mux/session-directories.ts";
import { unwritable } from "../output.ts";

declare const AMUX_VERSION: string;

const command: Command = {
  name: "mcp",
  description:
    "Speaks MCP on standard input and output: search, list and read sessions, their cost, what they changed, and what runs now. It changes nothing unless --write allows it. Answers are short: a list takes at most about 1500 tokens unless max_tokens says otherwise. The calling session is left out where it is known.",
  options: [
    { name: "write", description: "let agents start sessions, message them, answer their questions and wait for them" },
    { name: "exclude", value: "session", description: "leave this session out too (<agent>:<id>)", repeatable: true },
  ],
  examples: [
    ["claude mcp add amux -- amux mcp", "let Claude Code search all agents' sessions"],
    ["codex mcp add amux -- amux mcp --write", "let Codex also message running sessions"],
  ],
  async run(invocation) {
    const client = createClient();
    const asking = new Set([...invocation.texts("exclude"), ...(await sessionsAsking(client))]);
    const methods = mcpMethods({ client, version: AMUX_VERSION, asking, mayWrite: invocation.flag("write") });
    // If the client stops reading, it sends no more requests.
    const unheard = new Promise<void>((resolve, reject) =>
      process.stdout.once("error", (error) => (codeOf(error) === "EPIPE" ? resolve() : reject(unwritable(error)))),
    );
    try {
      await Promise.race([serve(process.stdin, (line) => process.stdout.write(line), methods), unheard]);
    } finally {
      process.stdin.destroy();
    }
  },
};

export default command;

/** The calling session: from our terminal's variable, or from an agent's own variable for the programs it starts. */
async function sessionsAsking(client: AgentMuxClient): Promise<string[]> {
  const found: string[] = [];
  const terminal = process.env["AMUX_SESSION_ID"];
  if (terminal !== undefined) {
    found.push(terminal);
    const own = knownSessions(sessionDirectories()).find(({ meta }) => meta.id === terminal);
    const conversation = own && conversationOf(own.meta);
    if (conversation !== undefined) found.push(conversation);
  }
  for (const name of client.adapters.list()) {
    const adapter = await client.adapters.get(name);
    const variable = adapter.run?.sessionVariable;
    const id = variable === undefined ? undefined : process.env[variable];
    if (id !== undefined && id !== "") found.push(`${name}:${id}`);
  }
  return found;
}
