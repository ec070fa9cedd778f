import { FINISH_WAYS, finishWorktree, type FinishWay } from "../../changes/worktree/finish-worktree.ts";
import { lossText } from "../../changes/worktree/remove-worktree.ts";
import { oneLine } from "../../lib/text/text.ts";
import { optional } from "../../lib/values/optional.ts";
import { usageError, type Command } from "../command.ts";
import { tildePath } from "../format/tilde-path.ts";
import { DIRECTORY_OPTION, meantWorktree, WORKTREE_ARGUMENT } from "../run/session-places.ts";

const command: Command = {
  name: "worktree finish",
  description:
    "Merges the worktree's branch into the branch it came from, then removes the worktree and the branch. If they conflict, nothing is changed. A worktree with uncommitted files, with ignored files that are only there, or with a running session is refused.",
  arguments: [WORKTREE_ARGUMENT],
  options: [
    { name: "rebase", description: "rebase the branch first, so that no merge commit is needed" },
    { name: "squash", description: "make one commit of all its commits" },
    { name: "into", value: "branch", description: "merge into this branch instead" },
    { name: "force", description: "lose ignored files that are only there, such as a local database" },
    DIRECTORY_OPTION,
  ],
  examples: [
    ["amux worktree finish fix/tax", "merge it and remove the worktree"],
    ["amux worktree finish fix/tax --squash", "as one commit"],
    ["amux worktree finish claude-2 --into release", "by a session's name, into another branch"],
  ],
  async run(invocation) {
    const { output } = invocation;
    const ways = FINISH_WAYS.filter((name) => invocation.flag(name));
    if (ways.length > 1) throw usageError("--rebase and --squash exclude each other.");
    const way: FinishWay = ways[0] ?? "merge";
    const finished = await finishWorktree(await meantWorktree(invocation), {
      way,
      force: invocation.flag("force"),
      ...optional("into", invocation.text("into")),
    });
    if (output.json) return output.writeJson(finished);
    const { branch = "", into, commits, path, head = "", isBranchDeleted, lost } = finished;
    const what = commits === 0 ? "had nothing to merge" : `: ${commits} ${commits === 1 ? "commit" : "commits"}`;
    const how = commits === 0 ? `${branch} ${what}` : `${DONE[way]} ${branch} into ${into}${what}`;
    const gone = isBranchDeleted ? ` The branch was at ${head.slice(0, 10)}.` : ` The branch stays.`;
    const words = lossText(lost);
    const went = words === "" ? "" : ` Lost: ${words}.`;
    await output.write(`${oneLine(how)}. Removed ${oneLine(tildePath(path))}.${gone}${went}\n`);
  },
};

const DONE: Readonly<Record<FinishWay, string>> = { merge: "Merged", rebase: "Rebased", squash: "Squashed" };

export default command;
