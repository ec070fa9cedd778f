/** Brings a worktree's commits into the branch that it came from and removes it. A conflict leaves everything as it was. */
import { oneLine } from "../../lib/text/text.ts";
import type { ChosenWorktree } from "./choose-worktree.ts";
import { ignoredText, lossesOf, sourceOf, take, type RemovedWorktree } from "./remove-worktree.ts";
import { inTheWay, refused, succeeds, userGit, type Git } from "./user-git.ts";

export const FINISH_WAYS = ["merge", "rebase", "squash"] as const;
export type FinishWay = (typeof FINISH_WAYS)[number];

export interface FinishedWorktree extends RemovedWorktree {
  into: string;
  way: FinishWay;
  /** How many commits it had. */
  commits: number;
}

interface Work {
  branch: string;
  into: string;
  /** Where `into` is checked out. */
  target: Git;
  targetPath: string;
  /** In the worktree. */
  there: Git;
  ignored: string[];
  /** The branch's last commit. Later ones are not part of it. */
  tip: string;
}

export async function finishWorktree(
  chosen: ChosenWorktree,
  { way = "merge", into: wanted, force = false }: { way?: FinishWay; into?: string; force?: boolean } = {},
): Promise<FinishedWorktree> {
  const work = await prepared(chosen, wanted, force);
  const { git } = chosen;
  const { branch, into, ignored, tip: before } = work;
  const commits = Number(await git("rev-list", "--count", before, "--not", `refs/heads/${into}`, "--"));
  const tip = commits === 0 ? before : await WAYS[way](work);
  const removed = await take(
    { ...chosen, entry: { ...chosen.entry, head: before } },
    { uncommitted: 0, unmerged: 0, submodules: 0, ignored },
    tip,
  ).catch((error: unknown) => {
    throw inTheWay(`${branch} is in ${into} now, but its worktree stays: ${(error as Error).message}`, error);
  });
  return { ...removed, into, way, commits };
}

/** With `force`, ignored files that are only there may go. */
async function prepared(chosen: ChosenWorktree, wanted: string | undefined, force: boolean): Promise<Work> {
  const { entry, entries, git, vars } = chosen;
  const { path, branch } = entry;
  if (entry.isGone)
    throw inTheWay(
      `The directory ${path} is gone. Its branch is still there; amux worktree remove forgets the worktree.`,
    );
  if (branch === undefined)
    throw inTheWay(`${path} has no branch: its head is detached, or a rebase is under way. See git status there.`);
  const { uncommitted, submodules, ignored, underWay } = await lossesOf(chosen);
  if (uncommitted > 0)
    throw inTheWay(
      `${path} has ${uncommitted} uncommitted ${uncommitted === 1 ? "file" : "files"}. Commit or remove them.`,
    );
  if (underWay !== undefined) throw inTheWay(`${path} is in the middle of a ${underWay}. Finish that first.`);
  if (submodules > 0)
    throw inTheWay(`${path} has submodules with a checkout, whose commits git does not merge. Merge it by hand.`);
  if (ignored.length > 0 && !force)
    throw inTheWay(`${path} has ${ignoredText(ignored)}. Move what you need elsewhere. --force loses the rest.`);
  const into = wanted ?? (await sourceOf(git, branch));
  if (into === undefined) throw refused(`Which branch ${branch} came from is not recorded. Name it with --into.`);
  if (into === branch) throw refused(`${branch} cannot be merged into itself.`);
  if (!(await succeeds(git("rev-parse", "--verify", "--quiet", `refs/heads/${into}`))))
    throw refused(`There is no branch ${into} here.`);
  const place = entries.find((other) => other.branch === into && other.prunable === undefined);
  if (place === undefined)
    throw inTheWay(`${into} is checked out nowhere. Run git switch ${into} in ${entries[0]!.path}, then try again.`);
  const target = userGit(place.path, vars);
  await refuseBusy(target, place.path);
  const bases = await git("merge-base", `refs/heads/${into}`, `refs/heads/${branch}`).catch(() => "");
  if (bases === "") {
    const isShallow = (await git("rev-parse", "--is-shallow-repository")) === "true";
    const hint = isShallow ? " This clone is shallow: git fetch --unshallow may help." : "";
    throw inTheWay(`${branch} and ${into} have no commit in common.${hint}`);
  }
  const tip = await git("rev-parse", `refs/heads/${branch}`);
  return { branch, into, target, targetPath: place.path, there: userGit(path, vars), ignored, tip };
}

