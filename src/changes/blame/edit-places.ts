/** Where a path of a recorded edit is in a repository with its worktrees. */
import { realpathSync } from "node:fs";
import { basename, dirname, isAbsolute, join, normalize, sep } from "node:path";
import type { PathEnv } from "../../lib/fs/paths.ts";
import { answer, type Repository } from "../diff/repository.ts";
import { parseWorktreeList } from "../worktree/parse-worktree-list.ts";
import { placeOf } from "../worktree/place.ts";

export interface RepositoryPlaces {
  /** The repository's directory and those of its worktrees, each also as its links resolve. */
  roots: readonly string[];
  /** Directories of worktrees, which may be removed by now. */
  nests?: readonly string[];
  /** Of another machine nothing is known but the name of the repository's directory. */
  names?: readonly string[];
}

export async function placesOf({ root, git }: Repository, env: PathEnv): Promise<RepositoryPlaces> {
  const listed = parseWorktreeList((await answer(git, "worktree", "list", "--porcelain", "-z")) ?? "");
  const paths = [root, ...listed.map(({ path }) => path)];
  const main = listed[0]?.path ?? root;
  return {
    roots: [...new Set(paths.flatMap((path) => [path, resolved(path)]))],
    nests: [...new Set([dirname(placeOf(main, "x", env)), dirname(placeOf(resolved(main), "x", env))])],
    names: [basename(main)],
  };
}

export function resolved(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path; // A worktree that is gone.
  }
}

/** Worktrees that agents make inside of the repository, and remove again. */
const INNER_WORKTREE = /^(?:\.[\w-]+\/)?\.?worktrees\/[^/]+\//;

/** Relative to the checkout's root, with slashes, and which checkout it is; undefined if it is in none. */
export function repositoryPath(
  { roots, nests = [] }: RepositoryPlaces,
  path: string,
  cwd: string | undefined,
): { path: string; checkout: string } | undefined {
  const absolute = absolutePath(path, cwd);
  if (absolute === undefined) return undefined;
  const root = longest(roots, absolute);
  const nest = longest(nests, absolute);
  if (root !== undefined && root.length >= (nest?.length ?? 0)) {
    const inRoot = below(absolute, root);
    if (inRoot === undefined) return undefined;
    const [inner = ""] = INNER_WORKTREE.exec(inRoot) ?? [];
    return { path: inRoot.slice(inner.length), checkout: join(resolved(root), inner.slice(0, -1)) };
  }
  const inNest = nest === undefined ? undefined : below(absolute, nest);
  const slash = inNest?.indexOf("/") ?? -1;
  return slash === -1 ? undefined : { path: inNest!.slice(slash + 1), checkout: join(nest!, inNest!.slice(0, slash)) };
}

/** The same on another machine: below a directory of the repository's name. */
export function foreignPath(
  { names = [] }: RepositoryPlaces,
  path: string,
  cwd: string | undefined,
): string | undefined {
  const parts = absolutePath(path, cwd)?.split(/[/\\]/) ?? [];
  // Directories inside of the repository may have its name, too.
  const at = parts.findIndex((part) => names.includes(part));
  return at === -1 || at === parts.length - 1
    ? undefined
    : parts
        .slice(at + 1)
        .join("/")
        .replace(INNER_WORKTREE, "");
}

/** Whether a session in this directory may have edited the repository: it is in it, or above it. */
export function mayEdit({ roots, nests = [] }: RepositoryPlaces, cwd: string | undefined): boolean {
  return cwd !== undefined && [...roots, ...nests].some((root) => isWithin(cwd, root) || isWithin(root, cwd));
}

function absolutePath(path: string, cwd: string | undefined): string | undefined {
  if (path === "" || path.includes("\0")) return undefined;
  return isAbsolute(path) ? normalize(path) : cwd === undefined ? undefined : join(cwd, path);
}

function longest(directories: readonly string[], path: string): string | undefined {
  let best: string | undefined;
  for (const directory of directories)
    if (isWithin(path, directory) && directory.length > (best?.length ?? 0)) best = directory;
  return best;
}

function below(path: string, directory: string): string | undefined {
  return path === directory
    ? undefined
    : path
        .slice(directory.length + 1)
        .split(sep)
        .join("/");
}

function isWithin(path: string, directory: string): boolean {
  return path === directory || path.startsWith(directory.endsWith(sep) ? directory : `${directory}${sep}`);
}
