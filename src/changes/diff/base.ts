/** Where a session began and ended in a repository's history. */
import type { SessionChanges } from "../../core/changes.ts";
import type { LookingGit } from "../../status/untrusted-git.ts";
import { answer, commitOf, type Repository } from "./repository.ts";

/** What is known of a session's time. */
export interface SessionTime {
  /** The commit that the agent recorded at the start. */
  commit?: string | undefined;
  startedMs?: number | undefined;
  /** Absent while it runs. */
  endedMs?: number | undefined;
  /** Files it edited, relative to the root. */
  edited(): Promise<readonly string[]>;
}

export interface Range {
  base: SessionChanges["base"];
  /** Absent: the working tree. */
  end?: string;
}

interface Moved {
  commit: string;
  atMs: number;
  /** `commit: …`, `checkout: …`. */
  why: string;
}

/** A year of work; more is older than any session of interest. */
const MAX_MOVES = 5000;

export async function rangeOf(repository: Repository, time: SessionTime): Promise<Range> {
  const { git, head } = repository;
  if (head === undefined) {
    const commit = await emptyTree(git);
    return { base: { commit, chosen: "head", sentence: "Compared with nothing: the repository has no commit yet." } };
  }
  const moves = await movesOf(git);
  const base = await baseOf(repository, head, moves, time);
  // In a rewritten history the commits at its end are as gone as those at its start.
  const isKept = base.chosen === "recorded";
  const { end, sentence } = await endOf(git, head, moves, isKept ? time : { ...time, endedMs: undefined });
  return { base: { ...base, sentence: `${base.sentence} ${sentence}` }, ...(end === undefined ? {} : { end }) };
}

async function baseOf(
  { git, isShallow }: Repository,
  head: string,
  moves: readonly Moved[],
  time: SessionTime,
): Promise<SessionChanges["base"]> {
  const recorded = time.commit === undefined ? undefined : await commitOf(git, time.commit);
  const start = recorded ?? (await commitAtStart(git, moves, time.startedMs, isShallow));
  if (start !== undefined && (start === head || (await isIn(git, start, head)))) {
    const why = recorded === undefined ? "HEAD when the session began" : "which the session recorded at its start";
    return { commit: start, chosen: "recorded", sentence: `Compared with ${short(start)}, ${why}.` };
  }
  const wasEmpty = start === undefined && time.startedMs !== undefined && !isShallow;
  if (wasEmpty && (await isYoungerThan(git, time.startedMs!))) {
    const commit = await emptyTree(git);
    return {
      commit,
      chosen: "recorded",
      sentence: "Compared with nothing: the session began before the first commit.",
    };
  }
  const why =
    start === undefined
      ? `It is not known where the session began${isShallow ? " (this is a shallow clone)" : ""}`
      : `The session began at ${short(start)}, which is not in this branch (rebased, or another branch)`;
  const main = await mainBranch(git);
  const common = main === undefined ? undefined : (await answer(git, "merge-base", "HEAD", main.commit))?.trim();
  if (main !== undefined && common !== undefined && common !== "" && common !== head) {
    const sentence = `${why}; compared with ${short(common)}, where this branch left ${main.name}.`;
    return { commit: common, chosen: "merge-base", sentence };
  }
  const shared = start === undefined ? undefined : (await answer(git, "merge-base", "HEAD", start))?.trim();
  if (shared !== undefined && shared !== "" && shared !== head) {
    return {
      commit: shared,
      chosen: "merge-base",
      sentence: `${why}; compared with ${short(shared)}, common to both.`,
    };
  }
  return { commit: head, chosen: "head", sentence: `${why}; compared with the last commit, ${short(head)}.` };
}

/**
 * An ended session is compared up to its end. Its last edits are often committed by somebody else right after, so the next commit
 * counts if it has a file that the session edited.
 */
