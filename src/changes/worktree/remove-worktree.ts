/** Removes a worktree, and its branch if amux created that. Refuses while something would be lost. */
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { optional } from "../../lib/values/optional.ts";
import { oneLine } from "../../lib/text/text.ts";
import type { ChosenWorktree } from "./choose-worktree.ts";
import { ownIgnoredFiles } from "./ignored-files.ts";
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
  /** Ignored files that only this worktree has, and changes that git was told not to see. */
  ignored: string[];
  /** A rebase, merge or the like that is not finished; its state may hold changes. */
  underWay?: string;
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
export function lossText({ uncommitted, unmerged, unpushed, submodules, ignored, underWay, into }: Losses): string {
  const remote = unpushed === undefined || unpushed === 0 ? "" : ` (${unpushed} of them on no remote)`;
  const where = into === undefined ? "in no other branch" : `not in ${into}`;
  return [
    uncommitted === 0 ? "" : counted(uncommitted, "uncommitted file"),
    unmerged === 0 ? "" : `${counted(unmerged, "commit")} ${where}${remote}`,
    submodules === 0 ? "" : `${counted(submodules, "submodule")} with a checkout`,
    ignoredText(ignored),
    underWay === undefined ? "" : `a ${underWay} that is not finished`,
  ]
    .filter((part) => part !== "")
    .join(" and ");
}

const MAX_NAMED = 5;

/** "1 ignored file that is only there (.env.local)", or empty. */
export function ignoredText(names: readonly string[]): string {
  if (names.length === 0) return "";
  const more = names.length > MAX_NAMED ? ` and ${names.length - MAX_NAMED} more` : "";
  const list = oneLine(names.slice(0, MAX_NAMED).join(", "));
  return `${counted(names.length, "ignored file")} that ${names.length === 1 ? "is" : "are"} only there (${list}${more})`;
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? "" : "s"}`;
}

/** Removes it without a further question, unless the branch is not at `tip` any more: those commits nobody has counted. */
export async function take(
  { entry, git }: ChosenWorktree,
  lost: Losses,
  tip: string | undefined = entry.head,
): Promise<RemovedWorktree> {
  const { path, branch, head } = entry;
  const ref = `refs/heads/${branch}`;
  // Without a first commit there is no such reference.
  const now = branch === undefined ? [] : (await git("for-each-ref", "--format=%(objectname)", ref)).split("\n");
  if (now.some((commit) => commit !== "" && commit !== tip))
    throw inTheWay(`${branch} got new commits just now, so it stays. Try again.`);
  // What needs force was counted. git looks for the rest itself, if the user's settings do not hide it.
  const hasMore = lost.uncommitted > 0 || lost.submodules > 0 || lost.underWay !== undefined;
  const words = ["worktree", "remove", ...(hasMore ? ["--force"] : []), "--", path];
  await git("-c", "status.showUntrackedFiles=all", ...words);
  const isOwn = branch !== undefined && tip !== undefined && (await isOwnBranch(git, branch));
  // Not `git branch -d`: it compares with the upstream or the current branch, and ours was compared with where it came from.
  const isBranchDeleted = isOwn && (await succeeds(git("update-ref", "-d", ref, tip)));
  if (isBranchDeleted) await git("config", "--remove-section", `branch.${branch}`);
  return { path, ...optional("branch", branch), ...optional("head", head), isBranchDeleted, lost };
}

export async function lossesOf({ entry, entries, git, vars }: ChosenWorktree): Promise<Losses> {
  const there = userGit(entry.path, vars);
  const uncommitted = entry.isGone ? 0 : await uncommittedIn(there);
  const submodules = entry.isGone ? 0 : await submodulesIn(there);
  const ignored = entry.isGone ? [] : await ownIgnoredFiles(there, entry.path, entries[0]!.path);
  const underWay = entry.isGone ? undefined : await underWayIn(there, entry.path);
  const found = { uncommitted, submodules, ignored, ...optional("underWay", underWay) };
  const { branch, head } = entry;
  // A branch that stays keeps its commits.
  const isKept = branch !== undefined && !(await isOwnBranch(git, branch));
  if (isKept || head === undefined) return { ...found, unmerged: 0 };
  const into = branch === undefined ? undefined : await sourceOf(git, branch);
  const others =
    into === undefined
      ? [...(branch === undefined ? [] : [`--exclude=${branch}`]), "--branches", "--remotes", "--tags"]
      : [`refs/heads/${into}`];
  const unmerged = await countOf(git, head, ...others);
  const hasRemote = (await git("for-each-ref", "--count=1", "refs/remotes")) !== "";
  const unpushed = hasRemote ? await countOf(git, head, ...others, "--remotes") : undefined;
  return { ...found, unmerged, ...optional("unpushed", unpushed), ...optional("into", into) };
}

async function uncommittedIn(there: Git): Promise<number> {
  // The user's settings may hide untracked files.
  const args = ["--porcelain", "-z", "--no-renames", "--ignore-submodules=none", "--untracked-files=all"];
  const status = await there("status", ...args);
  return status.split("\0").filter((line) => line !== "").length;
}

const UNDER_WAY: Readonly<Record<string, string>> = {
  "rebase-merge": "rebase",
  "rebase-apply": "rebase",
  MERGE_HEAD: "merge",
  CHERRY_PICK_HEAD: "cherry-pick",
  REVERT_HEAD: "revert",
  BISECT_LOG: "bisect",
};

async function underWayIn(there: Git, path: string): Promise<string | undefined> {
  const names = Object.keys(UNDER_WAY);
  const paths = (await there("rev-parse", ...names.flatMap((name) => ["--git-path", name]))).split("\n");
  const found = names.find((_, at) => existsSync(resolve(path, paths[at]!)));
  return found === undefined ? undefined : UNDER_WAY[found];
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
