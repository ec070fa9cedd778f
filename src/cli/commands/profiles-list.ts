import { createClient, type ProfileEntry } from "../../index.ts";
import type { Command } from "../command.ts";
import { agentLabel } from "../format/agent-label.ts";
import { table, type Column } from "../format/table.ts";

const command: Command = {
  name: "profiles list",
  description: "Profiles are named sets of run options. A project's profile overrides your own.",
  examples: [
    ["amux profiles list", "profiles that apply in this directory"],
    ["amux profiles list --json", "for a script"],
  ],
  async run({ output }) {
    const entries = createClient().profiles.list();
    if (output.json) return output.writeJson(entries);
    if (entries.length === 0) return output.note("No profiles yet; amux profiles set makes one.");
    await output.page(
      table(entries, COLUMNS, output.width, (heading) => output.style("bold", heading)).map((line) => `${line}\n`),
    );
  },
};

export default command;

const COLUMNS: readonly Column<ProfileEntry>[] = [
  { title: "PROFILE", value: ({ name }) => name },
  { title: "SCOPE", value: ({ scope, hasGlobalOverride }) => (hasGlobalOverride ? `${scope}, over global` : scope) },
  { title: "AGENT", value: ({ agent }) => (agent === undefined ? "" : agentLabel(agent)) },
  { title: "MODEL", value: ({ model }) => model ?? "" },
  { title: "", value: ({ corrupt }) => corrupt ?? "", min: 10 },
];
