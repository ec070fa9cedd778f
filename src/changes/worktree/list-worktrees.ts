/** The worktrees of a repository with what is in them. Only looks: no program of the repository runs. */
import { optional } from "../../lib/values/optional.ts";
import { untrustedGit } from "../../status/untrusted-git.ts";
import { parseWorktreeList, type WorktreeEntry } from "./parse-worktree-list.ts";
import { checkoutOf, LIST, repositoryOf } from "./repository.ts";
import { inTheWay } from "./user-git.ts";

export interface Worktree {
  path: string;
  isMain: boolean;
  /** Undefined if the head is detached. */
  branch?: string;
  head?: string;
  /** The branch that it came from, if amux created it. The next three compare with it. */
  from?: string;
  ahead?: number;
  behind?: number;
  isMerged?: boolean;
  /** Changed and untracked files; undefined if the directory is gone. */
  uncommitted?: number;
  /** Why it is locked; may be empty. */
  locked?: string;
  isGone: boolean;
}

export interface WorktreeList {
  /** The main checkout. */
  root: string;
  worktrees: Worktree[];
  /** Its history is cut, so that counts may be too low. */
  isShallow: boolean;
}

/** Looking at more at once would be noticeable. */
const AT_ONCE = 4;

export async function listWorktrees(cwd: string): Promise<WorktreeList> {
  // The sentences for directories without a repository are the same as for a new worktree.
  const checkout = (await checkoutOf(cwd)) ?? (await repositoryOf(cwd, process.env));
  const listed = await untrustedGit(cwd, ...LIST);
  if (listed === undefined)
    throw inTheWay(`git could not list the worktrees of ${checkout.root}. amux needs git 2.36.`);
  const entries = parseWorktreeList(listed);
  const isShallow = (await untrustedGit(cwd, "rev-parse", "--is-shallow-repository"))?.trim() === "true";
  const sources = sourcesIn(
    await untrustedGit(cwd, "config", "--null", "--get-regexp", String.raw`^branch\..*\.amux(from|start)$`),
  );
  const worktrees: Worktree[] = [];
  for (let at = 0; at < entries.length; at += AT_ONCE) {
    const some = entries.slice(at, at + AT_ONCE);
    worktrees.push(...(await Promise.all(some.map((entry, index) => described(entry, at + index === 0)))));
  }
  return { root: checkout.root, worktrees, isShallow };

  async function described(entry: WorktreeEntry, isMain: boolean): Promise<Worktree> {
    const { path, branch, head, locked, prunable } = entry;
    const { from, start } = sources.get(branch ?? "") ?? {};
    const isGone = prunable !== undefined;
    const uncommitted = isGone || entry.isBare ? undefined : countOf(await untrustedGit(path, ...STATUS));
    return {
      path,
      isMain,
      ...optional("branch", branch),
      ...optional("head", head),
      ...optional("from", from),
      ...(from === undefined ? {} : await compared(cwd, branch!, from, head !== start)),
      ...optional("uncommitted", uncommitted),
      ...optional("locked", locked),
      isGone,
    };
  }
}

/** Inside a submodule git would run with the submodule's own settings. */
const STATUS = ["status", "--porcelain", "-z", "--no-renames", "--ignore-submodules=all", "--untracked-files=all"];

async function compared(
  cwd: string,
  branch: string,
  from: string,
  hasCommits: boolean,
): Promise<Pick<Worktree, "ahead" | "behind" | "isMerged">> {
  const counts = await untrustedGit(
    cwd,
    "rev-list",
    "--left-right",
    "--count",
    `refs/heads/${from}...refs/heads/${branch}`,
    "--",
  );
  const [behind, ahead] = counts?.trim().split("\t").map(Number) ?? [];
  if (ahead === undefined || behind === undefined) return {};
  // A new branch is no merged one.
  return { ahead, behind, isMerged: ahead === 0 && hasCommits };
}

/** Where a branch that amux created came from. */
interface Source {
  from?: string;
  start?: string;
}

/** Of `git config --null`: a key, a line end, its value. */
function sourcesIn(text: string | undefined): Map<string, Source> {
  const sources = new Map<string, Source>();
  for (const entry of (text ?? "").split("\0")) {
    const [, branch, key, value] = /^branch\.(.*)\.amux(from|start)\n(.*)$/s.exec(entry) ?? [];
    if (branch !== undefined) sources.set(branch, { ...sources.get(branch), [key!]: value });
  }
  return sources;
}

function countOf(status: string | undefined): number | undefined {
  return status === undefined ? undefined : status.split("\0").filter((line) => line !== "").length;
}
