import { pruneStatusFiles } from "../../status/prune.ts";
import { tmuxSockets } from "../../status/tmux.ts";
import type { Command } from "../command.ts";
import { statusStore } from "../live-sessions.ts";

const command: Command = {
  name: "status prune",
  summary: "Remove status files of sessions that are gone",
  description:
    "Removes the status file of a tmux session when its tmux server answers and does not know it. A server that does not answer proves nothing, and nothing is removed.",
  options: [{ name: "dry-run", description: "only tell what would be removed, and why" }],
  examples: [["amux status prune --dry-run", "what would go, with the evidence"]],
  async run(invocation) {
    const { output } = invocation;
    const dryRun = invocation.flag("dry-run");
    const pruned = await pruneStatusFiles(statusStore(), tmuxSockets(process.env, process.getuid?.() ?? 0), dryRun);
    if (output.json) return output.writeJson(pruned);
    for (const { name, evidence } of pruned)
      await output.write(`${dryRun ? "would remove" : "removed"} ${name}: ${evidence}\n`);
    if (pruned.length === 0) output.note("Nothing is proven to be gone.");
  },
};

export default command;
