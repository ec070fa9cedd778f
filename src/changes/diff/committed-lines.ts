/** What commits put into files and took out of them. */
import { ProgramFailed } from "../../lib/process/ask-program.ts";
import type { LookingGit } from "../../status/untrusted-git.ts";
import type { CommittedLines } from "../blame/evidence.ts";

/** More are a mirror's history, not a session's. */
const MAX_COMMITS = 2000;
const LOG_MS = 30_000;
/** Begins a commit. Every line of a file has a sign before it. */
const MARK = "\u0001";

const WHAT = ["-p", "-U0", "-M", "--no-color", "--no-ext-diff", "--no-textconv", "--ignore-submodules=all"];
const SETTINGS = { "core.quotePath": "false", "diff.noprefix": "false", "diff.mnemonicPrefix": "false" };

/**
 * By path, of commits that are in `end` and not older than `since` (in milliseconds). Undefined if there are too many to tell.
 */
export async function committedLines(
  git: LookingGit,
  { end, since, paths }: { end: string; since: number; paths: readonly string[] },
): Promise<ReadonlyMap<string, CommittedLines[]> | undefined> {
  if (paths.length === 0) return new Map();
  const when = [`--since=${Math.floor(since / 1000)}`, `-n${MAX_COMMITS}`, `--format=${MARK}%ct`];
  const args = ["--literal-pathspecs", "log", ...WHAT, ...when, end, "--", ...paths];
  try {
    return parseLog(await git(args, { timeoutMs: LOG_MS, settings: SETTINGS }));
  } catch (error) {
    if (error instanceof ProgramFailed && error.kind === "endless") return undefined;
    throw error;
  }
}

function parseLog(text: string): Map<string, CommittedLines[]> {
  const found = new Map<string, CommittedLines[]>();
  let at = 0;
  let isHeading = true;
  let [added, removed] = [new Set<string>(), new Set<string>()];
  for (const line of text.split("\n")) {
    if (line.startsWith(MARK)) at = Number(line.slice(1)) * 1000;
    else if (line.startsWith("diff --git ")) {
      isHeading = true;
      [added, removed] = [new Set(), new Set()];
    } else if (line.startsWith("@@")) isHeading = false;
    else if (isHeading) {
      const path = /^(?:\+\+\+ b|--- a)\/(.*)$/.exec(line)?.[1];
      if (path === undefined) continue;
      // A renamed file has two names.
      const others = found.get(path) ?? [];
      if (others.at(-1)?.added !== added) found.set(path, [...others, { at, added, removed }]);
    } else if (line.startsWith("+")) added.add(line.slice(1));
    else if (line.startsWith("-")) removed.add(line.slice(1));
  }
  return found;
}
