/** The branch of a directory, read from `.git` by hand: starting git takes longer than the whole status line. */
import { dirname, isAbsolute, join } from "node:path";
import { readText } from "../lib/fs/foreign-file.ts";

/** A reference's name is at most that long. */
const MAX_BYTES = 4096;

/** More directories than anyone nests. */
const MAX_STEPS = 40;

/** The start of a commit's hash if no branch is checked out; undefined outside of a repository. */
export function gitBranch(cwd: string): string | undefined {
  let directory = cwd;
  for (let step = 0; step < MAX_STEPS && isAbsolute(directory); step++) {
    const head = headOf(join(directory, ".git"), directory);
    if (head !== undefined) return nameOf(head.trim());
    if (dirname(directory) === directory) break;
    directory = dirname(directory);
  }
  return undefined;
}

function headOf(git: string, directory: string): string | undefined {
  const head = read(join(git, "HEAD"));
  if (head !== undefined) return head;
  // A worktree or a submodule has a file that names the place.
  const place = /^gitdir: (.+)$/m.exec(read(git) ?? "")?.[1]?.trim();
  return place === undefined ? undefined : read(join(isAbsolute(place) ? place : join(directory, place), "HEAD"));
}

function nameOf(head: string): string | undefined {
  const branch = /^ref: refs\/heads\/(.+)$/.exec(head)?.[1];
  // The reftable format keeps this placeholder.
  if (branch !== undefined) return branch === ".invalid" ? undefined : branch;
  return /^[0-9a-f]{40,64}$/.test(head) ? head.slice(0, 7) : undefined;
}

function read(path: string): string | undefined {
  try {
    return readText(path, MAX_BYTES);
  } catch {
    return undefined; // Not there, or not what git would write.
  }
}
