/** Opens a pull request for what a session did, with ordinary git and GitHub's `gh`. */
import { spawn } from "node:child_process";
import { AgentMuxError } from "../../core/errors.ts";
import { askProgram, ProgramFailed } from "../../lib/process/ask-program.ts";
import { externalEnv } from "../../lib/process/external-env.ts";
import { findOnPath } from "../../lib/process/find-on-path.ts";
import { shellWord } from "../../lib/text/shell-word.ts";
import { oneLine, withoutControls } from "../../lib/text/text.ts";
import { optional } from "../../lib/values/optional.ts";
import { repositoryOf } from "../worktree/repository.ts";
import { sourceOf } from "../worktree/remove-worktree.ts";
import { inTheWay, refused, succeeds, type Git } from "../worktree/user-git.ts";

const GH_WITHIN_MS = 120_000;

/** What would be pushed and opened. */
export interface PullRequestPlan {
  /** The checkout. */
  top: string;
  branch: string;
  remote: string;
  /** Into which branch; GitHub's default without it. */
  base?: string;
  /** Commits that the remote's base does not have; undefined if that is not known here. */
  commits?: number;
  uncommitted: number;
}

type Variables = Readonly<Record<string, string | undefined>>;

export async function planPullRequest(
  cwd: string,
  vars: Variables,
  { base: wanted, remote: named }: { base?: string; remote?: string } = {},
): Promise<PullRequestPlan> {
  const { git, top } = await repositoryOf(cwd, vars);
  const branch = await git("branch", "--show-current");
  if (branch === "") throw inTheWay(`${top} is on no branch (detached head). Switch to one: git switch -c <name>`);
  if (!(await succeeds(git("rev-parse", "--verify", "--quiet", "HEAD^{commit}"))))
    throw inTheWay(`${top} has no commit yet.`);
  const remote = named ?? (await remoteOf(git, branch));
  await git("remote", "get-url", "--", remote).catch((error: unknown) => {
    throw refused(`The repository has no remote ${remote}. See git remote.`, error);
  });
  await refuseDefault(git, branch, remote);
  const from = wanted ?? (await sourceOf(git, branch));
  const isThere = from !== undefined && (await succeeds(git("rev-parse", "--verify", "--quiet", refOf(remote, from))));
  // A base that only this machine has is none for GitHub. One that was asked for is GitHub's to judge.
  const base = isThere ? from : wanted;
  if (base === branch) throw refused(`${branch} cannot be merged into itself. Create a branch: git switch -c <name>`);
  const commits = isThere
    ? Number(await git("rev-list", "--count", "HEAD", "--not", refOf(remote, from), "--"))
    : undefined;
  if (commits === 0) throw inTheWay(`${branch} has no commit that ${base} lacks. Commit first.`);
  const status = await git("status", "--porcelain", "-z", "--no-renames", "--untracked-files=all");
  const uncommitted = status.split("\0").filter((line) => line !== "").length;
  return { top, branch, remote, ...optional("base", base), ...optional("commits", commits), uncommitted };
}

/** Pushing the remote's main branch would merge the work without a pull request. */
async function refuseDefault(git: Git, branch: string, remote: string): Promise<void> {
  const known = await git("symbolic-ref", "--quiet", refOf(remote, "HEAD")).catch(() => "");
  const start = refOf(remote, "");
  const main = known.startsWith(start) ? known.slice(start.length) : await askedDefault(git, remote);
  if (main === branch)
    throw refused(
      `${branch} is the main branch of ${remote}: a push would merge it without a pull request. Create a branch: git switch -c <name>`,
    );
}

/** Undefined if the remote has no branch yet. */
async function askedDefault(git: Git, remote: string): Promise<string | undefined> {
  const said = await git("ls-remote", "--symref", "--", remote, "HEAD").catch((error: unknown) => {
    throw inTheWay(
      `Which branch of ${remote} is the main one is not known here, and asking it failed. Try: git remote set-head ${remote} --auto`,
      error,
    );
  });
  return /^ref: refs\/heads\/(.*)\tHEAD$/m.exec(said)?.[1];
}

function refOf(remote: string, branch: string): string {
  return `refs/remotes/${remote}/${branch}`;
}

/** As git chooses it for a push. */
async function remoteOf(git: Git, branch: string): Promise<string> {
  for (const key of [`branch.${branch}.pushRemote`, "remote.pushDefault", `branch.${branch}.remote`]) {
    const remote = await git("config", "--default", "", "--get", key);
    if (remote !== "" && remote !== ".") return remote;
  }
  const remotes = (await git("remote")).split("\n").filter((name) => name !== "");
  if (remotes.length === 0) throw inTheWay("The repository has no remote. Add one: git remote add origin <address>");
  if (remotes.length === 1) return remotes[0]!;
  if (remotes.includes("origin")) return "origin";
  throw refused(`The repository has several remotes (${remotes.join(", ")}). Choose one with --remote.`);
}

/** Throws what to do if `gh` is missing; before anything is pushed. */
export function requireGh(vars: Variables): void {
  if (findOnPath("gh", vars) !== undefined) return;
  throw new AgentMuxError(
    "COMMAND_NOT_FOUND",
    "GitHub's gh is not on the PATH. Install it from https://cli.github.com and run gh auth login. Nothing was pushed.",
  );
}

/** With the terminal, for a password or a key's phrase; what git prints goes to standard error. */
export async function pushBranch({ top, branch, remote }: PullRequestPlan, vars: Variables): Promise<void> {
  const refs = `refs/heads/${branch}:refs/heads/${branch}`;
  const args = ["-C", top, "push", "--set-upstream", "--", remote, refs];
  const code = await new Promise<number>((resolve, reject) => {
    const child = spawn("git", args, { env: externalEnv({ ...vars }), stdio: ["inherit", 2, 2] });
    child.once("error", reject);
    child.once("close", (ended) => resolve(ended ?? 1));
  });
  if (code !== 0) throw inTheWay(`git push failed (${code}), so no pull request was opened. Its message is above.`);
}

/** Address of the new pull request. */
export async function openPullRequest(
  { top, branch, base }: PullRequestPlan,
  { title, body, draft }: { title: string; body: string; draft: boolean },
  vars: Variables,
): Promise<string> {
  const args = ["pr", "create", `--head=${branch}`, `--title=${title}`, `--body=${body}`];
  const more = [...(base === undefined ? [] : [`--base=${base}`]), ...(draft ? ["--draft"] : [])];
  const env = { ...externalEnv({ ...vars }), GH_PROMPT_DISABLED: "1" };
  try {
    const said = await askProgram("gh", { args: [...args, ...more], cwd: top, env, timeoutMs: GH_WITHIN_MS });
    return oneLine(said.trim().split("\n").at(-1) ?? "");
  } catch (error) {
    if (!(error instanceof ProgramFailed)) throw error;
    const why = withoutControls(error.stderr.trim() || error.message);
    throw inTheWay(`The branch ${branch} was pushed, but gh opened no pull request: ${why}`, error);
  }
}

/** What would run, for a person. */
export function planText({ top, branch, remote, base }: PullRequestPlan, title: string): string[] {
  return [
    `git -C ${shellWord(top)} push --set-upstream ${shellWord(remote)} ${shellWord(branch)}`,
    `gh pr create --head ${shellWord(branch)}${base === undefined ? "" : ` --base ${shellWord(base)}`} --title ${shellWord(title)}`,
  ];
}
