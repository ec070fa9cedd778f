/** What `blame` was asked about: lines of a file, a commit, or a pull request. */
import { lstatSync, realpathSync } from "node:fs";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { AgentMuxError } from "../../core/errors.ts";
import { readBytes } from "../../lib/fs/foreign-file.ts";
import { asObject, asText } from "../../lib/json/fields.ts";
import { askGh } from "../../status/ask-gh.ts";
import { answer, commitOf, repositoryAt, type Repository } from "../diff/repository.ts";
import { linesOf } from "./edit-text.ts";

export type Asked =
  | { kind: "file"; repository: Repository; path: string; lines: string[]; mtimeMs: number; start: number; end: number }
  | { kind: "commit"; repository: Repository; commit: string; base: string }
  | { kind: "pull-request"; repository: Repository; number: number; base: string; head: string };

const MAX_FILE_BYTES = 16 * 1024 * 1024;
/** git's name for a tree without files; a repository with another hash than SHA-1 has another one. */
const EMPTY_TREES: Readonly<Record<number, string>> = {
  40: "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
  64: "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321",
};
const GH_MS = 20_000;
const MAX_PARTS = 2;

/** `FILE`, `FILE:12`, `FILE:12-30`, or a name of a commit. */
export async function targetOf(text: string, cwd: string): Promise<Asked> {
  const [, name = text, first, last] = /^(.+?)(?::(\d+)(?:-(\d+))?)?$/s.exec(text) ?? [];
  for (const [file, range] of [
    [text, []],
    [name, first === undefined ? [] : [Number(first), Number(last ?? first)]],
  ] as const) {
    const path = resolve(cwd, file);
    const stat = lstatSync(path, { throwIfNoEntry: false });
    if (stat !== undefined && file !== "") return fileTarget(path, stat, range);
  }
  const repository = await repositoryAt(cwd);
  const commit = await commitOf(repository.git, text);
  if (commit !== undefined) return commitTarget(repository, commit);
  throw await notThere(repository, resolve(cwd, name), name);
}

async function fileTarget(
  path: string,
  stat: { isDirectory(): boolean; isFile(): boolean; isSymbolicLink(): boolean; mtimeMs: number },
  [first, last]: readonly number[],
): Promise<Asked> {
  if (stat.isDirectory()) throw wrong(`${path} is a directory. Name a file in it, or a commit.`);
  if (!stat.isFile()) throw wrong(`${path} is not a regular file, so it has no lines of its own.`);
  const place = join(realpathSync(dirname(path)), basename(path));
  const repository = await repositoryAt(dirname(place));
  const bytes = readBytes(place, MAX_FILE_BYTES);
  if (bytes.includes(0)) throw wrong(`${path} is a binary file: it has no lines.`);
  const lines = linesOf(bytes.toString("utf8"));
  const [start, end] = [first ?? 1, last ?? first ?? lines.length];
  if (lines.length === 0) throw wrong(`${path} is empty.`);
  if (start < 1 || end < start || end > lines.length)
    throw wrong(`${path} has lines 1 to ${lines.length}; ${start}${end === start ? "" : `-${end}`} is not among them.`);
  const below = relative(repository.root, place).split(sep).join("/");
  return { kind: "file", repository, path: below, lines, mtimeMs: stat.mtimeMs, start, end };
}

async function commitTarget(repository: Repository, commit: string): Promise<Asked> {
  const parents = (await answer(repository.git, "rev-list", "--parents", "-n1", commit, "--"))?.trim().split(" ") ?? [];
  if (parents.length > MAX_PARTS)
    throw wrong(`${commit.slice(0, 12)} is a merge. Its lines came with the commits it merged: name one of those.`);
  if (parents.length === 1 && repository.isShallow)
    throw wrong(`${commit.slice(0, 12)} is where this shallow clone begins; what it changed is not known here.`);
  return { kind: "commit", repository, commit, base: parents[1] ?? emptyTreeOf(commit) };
}

/** What a first commit is compared with. */
export function emptyTreeOf(commit: string): string {
  return EMPTY_TREES[commit.length]!;
}

/** Needs GitHub's `gh`, and the pull request's commits in this repository. */
export async function pullRequestTarget(number: number, cwd: string): Promise<Asked> {
  const repository = await repositoryAt(cwd);
  const text = await askGh(repository.root, GH_MS, "pr", "view", String(number), "--json", "baseRefOid,headRefOid");
  if (text === undefined) {
    throw new AgentMuxError(
      "CAPABILITY_ERROR",
      `gh did not tell about pull request ${number}. Install GitHub's gh and sign in (gh auth login), or name its commits.`,
    );
  }
  const fields = asObject(parsed(text));
  const [base, head] = [asText(fields?.["baseRefOid"]) ?? "", asText(fields?.["headRefOid"]) ?? ""];
  const { git } = repository;
  if (!isHash(head) || !isHash(base)) throw wrong(`gh answered something else than pull request ${number}.`);
  if ((await commitOf(git, head)) === undefined)
    throw wrong(`The commits of pull request ${number} are not here. Run git fetch origin pull/${number}/head first.`);
  const start = (await answer(git, "merge-base", base, head))?.trim();
  if (start === undefined) throw wrong(`Where pull request ${number} begins is not known here. Run git fetch first.`);
  return { kind: "pull-request", repository, number, base: start, head };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // Judged by the caller, like any other wrong answer.
  }
}

function isHash(text: string): boolean {
  return /^[0-9a-f]{40,64}$/.test(text);
}

/** A file that is gone has a commit that took it away. */
async function notThere(repository: Repository, path: string, name: string): Promise<AgentMuxError> {
  const below = relative(repository.root, path);
  const last = below.startsWith("..")
    ? undefined
    : (
        await answer(
          repository.git,
          "--literal-pathspecs",
          "log",
          "-1",
          "--format=%h",
          "--diff-filter=D",
          "HEAD",
          "--",
          below,
        )
      )?.trim();
  if (last) return wrong(`${name} is not there any more: commit ${last} took it away. See amux blame ${last}.`);
  return wrong(`"${name}" is neither a file here nor a commit of ${repository.root}.`);
}

function wrong(sentence: string): AgentMuxError {
  return new AgentMuxError("VALIDATION_ERROR", sentence);
}
