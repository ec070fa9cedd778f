/** The commits of a history, with the files that each one changed. Merges are left out: their lines came with other commits. */
import type { Repository } from "../diff/repository.ts";
import { sentenceFor } from "../diff/repository.ts";

export interface LoggedCommit {
  commit: string;
  /** Milliseconds since the epoch. */
  at: number;
  subject: string;
  /** Absent for a first commit. */
  parent?: string;
  paths: ReadonlySet<string>;
}

const LOG_MS = 60_000;

/** Newest first, at most `max`. `revisions` are hashes of commits; `^` before one leaves out its history. */
export async function loggedCommits(
  { git }: Repository,
  revisions: readonly string[],
  { since, until, max }: { since?: number; until?: number; max: number },
): Promise<LoggedCommit[]> {
  if (revisions.length === 0) return [];
  const wanted = [
    "--no-merges",
    `--max-count=${max}`,
    ...(since === undefined ? [] : [`--since=${new Date(since).toISOString()}`]),
    ...(until === undefined ? [] : [`--until=${new Date(until).toISOString()}`]),
    ...revisions,
    "--",
  ];
  const log = async (...args: string[]): Promise<string[]> => {
    try {
      return (await git(["log", "-z", ...args, ...wanted], { timeoutMs: LOG_MS })).split("\0");
    } catch (error) {
      throw sentenceFor(error);
    }
  };
  const facts = await log("--format=%H %ct %P%n%s");
  const paths = pathsByCommit(await log("--format=%x01%H", "--name-only", "--no-renames", "--no-relative"));
  return facts.flatMap((text) => {
    const [, commit, seconds, parent, subject = ""] = /^([0-9a-f]{40,64}) (\d+) ([0-9a-f]*)\n(.*)$/s.exec(text) ?? [];
    if (commit === undefined) return [];
    const known = { commit, at: Number(seconds) * 1000, subject, paths: paths.get(commit) ?? new Set<string>() };
    return [parent === "" ? known : { ...known, parent: parent! }];
  });
}

/** A control character begins a commit, a line break its first path. */
function pathsByCommit(parts: readonly string[]): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  let current = new Set<string>();
  for (const part of parts) {
    const [, commit] = /^\u0001([0-9a-f]{40,64})$/.exec(part) ?? [];
    if (commit !== undefined) found.set(commit, (current = new Set()));
    else current.add(part.replace(/^\n/, ""));
  }
  return found;
}
