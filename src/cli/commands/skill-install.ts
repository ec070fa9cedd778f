import type { Command } from "../command.ts";
import { attempted, HOOK_AGENT_ARGUMENT } from "../hooked-agents.ts";
import { installSkill, PROJECT_OPTION, skillPlaces } from "../skill/skill-file.ts";

const command: Command = {
  name: "skill install",
  description:
    "Writes a skill file that tells an agent how to use amux, for Claude Code and Codex. A file that someone changed is kept.",
  arguments: [HOOK_AGENT_ARGUMENT],
  options: [PROJECT_OPTION],
  examples: [
    ["amux skill install", "for every agent on this machine that reads skills"],
    ["amux skill install codex --project", "for Codex in this directory"],
  ],
  async run(invocation) {
    const { output } = invocation;
    const isNamed = invocation.arguments.length > 0;
    const places = (await skillPlaces(invocation)).filter(({ isPresent }) => isPresent || isNamed);
    const results = places.map(({ adapter, path }) => ({
      agent: adapter.name,
      path,
      ...attempted(() => installSkill(path)),
      adapter,
    }));
    if (output.json) {
      await output.writeJson(
        results.map(({ adapter: _, error, ...rest }) => ({ ...rest, ...(error ? { error: error.message } : {}) })),
      );
    } else {
      for (const { adapter, path, changed, error } of results) {
        if (error) output.note(`${adapter.displayName}: ${error.message}`);
        else await output.write(`${adapter.displayName}: ${changed ? "installed in" : "already in"} ${path}\n`);
      }
      if (results.length === 0)
        output.note("No agent that reads skills was found on the PATH. Name one to install it anyway.");
    }
    return results.some(({ error }) => error !== undefined) ? 1 : 0;
  },
};

export default command;
