/** Brings a worktree's commits into the branch that it came from and removes it. A conflict leaves everything as it was. */
import { oneLine } from "../../lib/text/text.ts";
import type { ChosenWorktree } from "./choose-worktree.ts";
import { lossesOf, sourceOf, take, type RemovedWorktree } from "./remove-worktree.ts";
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
}

export async function finishWorktree(
  chosen: ChosenWorktree,
  { way = "merge", into: wanted }: { way?: FinishWay; into?: string } = {},
): Promise<FinishedWorktree> {
  const work = await prepared(chosen, wanted);
  const { git } = chosen;
  const { branch, into } = work;
  const commits = Number(await git("rev-list", "--count", `refs/heads/${branch}`, "--not", `refs/heads/${into}`, "--"));
  if (commits > 0) await WAYS[way](work);
  const head = await git("rev-parse", `refs/heads/${branch}`);
  // All of it is in the other branch now, in whatever form.
  const removed = await take(
    { ...chosen, entry: { ...chosen.entry, head } },
    { uncommitted: 0, unmerged: 0, submodules: 0 },
  ).catch((error: unknown) => {
    throw inTheWay(`${branch} is in ${into} now, but its worktree stays: ${(error as Error).message}`, error);
  });
  return { ...removed, into, way, commits };
}

async function prepared(chosen: ChosenWorktree, wanted: string | undefined): Promise<Work> {
  const { entry, entries, git, vars } = chosen;
  const { path, branch } = entry;
  if (entry.isGone)
    throw inTheWay(
      `The directory ${path} is gone. Its branch is still there; amux worktree remove forgets the worktree.`,
    );
  if (branch === undefined)
    throw inTheWay(`${path} has no branch: its head is detached, or a rebase is under way. See git status there.`);
  const { uncommitted, submodules } = await lossesOf(chosen);
  if (uncommitted > 0)
    throw inTheWay(
      `${path} has ${uncommitted} uncommitted ${uncommitted === 1 ? "file" : "files"}. Commit or remove them.`,
    );
  if (submodules > 0)
    throw inTheWay(`${path} has submodules with a checkout, whose commits git does not merge. Merge it by hand.`);
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
  return { branch, into, target, targetPath: place.path, there: userGit(path, vars) };
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

const WAYS: Readonly<Record<FinishWay, (work: Work) => Promise<void>>> = {
  async merge(work) {
    await refuseConflicts(work);
    const { target, branch } = work;
    await undoing(
      work,
      () => target("merge", "--quiet", "-m", `Merge branch '${branch}'`, `refs/heads/${branch}`),
      async () => {
        if (await succeeds(target("rev-parse", "--verify", "--quiet", "MERGE_HEAD"))) await target("merge", "--abort");
      },
    );
  },
  async squash(work) {
    await refuseConflicts(work);
    const { target, branch } = work;
    await undoing(
      work,
      async () => {
        await target("merge", "--squash", "--quiet", `refs/heads/${branch}`);
        await target("commit", "--quiet", "--no-edit");
      },
      () => target("reset", "--quiet", "--merge"),
    );
  },
  async rebase(work) {
    const { target, there, branch, into } = work;
    const before = await there("rev-parse", "HEAD");
    await undoing(
      work,
      () => there("rebase", "--quiet", `refs/heads/${into}`),
      async () => {
        // A rebase that stopped has a detached head; one that never began has none to abort.
        if ((await there("branch", "--show-current")) === "") await there("rebase", "--abort");
      },
    );
    await undoing(
      work,
      () => target("merge", "--ff-only", "--quiet", `refs/heads/${branch}`),
      () => there("reset", "--quiet", "--keep", before),
    );
  },
};

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
