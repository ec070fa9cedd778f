/**
 * Creates a git worktree for a session, in `<repository>.worktrees/`, so that agents do not collide. It stays when the session
 * ends: it may contain work.
 */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { promisify } from "node:util";
import type { WorktreeRequest } from "../../protocol/daemon-api.ts";
import { Problem } from "../problem.ts";
import { workspaceOf } from "../../client/workspace.ts";
import { slugify } from "../../protocol/slug.ts";

const GIT_WITHIN_MS = 60_000;

const run = promisify(execFile);

type Git = (...args: string[]) => Promise<string>;

/** The directory to launch in: the counterpart of `cwd` in the new worktree. */
export async function addWorktree(
  cwd: string,
  request: WorktreeRequest,
  vars: Readonly<Record<string, string>>,
): Promise<string> {
  const root = workspaceOf(cwd).workspace_root;
  if (root === undefined || (existsSync(join(root, ".jj")) && !existsSync(join(root, ".git")))) {
    throw new Problem("bad_request", `${cwd} is not in a git repository, so it can have no worktree.`);
  }
  const git: Git = async (...args) => {
    const options = { cwd, env: vars, timeout: GIT_WITHIN_MS };
    return (await run("git", args, options)).stdout.trim();
  };
  const top = await refusing(git("rev-parse", "--show-toplevel"));
  const repository = await refusing(git("rev-parse", "--path-format=absolute", "--git-common-dir"));
  const path = await inTurn(repository, () => added(git, root, request));
  return join(path, relative(top, cwd));
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

/** Path of the new worktree. */
async function added(git: Git, root: string, request: WorktreeRequest): Promise<string> {
  const branch = request.branch ?? (await freeName(git, root));
  await refusing(git("check-ref-format", "--branch", branch), `${branch} is not a valid branch name.`);
  const path = placeOf(root, branch);
  if (existsSync(path)) throw new Problem("bad_request", `${path} exists already.`);
  const isKnown = await git("rev-parse", "--verify", "--quiet", `refs/heads/${branch}`).then(
    () => true,
    () => false,
  );
  // No input can be taken for an option: the branch was checked, and the base is a hash.
  const add = isKnown
    ? git("worktree", "add", path, branch)
    : git("worktree", "add", "-b", branch, path, await commitOf(git, request.base ?? "HEAD"));
  await refusing(add);
  return path;
}

async function commitOf(git: Git, base: string): Promise<string> {
  const asked = git("rev-parse", "--verify", "--quiet", "--end-of-options", `${base}^{commit}`);
  return refusing(asked, `There is no commit ${base} in the repository.`);
}

/** `amux-1`, `amux-2`, … */
async function freeName(git: Git, root: string): Promise<string> {
  const branches = new Set((await git("for-each-ref", "--format=%(refname:short)", "refs/heads/amux-*")).split("\n"));
  for (let number = 1; ; number++) {
    const name = `amux-${number}`;
    if (!branches.has(name) && !existsSync(placeOf(root, name))) return name;
  }
}

function placeOf(root: string, branch: string): string {
  return join(dirname(root), `${basename(root)}.worktrees`, slugify(branch) || "worktree");
}

async function refusing(asked: Promise<string>, message?: string): Promise<string> {
  try {
    return await asked;
  } catch (error) {
    const said = (error as { stderr?: string }).stderr?.trim() || (error as Error).message;
    throw new Problem("bad_request", message ?? `git refused: ${said}`, error);
  }
}
