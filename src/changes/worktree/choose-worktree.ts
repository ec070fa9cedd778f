/** Finds the worktree that a user means, for a command that changes it. */
import { existsSync, realpathSync } from "node:fs";
import { resolve, sep } from "node:path";
import { parseWorktreeList, type WorktreeEntry } from "./parse-worktree-list.ts";
import { LIST, repositoryOf } from "./repository.ts";
import { inTheWay, refused, userGit, type Git } from "./user-git.ts";

export interface ChosenWorktree {
  entry: WorktreeEntry & { isGone: boolean };
  entries: readonly WorktreeEntry[];
  /** In the main checkout: the worktree itself may go. */
  git: Git;
  vars: Readonly<Record<string, string | undefined>>;
}

/** A running session, in whatever directory. */
export interface SessionPlace {
  ref: string;
  name: string;
  cwd: string;
}

/** `wanted` is a branch, or a path of the worktree or below it. Refuses the main checkout and one that a session works in. */
export async function chooseWorktree(
  cwd: string,
  wanted: string,
  sessions: readonly SessionPlace[],
  vars: Readonly<Record<string, string | undefined>>,
): Promise<ChosenWorktree> {
  // An unset variable would mean the directory we are in.
  if (wanted === "") throw refused("The name of the worktree is empty.");
  const { git, root } = await repositoryOf(cwd, vars);
  const entries = parseWorktreeList(await git(...LIST));
  const path = real(resolve(cwd, wanted));
  // A name that is nothing at all must not be taken for a place in the checkout we are in.
  const isPlace = existsSync(path) || entries.some((entry) => entry.path === path);
  const around = isPlace ? entries.filter((entry) => isBelow(path, entry.path)) : [];
  const found =
    entries.find(({ branch }) => branch === wanted) ?? around.sort((a, b) => b.path.length - a.path.length)[0];
  if (found === undefined) throw refused(`There is no worktree "${wanted}" of ${root}. See amux worktree list.`);
  if (found === entries[0]) throw inTheWay(`${found.path} is the repository's main checkout, not a worktree.`);
  if (found.locked !== undefined) {
    const why = found.locked === "" ? "" : ` (${found.locked})`;
    throw inTheWay(`${found.path} is locked${why}. To unlock it: git worktree unlock`);
  }
  const users = sessions.filter((session) => isBelow(real(session.cwd), found.path));
  if (users.length > 0) {
    const names = users.map(({ ref, name }) => (name === "" || name === ref ? ref : `${name} (${ref})`)).join(", ");
    throw inTheWay(`${found.path} is in use by ${names}. End it first: amux kill ${users[0]!.ref}`);
  }
  const entry = { ...found, isGone: found.prunable !== undefined };
  return { entry, entries, git: userGit(entries[0]!.path, vars), vars };
}

export function isBelow(path: string, directory: string): boolean {
  return path === directory || path.startsWith(directory + sep);
}

/** git lists worktrees without links. */
function real(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path; // It is gone.
  }
}
