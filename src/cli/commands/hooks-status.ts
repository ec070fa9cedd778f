import { hookedAgents, hooklessAgents, type HookedAgent } from "../../agents/hooked-agents.ts";
import { optional } from "../../lib/values/optional.ts";
import { amuxHome, processEnv } from "../../lib/fs/paths.ts";
import { sharedAbove } from "../../lib/fs/shared-directory.ts";
import { hookState, type HookState } from "../../status/hook-install.ts";
import type { Command } from "../command.ts";
import { table } from "../format/table.ts";
import { HOOK_AGENT_ARGUMENT } from "../hooked-agents.ts";

const WORDS: Record<HookState, string> = { absent: "no", installed: "yes", outdated: "yes, from another version" };

const command: Command = {
  name: "hooks status",
  arguments: [HOOK_AGENT_ARGUMENT],
  examples: [
    ["amux hooks status", "every agent that supports hooks"],
    ["amux hooks status --json", "for a script"],
  ],
  async run({ arguments: [name], output }) {
    const agents = await hookedAgents(processEnv(), name);
    const without = name === undefined ? await hooklessAgents() : [];
    const rows = agents.map(rowOf);
    if (output.json) {
      const none = without.map((adapter) => ({
        agent: adapter.name,
        state: "none",
        ...optional("why", adapter.whyNoHooks),
      }));
      return output.writeJson([...rows, ...none]);
    }
    const columns = [
      { title: "AGENT", value: (row: Row) => row.agent },
      { title: "HOOKS", value: (row: Row) => (row.problem === undefined ? WORDS[row.state] : "cannot tell") },
      { title: "PROGRAM", value: (row: Row) => (row.installed ? (row.version ?? "yes") : "not on the PATH") },
      { title: "WHERE", value: (row: Row) => row.problem ?? row.path, min: 20 },
    ];
    await output.write(
      table(rows, columns, output.width, (text) => output.style("bold", text)).map((line) => `${line}\n`),
    );
    for (const { adapter } of agents) {
      const { silentAbout } = adapter.hooks ?? {};
      if (silentAbout !== undefined) output.note(`${adapter.displayName} does not report ${silentAbout}.`);
    }
    for (const { agent, hidden } of rows) if (hidden !== undefined) output.note(`${agent}: ${hidden}`);
    const shared = sharedAbove(amuxHome(processEnv()));
    for (const { adapter } of agents) {
      if (shared !== undefined && adapter.hooks?.skipsShared === true) {
        output.note(
          `${adapter.displayName} skips amux's hooks at a start, because everyone may write to ${shared}. Run amux hooks install, or move AMUX_HOME.`,
        );
      }
    }
    for (const { displayName, whyNoHooks = "it has no interface for them" } of without)
      output.note(`${displayName} has none: ${whyNoHooks}.`);
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
  silentAbout?: string;
  hidden?: string;
}

function rowOf({ adapter, place, isInstalled, version }: HookedAgent): Row {
  const row = {
    agent: adapter.name,
    path: place.target.path,
    installed: isInstalled,
    ...(version === undefined ? {} : { version }),
    ...optional("silentAbout", adapter.hooks?.silentAbout),
    ...optional("hidden", adapter.hooks?.hiddenBy?.(processEnv())),
  };
  try {
    return { ...row, state: hookState(place) };
  } catch (error) {
    return { ...row, state: "absent", problem: (error as Error).message };
  }
}
