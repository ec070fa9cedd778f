import { createClient, type InstalledAgent } from "../../index.ts";
import { pluginProblems } from "../../agents/plugins.ts";
import { withoutControls } from "../../lib/text/text.ts";
import type { Command } from "../command.ts";
import { table, type Column } from "../format/table.ts";
import type { Output } from "../output.ts";

const command: Command = {
  name: "agents",
  description:
    "Looks for every agent on the PATH, asks for its version and checks whether it is signed in, without reading credentials.",
  arguments: [{ name: "agent", description: "only this agent", optional: true, completes: "agents" }],
  examples: [
    ["amux agents", "list all agents"],
    ["amux agents codex --json", "all facts about one agent, for a script"],
  ],
  async run({ arguments: [only], output }) {
    const client = createClient();
    const names = only === undefined ? client.adapters.list() : [only];
    const agents = await Promise.all(names.map((name) => client.adapters.detect(name)));
    for (const problem of pluginProblems()) output.note(withoutControls(problem));
    if (output.json) return output.writeJson(agents);
    const rows = table(agents, columns(output), output.width, (heading) => output.style("bold", heading));
    await output.page([...rows, ...experimentalOf(agents)].map((line) => `${line}\n`));
  },
};

export default command;

function columns(output: Output): Column<InstalledAgent>[] {
  return [
    { title: "AGENT", value: ({ agent }) => agent, style: (text) => output.style("cyan", text) },
    { title: "NAME", value: ({ displayName }) => displayName, dispensable: 3 },
    { title: "VERSION", value: ({ installed, version }) => (installed ? (version ?? "installed") : "–"), min: 10 },
    { title: "SIGNED IN", value: ({ authState }) => signedIn(authState), dispensable: 1 },
    { title: "RUN", value: ({ capabilities }) => mark(capabilities.canRun) },
    { title: "RESUME", value: ({ capabilities }) => mark(capabilities.canResume) },
    { title: "FORK", value: ({ capabilities }) => mark(capabilities.canFork) },
    { title: "STREAMS", value: ({ capabilities }) => mark(capabilities.streamsText), dispensable: 2 },
    { title: "ASKS", value: ({ capabilities }) => mark(capabilities.asksForApproval), dispensable: 2 },
  ];
}

/** The column with the names that say so is the first to go in a narrow terminal. */
function experimentalOf(agents: readonly InstalledAgent[]): string[] {
  const names = agents.filter(({ experimental }) => experimental).map(({ agent }) => agent);
  return names.length === 0 ? [] : [`Experimental, without recordings of the real program: ${names.join(", ")}`];
}

function signedIn(state: InstalledAgent["authState"]): string {
  if (!state) return "";
  return { authenticated: "yes", unauthenticated: "no", unknown: "?" }[state.status];
}

function mark(isSo: boolean): string {
  return isSo ? "yes" : "–";
}
