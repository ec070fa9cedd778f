import type { Command } from "../command.ts";
import { table } from "../format/table.ts";
import { HOOK_AGENT_ARGUMENT } from "../hooked-agents.ts";
import { PROJECT_OPTION, skillPlaces, skillState, type SkillState } from "../skill/skill-file.ts";

const WORDS: Record<SkillState, string> = {
  absent: "no",
  installed: "yes",
  outdated: "yes, from another version",
  edited: "changed by someone",
};

interface Row {
  agent: string;
  state: SkillState;
  path: string;
}

const command: Command = {
  name: "skill status",
  arguments: [HOOK_AGENT_ARGUMENT],
  options: [PROJECT_OPTION],
  examples: [
    ["amux skill status", "every agent that reads skills"],
    ["amux skill status --project --json", "those of this directory, for a script"],
  ],
  async run(invocation) {
    const { output } = invocation;
    const rows = (await skillPlaces(invocation)).map(({ adapter, path }): Row => ({
      agent: adapter.name,
      state: skillState(path),
      path,
    }));
    if (output.json) return output.writeJson(rows);
    const columns = [
      { title: "AGENT", value: (row: Row) => row.agent },
      { title: "SKILL", value: (row: Row) => WORDS[row.state] },
      { title: "WHERE", value: (row: Row) => row.path, min: 20 },
    ];
    const lines = table(rows, columns, output.width, (text) => output.style("bold", text));
    await output.write(lines.map((line) => `${line}\n`));
    if (rows.some(({ state }) => state === "outdated")) output.note("amux skill install brings it up to date.");
  },
};

export default command;
