import { hookState, type HookState } from "../../status/hook-install.ts";
import type { Command } from "../command.ts";
import { table } from "../format/table.ts";
import { HOOK_AGENT_ARGUMENT, hookedAgents, type HookedAgent } from "../hook-places.ts";

const WORDS: Record<HookState, string> = { absent: "no", installed: "yes", outdated: "yes, of another version" };

const command: Command = {
  name: "hooks status",
  summary: "Which agents have amux's hooks",
  arguments: [HOOK_AGENT_ARGUMENT],
  examples: [
    ["amux hooks status", "every agent that can have them"],
    ["amux hooks status --json", "for a script"],
  ],
  async run({ arguments: [name], output }) {
    const rows = (await hookedAgents(name)).map(rowOf);
    if (output.json) return output.writeJson(rows);
    const columns = [
      { title: "AGENT", value: (row: Row) => row.agent },
      { title: "HOOKS", value: (row: Row) => (row.problem === undefined ? WORDS[row.state] : "cannot tell") },
      { title: "PROGRAM", value: (row: Row) => (row.installed ? (row.version ?? "yes") : "not on the PATH") },
      { title: "WHERE", value: (row: Row) => row.problem ?? row.path, min: 20 },
    ];
    await output.write(
      table(rows, columns, output.width, (text) => output.style("bold", text)).map((line) => `${line}\n`),
    );
    if (rows.some(({ state }) => state === "outdated")) output.note("amux hooks install brings them up to date.");
  },
};

export default command;

interface Row {
  agent: string;
  state: HookState;
  path: string;
  installed: boolean;
  version?: string;
  problem?: string;
}

function rowOf({ adapter, place, isInstalled, version }: HookedAgent): Row {
  const row = {
    agent: adapter.name,
    path: place.target.path,
    installed: isInstalled,
    ...(version === undefined ? {} : { version }),
  };
  try {
    return { ...row, state: hookState(place) };
  } catch (error) {
    return { ...row, state: "absent", problem: (error as Error).message };
  }
}
