import { storedMeta } from "../../client/stored-meta.ts";
import { sessionFiles } from "../../protocol/session-files.ts";
import { isSessionId } from "../../protocol/session-id.ts";
import { pruneStatusFiles } from "../../status/prune.ts";
import { tmuxSockets } from "../../status/tmux.ts";
import type { Command } from "../command.ts";
import { statusStore } from "../tmux-sessions.ts";
import { sessionDirectories } from "../mux/session-directories.ts";

const command: Command = {
  name: "status prune",
  description:
    "Removes the status file of a tmux session that its tmux server no longer lists. If the server does not answer, the file stays.",
  options: [{ name: "dry-run", description: "show what would be removed, and why; remove nothing" }],
  examples: [["amux status prune --dry-run", "what would be removed, and why"]],
  async run(invocation) {
    const { output } = invocation;
    const dryRun = invocation.flag("dry-run");
    const pruned = await pruneStatusFiles(
      statusStore(),
      tmuxSockets(process.env, process.getuid?.() ?? 0),
      dryRun,
      Date.now(),
      endOf,
    );
    if (output.json) return output.writeJson(pruned);
    for (const { name, evidence } of pruned)
      await output.write(`${dryRun ? "would remove" : "removed"} ${name}: ${evidence}\n`);
    if (pruned.length === 0) output.note("Nothing to remove.");
  },
};

export default command;

/** A session that recorded its own end; unknown ones may belong to another home. */
function endOf(session: string): string | undefined {
  if (!isSessionId(session)) return undefined;
  const meta = storedMeta(sessionFiles(sessionDirectories(), session).meta);
  return meta?.alive === false ? `session ${session} ended at ${meta.exited_at ?? "an unknown time"}` : undefined;
}
