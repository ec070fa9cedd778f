import type { Command } from "../command.ts";
import { HOOK_AGENT_ARGUMENT } from "../hooked-agents.ts";
import { reportSkills } from "../skill/report-skills.ts";
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
    if (places.length === 0 && !output.json)
      output.note("No agent that reads skills was found on the PATH. Name one to install it anyway.");
    return reportSkills(output, places, installSkill, { changed: "installed in", same: "already in" });
  },
};

export default command;
