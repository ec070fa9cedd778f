/** Removes a worktree, and its branch if amux created that. Refuses while something would be lost. */
import { optional } from "../../lib/values/optional.ts";
import type { ChosenWorktree } from "./choose-worktree.ts";
import { inTheWay, succeeds, userGit, type Git } from "./user-git.ts";

/** What a removal loses. */
export interface Losses {
  /** Changed and untracked files. */
  uncommitted: number;
  /** Commits that are not in `into`, or without that in no other branch. */
  unmerged: number;
  /** Those of them that no remote has; undefined without a remote. */
  unpushed?: number;
  /** Submodules with a checkout. */
  submodules: number;
  into?: string;
}

export interface RemovedWorktree {
  path: string;
  branch?: string;
  /** The last commit: `git branch <name> <head>` restores the branch. */
  head?: string;
  /** A branch that amux did not create stays. */
  isBranchDeleted: boolean;
  lost: Losses;
}

export async function removeWorktree(
  chosen: ChosenWorktree,
  { force = false }: { force?: boolean } = {},
): Promise<RemovedWorktree> {
  const { entry } = chosen;
  const lost = await lossesOf(chosen);
  const words = lossText(lost);
  if (words !== "" && !force) {
    const instead = entry.branch === undefined ? "" : `, or merge it with amux worktree finish ${entry.branch}`;
    throw inTheWay(`${entry.path} has ${words}. Commit what you need${instead}. --force removes it and loses that.`);
  }
  return take(chosen, lost);
}

/** "2 uncommitted files and 3 commits that are not in main"; empty if nothing would be lost. */
export function lossText({ uncommitted, unmerged, unpushed, submodules, into }: Losses): string {
  const remote = unpushed === undefined || unpushed === 0 ? "" : ` (${unpushed} of them on no remote)`;
  const where = into === undefined ? "in no other branch" : `not in ${into}`;
  return [
    uncommitted === 0 ? "" : counted(uncommitted, "uncommitted file"),
    unmerged === 0 ? "" : `${counted(unmerged, "commit")} ${where}${remote}`,
    submodules === 0 ? "" : `${counted(submodules, "submodule")} with a checkout`,
  ]
    .filter((part) => part !== "")
    .join(" and ");
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? "" : "s"}`;
}

/** Removes it without a further question. */
export async function take({ entry, git }: ChosenWorktree, lost: Losses): Promise<RemovedWorktree> {
  const { path, branch, head } = entry;
  // Untracked files and submodules were counted, so git need not refuse for them.
  await git("worktree", "remove", ...(lossText(lost) === "" ? [] : ["--force"]), "--", path);
  const isBranchDeleted = branch !== undefined && (await isOwnBranch(git, branch));
  // Not -d: it compares with the upstream or the current branch, and ours was compared with where it came from.
  if (isBranchDeleted) await git("branch", "--quiet", "-D", "--", branch);
  return { path, ...optional("branch", branch), ...optional("head", head), isBranchDeleted, lost };
}

export async function lossesOf({ entry, git, vars }: ChosenWorktree): Promise<Losses> {
  const there = userGit(entry.path, vars);
  const uncommitted = entry.isGone ? 0 : await uncommittedIn(there);
  const submodules = entry.isGone ? 0 : await submodulesIn(there);
  const { branch, head } = entry;
  // A branch that stays keeps its commits.
  const isKept = branch !== undefined && !(await isOwnBranch(git, branch));
  if (isKept || head === undefined) return { uncommitted, unmerged: 0, submodules };
  const into = branch === undefined ? undefined : await sourceOf(git, branch);
  const others =
    into === undefined
      ? [...(branch === undefined ? [] : [`--exclude=${branch}`]), "--branches", "--remotes", "--tags"]
      : [`refs/heads/${into}`];
  const unmerged = await countOf(git, head, ...others);
  const hasRemote = (await git("for-each-ref", "--count=1", "refs/remotes")) !== "";
  const unpushed = hasRemote ? await countOf(git, head, ...others, "--remotes") : undefined;
  return { uncommitted, unmerged, ...optional("unpushed", unpushed), submodules, ...optional("into", into) };
}

async function uncommittedIn(there: Git): Promise<number> {
  const status = await there("status", "--porcelain", "-z", "--no-renames", "--ignore-submodules=none");
  return status.split("\0").filter((line) => line !== "").length;
}

async function submodulesIn(there: Git): Promise<number> {
  const listed = await there("submodule", "status").catch(() => "");
  // A dash marks one without a checkout.
  return listed.split("\n").filter((line) => line !== "" && !line.startsWith("-")).length;
}

async function countOf(git: Git, head: string, ...others: string[]): Promise<number> {
  return Number(await git("rev-list", "--count", head, "--not", ...others, "--"));
}

/** The branch that it came from, if that is recorded and still there. */
export async function sourceOf(git: Git, branch: string): Promise<string | undefined> {
  const from = await git("config", "--default", "", "--get", `branch.${branch}.amuxFrom`);
  if (from === "") return undefined;
  return (await succeeds(git("rev-parse", "--verify", "--quiet", `refs/heads/${from}`))) ? from : undefined;
}

async function isOwnBranch(git: Git, branch: string): Promise<boolean> {
  return (await git("config", "--default", "", "--get", `branch.${branch}.amuxStart`)) !== "";
}
