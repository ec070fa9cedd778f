import type { Command } from "../command.ts";
import { HOOK_AGENT_ARGUMENT } from "../hooked-agents.ts";
import { reportSkills } from "../skill/report-skills.ts";
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
    const places = await skillPlaces(invocation);
    return reportSkills(invocation.output, places, uninstallSkill, { changed: "removed", same: "not in" });
  },
};

export default command;
