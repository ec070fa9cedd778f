/** Where a path of a recorded edit is in a repository with its worktrees. */
import { isAbsolute, join, normalize, sep } from "node:path";

export interface RepositoryPlaces {
  /** The repository's directory and those of its worktrees, each also as its links resolve. */
  roots: readonly string[];
}

/** Worktrees that agents make inside of the repository, and remove again. */
const INNER_WORKTREE = /^(?:\.[\w-]+\/)?\.?worktrees\/[^/]+\//;

/** Relative to the worktree's root, with slashes; undefined if it is in none. */
export function repositoryPath({ roots }: RepositoryPlaces, path: string, cwd: string | undefined): string | undefined {
  if (path === "" || path.includes("\0")) return undefined;
  const absolute = isAbsolute(path) ? normalize(path) : cwd === undefined ? undefined : join(cwd, path);
  if (absolute === undefined) return undefined;
  let best: string | undefined;
  for (const root of roots) if (isWithin(absolute, root) && root.length > (best?.length ?? 0)) best = root;
  if (best === undefined || absolute === best) return undefined;
  return absolute
    .slice(best.length + 1)
    .split(sep)
    .join("/")
    .replace(INNER_WORKTREE, "");
}

/** Whether a session in this directory may have edited the repository: it is in it, or above it. */
export function mayEdit({ roots }: RepositoryPlaces, cwd: string | undefined): boolean {
  return cwd !== undefined && roots.some((root) => isWithin(cwd, root) || isWithin(root, cwd));
}

function isWithin(path: string, directory: string): boolean {
  return path === directory || path.startsWith(directory.endsWith(sep) ? directory : `${directory}${sep}`);
}
