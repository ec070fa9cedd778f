import type { Command } from "../command.ts";
import { attempted, HOOK_AGENT_ARGUMENT } from "../hooked-agents.ts";
import { PROJECT_OPTION, skillPlaces, uninstallSkill } from "../skill/skill-file.ts";

const command: Command = {
  name: "skill uninstall",
  description: "Removes the skill files that amux wrote. A file that someone changed is kept.",
  arguments: [HOOK_AGENT_ARGUMENT],
  options: [PROJECT_OPTION],
  examples: [
    ["amux skill uninstall", "for every agent"],
    ["amux skill uninstall --project", "those of this directory"],
  ],
  async run(invocation) {
    const { output } = invocation;
    const results = (await skillPlaces(invocation)).map(({ adapter, path }) => ({
      agent: adapter.name,
      path,
      ...attempted(() => uninstallSkill(path)),
      adapter,
    }));
    if (output.json) {
      await output.writeJson(
        results.map(({ adapter: _, error, ...rest }) => ({ ...rest, ...(error ? { error: error.message } : {}) })),
      );
    } else {
      for (const { adapter, path, changed, error } of results) {
        if (error) output.note(`${adapter.displayName}: ${error.message}`);
        else await output.write(`${adapter.displayName}: ${changed ? "removed" : "not in"} ${path}\n`);
      }
    }
    return results.some(({ error }) => error !== undefined) ? 1 : 0;
  },
};

export default command;
