/**
 * Creates a git worktree for a session, so that agents do not collide. It stays when the session ends: it may contain work. Where
 * a new branch came from is kept in git's own settings, as `branch.<name>.amuxFrom` and `amuxStart`; git removes them with it.
 */
import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { amuxHome, type PathEnv } from "../../lib/fs/paths.ts";
import { shellWord } from "../../lib/text/shell-word.ts";
import { optional } from "../../lib/values/optional.ts";
import type { WorktreeRequest } from "../../protocol/daemon-api.ts";
import { AgentMuxError } from "../../core/errors.ts";
import { TrustFile } from "../../status/trust.ts";
import { copyFiles } from "./copy-files.ts";
import { placeOf } from "./place.ts";
import { repositoryOf, type Repository } from "./repository.ts";
import { refused, succeeds, type Git } from "./user-git.ts";
import { readWorktreeSettings, setUpPrograms, SETTINGS_FILE } from "./worktree-settings.ts";

export interface AddedWorktree {
  /** Of the worktree. */
  path: string;
  /** The counterpart of the given directory in it. */
  cwd: string;
  branch: string;
  /** Branch that it came from; undefined if the head was detached or the branch existed. */
  from?: string;
  /** Files copied into it, relative. */
  copied: string[];
  /** The repository's set-up command, if the user trusts it. The caller runs it, in `path`. */
  setup?: string;
  /** What the user should know, one sentence each. */
  notes: string[];
}

export async function addWorktree(cwd: string, request: WorktreeRequest, env: PathEnv): Promise<AddedWorktree> {
  const repository = await repositoryOf(cwd, env.vars);
  return inTurn(repository.common, () => added(repository, request, env));
}

/** Repositories with an addition in progress. */
const busy = new Map<string, Promise<unknown>>();

/** git fails on concurrent additions to one repository, and both would pick the same name. */
async function inTurn<Result>(repository: string, work: () => Promise<Result>): Promise<Result> {
  const before = busy.get(repository) ?? Promise.resolve();
  const mine = before.then(work, work);
  busy.set(repository, mine);
  try {
    return await mine;
  } finally {
    if (busy.get(repository) === mine) busy.delete(repository);
  }
}

async function added(repository: Repository, request: WorktreeRequest, env: PathEnv): Promise<AddedWorktree> {
  const { git, top, root, below } = repository;
  if (!(await succeeds(git("rev-parse", "--verify", "--quiet", "HEAD^{commit}"))))
    throw refused(`The repository ${root} has no commit yet, so it can have no worktree. Make a first commit.`);
  const branch = request.branch ?? (await freeName(git, root, env));
  // git expands names such as @{-1}, which would be another branch than the one that was asked for.
  const isValid = (await git("check-ref-format", "--branch", branch).catch(() => "")) === branch;
  if (!isValid) throw refused(`"${branch}" is not a valid branch name.`);
  const path = placeOf(root, branch, env);
  if (existsSync(path)) throw refused(`${path} exists already. Choose another branch name, or remove it.`);
  const isKnown = await succeeds(git("rev-parse", "--verify", "--quiet", `refs/heads/${branch}`));
  if (isKnown && request.base !== undefined)
    throw refused(`The branch ${branch} exists already, so it cannot start at ${request.base}.`);
  const start = isKnown ? undefined : await commitOf(git, request.base ?? "HEAD");
  const from = isKnown || request.base !== undefined ? undefined : await currentBranch(git);
  // No input can be taken for an option: the branch was checked, and the start is a hash.
  await git("worktree", "add", ...(start === undefined ? [path, branch] : ["-b", branch, path, start]));
  if (from !== undefined) await git("config", `branch.${branch}.amuxFrom`, from);
  if (start !== undefined) await git("config", `branch.${branch}.amuxStart`, start);
  const prepared = prepare({ top, root, path, env });
  const there = join(path, below);
  const isThere = statSync(there, { throwIfNoEntry: false })?.isDirectory() === true;
  const notes = [
    ...(isKnown ? [`The branch ${branch} existed, so the worktree continues it.`] : []),
    ...(start !== undefined && from === undefined
      ? [`It came from no branch, so amux worktree finish ${shellWord(branch)} needs --into.`]
      : []),
    ...(isThere ? [] : [`${below} is not in the commit, so the session starts in the worktree's own directory.`]),
    ...(existsSync(join(path, ".gitmodules"))
      ? ["Its submodules are empty. To fetch them: git submodule update --init"]
      : []),
  ];
  return {
    path,
    cwd: isThere ? there : path,
    branch,
    ...optional("from", from),
    ...prepared,
    notes: [...notes, ...prepared.notes],
  };
}

/** The settings are those of the new checkout: what is not committed does not count. */
function prepare({
  top,
  root,
  path,
  env,
}: Record<"top" | "root" | "path", string> & { env: PathEnv }): Pick<AddedWorktree, "copied" | "setup" | "notes"> {
  let settings;
  try {
    settings = readWorktreeSettings(path);
  } catch (error) {
    // The worktree is there and can be used.
    if (error instanceof AgentMuxError) return { copied: [], notes: [error.message] };
    throw error;
  }
  if (settings === undefined) return { copied: [], notes: [] };
  const { copy, setup } = settings;
  const { copied, notes } = copyFiles(copy, top, path);
  if (setup === undefined) return { copied, notes };
  let verdict;
  try {
    verdict = new TrustFile(amuxHome(env)).verdict(setUpPrograms(root, path, setup));
  } catch (error) {
    if (!(error instanceof AgentMuxError)) throw error;
    return { copied, notes: [...notes, `The set-up command was not run. ${error.message}`] };
  }
  if (verdict === "trusted") return { copied, notes, setup };
  const why = verdict === "changed" ? "has changed since you trusted it" : "is not trusted";
  const note = `The set-up command of ${SETTINGS_FILE} was not run: it ${why}. See what it does, then: amux trust ${shellWord(path)}`;
  return { copied, notes: [...notes, note] };
}

async function commitOf(git: Git, base: string): Promise<string> {
  return git("rev-parse", "--verify", "--quiet", "--end-of-options", `${base}^{commit}`).catch((error: unknown) => {
    throw refused(`There is no commit ${base} in the repository.`, error);
  });
}

async function currentBranch(git: Git): Promise<string | undefined> {
  return (await git("branch", "--show-current")) || undefined;
}

/** `amux-1`, `amux-2`, … */
async function freeName(git: Git, root: string, env: PathEnv): Promise<string> {
  const branches = new Set((await git("for-each-ref", "--format=%(refname:short)", "refs/heads/amux-*")).split("\n"));
  for (let number = 1; ; number++) {
    const name = `amux-${number}`;
    if (!branches.has(name) && !existsSync(placeOf(root, name, env))) return name;
  }
}
