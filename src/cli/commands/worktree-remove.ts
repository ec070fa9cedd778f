import { lossText, removeWorktree } from "../../changes/worktree/remove-worktree.ts";
import { oneLine } from "../../lib/text/text.ts";
import type { Command } from "../command.ts";
import { tildePath } from "../format/tilde-path.ts";
import { DIRECTORY_OPTION, meantWorktree, WORKTREE_ARGUMENT } from "../run/session-places.ts";

const command: Command = {
  name: "worktree remove",
  description:
    "Removes the worktree, and its branch if amux created that. Refuses with counts while files are not committed, commits not merged or ignored files only there, and while a session runs there. Build output and other ignored files that tools make anew are removed with it.",
  arguments: [WORKTREE_ARGUMENT],
  options: [{ name: "force", description: "remove it anyway, and print what is lost" }, DIRECTORY_OPTION],
  examples: [
    ["amux worktree remove fix/tax", "if nothing would be lost"],
    ["amux worktree remove fix/tax --force", "whatever is in it"],
  ],
  async run(invocation) {
    const { output } = invocation;
    const removed = await removeWorktree(await meantWorktree(invocation), { force: invocation.flag("force") });
    if (output.json) return output.writeJson(removed);
    const { path, branch, head = "", isBranchDeleted, lost } = removed;
    const words = lossText(lost);
    await output.write(`Removed ${oneLine(tildePath(path))}.${words === "" ? "" : ` Lost: ${oneLine(words)}.`}\n`);
    if (isBranchDeleted)
      output.note(
        `The branch ${oneLine(branch!)} was at ${head}. To get it back: git branch ${oneLine(branch!)} ${head.slice(0, 10)}`,
      );
  },
};

export default command;
