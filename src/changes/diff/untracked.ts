/**
 * Untracked files take part in a comparison through a copy of the index that names them, so that git finds renames to them and
 * shows them like any other file. The repository's own index is never written.
 */
import { lstatSync, mkdtempSync, rmSync, utimesSync, writeFileSync, type Stats } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { codeOf, fileStat } from "../../lib/fs/directory.ts";
import { MAX_DOCUMENT_BYTES, readBytes } from "../../lib/fs/foreign-file.ts";
import type { Repository } from "./repository.ts";

/** Time for a large repository on a slow disk. */
export const DIFF_MS = 30_000;
/** More are a build's output that nobody ignores. */
const MAX_UNTRACKED = 2000;
/** git treats larger files as binary. */
export const MAX_FILE_BYTES = 4 * 1024 * 1024;

export interface Untracked {
  /** In the copy of the index. */
  included: readonly string[];
  tooLarge: readonly string[];
  notes: readonly string[];
}

export async function untrackedIn({ git, root }: Repository): Promise<Untracked> {
  const listing = await git(["ls-files", "--others", "--exclude-standard", "-z"], { timeoutMs: DIFF_MS });
  const names = listing.split("\0").filter((name) => name !== "");
  const files = names.filter((name) => !name.endsWith("/"));
  const shown = files.slice(0, MAX_UNTRACKED);
  const nested = names.length - files.length;
  const sizes = new Map(shown.map((name) => [name, unfollowedStat(join(root, name))?.size]));
  return {
    included: shown.filter((name) => (sizes.get(name) ?? Infinity) <= MAX_FILE_BYTES),
    tooLarge: shown.filter((name) => (sizes.get(name) ?? 0) > MAX_FILE_BYTES),
    notes: [
      ...(files.length > MAX_UNTRACKED
        ? [
            `${files.length - MAX_UNTRACKED} more untracked files are left out. Add them to .gitignore if they are not yours.`,
          ]
        : []),
      ...(nested > 0
        ? [`${nested === 1 ? "A repository" : `${nested} repositories`} inside this one is left out.`]
        : []),
    ],
  };
}

/** Of a link itself: git compares only where it leads, and that may be a disk that does not answer. Undefined if it is gone. */
export function unfollowedStat(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch (error) {
    if (codeOf(error) !== "ENOTDIR") throw error;
    return undefined;
  }
}

/** `work` gets the copy's path; undefined if there is nothing to add. */
export async function withUntracked<T>(
  { git, indexFile }: Repository,
  paths: readonly string[],
  work: (copy: string | undefined) => Promise<T>,
): Promise<T> {
  if (paths.length === 0) return work(undefined);
  const scratch = mkdtempSync(join(tmpdir(), "amux-index-"));
  try {
    const copy = join(scratch, "index");
    copyIndex(indexFile, copy);
    const blob = (await git(["hash-object", "-t", "blob", "/dev/null"])).trim();
    const entries = paths.flatMap((path) => ["--cacheinfo", `100644,${blob},${path}`]);
    // A split index would put its shared part into the repository. A file may be where an entry has a directory.
    const look = { indexFile: copy, settings: { "core.splitIndex": "false" } };
    await git(["update-index", "--add", "--replace", ...entries], look);
    return await work(copy);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** With its time, to the second below: git compares files that are as young as the index by their contents. */
function copyIndex(from: string, to: string): void {
  const stat = fileStat(from);
  // Before the first `git add` there is none.
  if (stat === undefined) return;
  writeFileSync(to, readBytes(from, MAX_DOCUMENT_BYTES), { mode: 0o600 });
  const seconds = Math.floor(stat.mtimeMs / 1000);
  utimesSync(to, seconds, seconds);
}
