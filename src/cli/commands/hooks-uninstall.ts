import { hookedAgents } from "../../agents/hooked-agents.ts";
import { processEnv } from "../../lib/fs/paths.ts";
import { uninstallHooks } from "../../status/hook-install.ts";
import type { Command } from "../command.ts";
import { attempted, HOOK_AGENT_ARGUMENT } from "../hooked-agents.ts";

const command: Command = {
  name: "hooks uninstall",
  description:
    "Removes amux's hooks from the settings of an agent, or of all agents. Settings that were not changed since are restored byte for byte.",
  arguments: [HOOK_AGENT_ARGUMENT],
  examples: [
    ["amux hooks uninstall", "remove them from every agent"],
    ["amux hooks uninstall codex", "remove them from Codex only"],
  ],
  async run({ arguments: [name], output }) {
    const results = (await hookedAgents(processEnv(), name)).map(({ adapter, place }) => ({
      ...attempted(() => uninstallHooks(place)),
      adapter,
      path: place.target.path,
    }));
    const failed = results.find(({ error }) => error !== undefined);
    if (output.json) {
      await output.writeJson(
        results.map(({ adapter, path, changed, error }) => ({
          agent: adapter.name,
          path,
          changed,
          ...(error ? { error: error.message } : {}),
        })),
      );
      return failed ? 1 : 0;
    }
    for (const { adapter, path, changed, error } of results) {
      if (error) output.note(`${adapter.displayName}: ${error.message}`);
      else if (changed) await output.write(`${adapter.displayName}: removed from ${path}\n`);
    }
    if (results.every(({ changed, error }) => !changed && error === undefined))
      output.note("No hooks of amux were installed.");
    return failed ? 1 : 0;
  },
};

export default command;