/** What is there could not be restored exactly after a conflict. */
async function refuseBusy(target: Git, path: string): Promise<void> {
  for (const name of ["MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD"])
    if (await succeeds(target("rev-parse", "--verify", "--quiet", name)))
      throw inTheWay(`${path} is in the middle of a merge, cherry-pick or revert. Finish that first.`);
  const changed = await target("status", "--porcelain", "-z", "--untracked-files=no", "--ignore-submodules=all");
  const count = changed.split("\0").filter((line) => line !== "").length;
  if (count > 0)
    throw inTheWay(`${path} has ${count} uncommitted ${count === 1 ? "file" : "files"}. Commit or stash them first.`);
}

/** Each returns the branch's last commit, which is in the other branch now. Settings of the user may ask for another kind of merge. */
const WAYS: Readonly<Record<FinishWay, (work: Work) => Promise<string>>> = {
  async merge(work) {
    await refuseConflicts(work);
    const { target, branch, tip } = work;
    await undoing(
      work,
      async () => {
        await target("merge", "--quiet", "--commit", "--no-squash", "-m", `Merge branch '${branch}'`, tip);
        await requireMerged(work, tip);
      },
      async () => {
        if (await succeeds(target("rev-parse", "--verify", "--quiet", "MERGE_HEAD"))) await target("merge", "--abort");
      },
    );
    return tip;
  },
  async squash(work) {
    await refuseConflicts(work);
    const { target, into, tip } = work;
    const before = await target("rev-parse", `refs/heads/${into}`);
    await undoing(
      work,
      async () => {
        await target("merge", "--ff", "--squash", "--quiet", tip);
        await target("commit", "--quiet", "--no-edit");
        if ((await target("rev-parse", `refs/heads/${into}`)) === before) throw notMerged(work);
      },
      () => target("reset", "--quiet", "--merge"),
    );
    return tip;
  },
  async rebase(work) {
    const { target, there, branch, into, tip: before } = work;
    const merges = await there("rev-list", "--count", "--merges", before, "--not", `refs/heads/${into}`, "--");
    if (merges !== "0")
      throw inTheWay(
        `${branch} has merge commits, and a rebase leaves out what was changed in them. Use --squash, or neither of the two.`,
      );
    await undoing(
      work,
      () => there("rebase", "--quiet", `refs/heads/${into}`),
      async () => {
        // A rebase that stopped has a detached head; one that never began has none to abort.
        if ((await there("branch", "--show-current")) === "") await there("rebase", "--abort");
      },
    );
    const tip = await there("rev-parse", `refs/heads/${branch}`);
    await undoing(
      work,
      async () => {
        await target("merge", "--ff-only", "--no-squash", "--quiet", tip);
        await requireMerged(work, tip);
      },
      () => there("reset", "--quiet", "--keep", before),
    );
    return tip;
  },
};

/** Somebody may have switched the branch of its checkout meanwhile. */
async function requireMerged(work: Work, tip: string): Promise<void> {
  const { target, into } = work;
  if (!(await succeeds(target("merge-base", "--is-ancestor", tip, `refs/heads/${into}`)))) throw notMerged(work);
}

function notMerged({ branch, into }: Work): Error {
  return inTheWay(`git merged, but ${into} does not have the commits of ${branch}. See git log --all.`);
}

/** git 2.38 and later tell it before anything is touched; older ones fail at the merge, which is undone. */
async function refuseConflicts({ target, branch, into, targetPath }: Work): Promise<void> {
  const args = ["--write-tree", "--name-only", "--no-messages", `refs/heads/${into}`, `refs/heads/${branch}`];
  const files = await target("merge-tree", ...args).then(
    () => [],
    (error: { cause?: { code?: number; stdout?: string } }) =>
      error.cause?.code === CONFLICTS ? (error.cause.stdout ?? "").split("\n").slice(1) : [],
  );
  const names = [...new Set(files.filter((name) => name !== ""))];
  if (names.length > 0) throw conflict(branch, into, targetPath, names);
}

const CONFLICTS = 1;
const MAX_NAMED = 5;

function conflict(branch: string, into: string, targetPath: string, names: readonly string[]): Error {
  const more = names.length > MAX_NAMED ? ` and ${names.length - MAX_NAMED} more` : "";
  const list = oneLine(names.slice(0, MAX_NAMED).join(", "));
  return inTheWay(
    `${branch} and ${into} conflict in ${list}${more}. Nothing was changed. Merge ${into} into ${branch} in its worktree, resolve that, commit, and finish again; or run git merge ${branch} in ${targetPath}.`,
  );
}

async function undoing(
  { branch, into, targetPath, there }: Work,
  work: () => Promise<unknown>,
  undo: () => Promise<unknown>,
): Promise<void> {
  try {
    await work();
  } catch (error) {
    const unmerged = await there("diff", "--name-only", "--diff-filter=U").catch(() => "");
    await undo();
    if (unmerged !== "") throw conflict(branch, into, targetPath, unmerged.split("\n"));
    throw inTheWay(`${(error as Error).message}\nEverything is as it was before.`, error);
  }
}