async function endOf(
  git: LookingGit,
  head: string,
  moves: readonly Moved[],
  { endedMs, edited }: SessionTime,
): Promise<{ end?: string; sentence: string }> {
  if (endedMs === undefined) return { sentence: "Up to the working tree." };
  const atEnd = moves.find(({ atMs }) => atMs <= endedMs)?.commit ?? (await lastBefore(git, endedMs));
  if (atEnd === undefined || atEnd === head) {
    return { sentence: "Up to the working tree: nothing was committed since the session ended." };
  }
  const next = moves.findLast(({ atMs, why }) => atMs > endedMs && why.startsWith("commit"))?.commit;
  if (next !== undefined && (await isIn(git, next, head))) {
    const names = (await edited()).slice(0, MAX_EDITED);
    const compared = ["--literal-pathspecs", "diff", "--name-only", ...PLAIN, atEnd, next, "--", ...names];
    const touched = names.length === 0 ? "" : await answer(git, ...compared);
    if (touched !== undefined && touched !== "") {
      return { end: next, sentence: `Up to ${short(next)}, the first commit after the session ended.` };
    }
  }
  if (!(await isIn(git, atEnd, head))) {
    return { sentence: "Up to the working tree: the commit at the session's end is not in this branch any more." };
  }
  return { end: atEnd, sentence: `Up to ${short(atEnd)}, the last commit when the session ended.` };
}

/** Enough to recognise its work. */
const MAX_EDITED = 1000;
const PLAIN = ["--no-ext-diff", "--no-textconv", "--ignore-submodules=all", "--no-relative"];

/** Where HEAD was, newest first. */
export async function movesOf(git: LookingGit): Promise<Moved[]> {
  const format = "--format=%H%x09%gd%x09%gs";
  const text = await answer(git, "log", "-g", "--date=unix", format, `-n${MAX_MOVES}`, "HEAD", "--");
  return (text ?? "").split("\n").flatMap((line): Moved[] => {
    const [commit = "", place = "", why = ""] = line.split("\t");
    const seconds = /@\{(\d+)\}$/.exec(place)?.[1];
    return seconds === undefined ? [] : [{ commit, atMs: Number(seconds) * 1000, why }];
  });
}

async function commitAtStart(
  git: LookingGit,
  moves: readonly Moved[],
  startedMs: number | undefined,
  isShallow: boolean,
): Promise<string | undefined> {
  if (startedMs === undefined) return undefined;
  const move = moves.find(({ atMs }) => atMs <= startedMs);
  if (move !== undefined) return move.commit;
  // The record of HEAD is younger than the session: cloned since, expired, or never kept.
  const oldest = moves.at(-1);
  if (oldest?.why.startsWith("clone") === true) return oldest.commit;
  return isShallow ? undefined : lastBefore(git, startedMs);
}

async function lastBefore(git: LookingGit, atMs: number): Promise<string | undefined> {
  const before = `--before=${Math.floor(atMs / 1000)}`;
  const found = (await answer(git, "rev-list", "-1", "--first-parent", before, "HEAD", "--"))?.trim();
  return found === "" ? undefined : found;
}

/** Whether every commit was made after a time. */
async function isYoungerThan(git: LookingGit, atMs: number): Promise<boolean> {
  return (await lastBefore(git, atMs)) === undefined;
}

async function isIn(git: LookingGit, commit: string, head: string): Promise<boolean> {
  return (await answer(git, "merge-base", "--is-ancestor", commit, head)) !== undefined;
}

/** Most likely first. */
const MAIN = ["refs/remotes/origin/HEAD", "refs/heads/main", "refs/heads/master", "refs/remotes/origin/main"];

async function mainBranch(git: LookingGit): Promise<{ name: string; commit: string } | undefined> {
  const text = await answer(git, "for-each-ref", "--format=%(refname)%09%(objectname)%09%(symref)", ...MAIN);
  const rows = (text ?? "").split("\n").map((line) => line.split("\t"));
  for (const wanted of MAIN) {
    const [name, commit = "", target = ""] = rows.find(([found]) => found === wanted) ?? [];
    if (name === undefined || commit === "") continue;
    return { name: (target === "" ? name : target).replace(/^refs\/(?:heads|remotes)\//, ""), commit };
  }
  return undefined;
}

/** What a repository without a commit is compared with. */
async function emptyTree(git: LookingGit): Promise<string> {
  return (await git(["hash-object", "-t", "tree", "/dev/null"])).trim();
}

function short(commit: string): string {
  return commit.slice(0, 8);
}
