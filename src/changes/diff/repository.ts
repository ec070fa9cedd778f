/** The repository around a directory, or a sentence why there is none to compare in. */
import { resolve } from "node:path";
import { AgentMuxError } from "../../core/errors.ts";
import { ProgramFailed } from "../../lib/process/ask-program.ts";
import { untrustedRepository, type LookingGit } from "../../status/untrusted-git.ts";

export interface Repository {
  root: string;
  /** Runs in the root. */
  git: LookingGit;
  /** Absent before the first commit. */
  head: string | undefined;
  indexFile: string;
  isShallow: boolean;
}

export async function repositoryAt(cwd: string): Promise<Repository> {
  const inDirectory = await asked(cwd, () => untrustedRepository(cwd));
  const facts = await asked(cwd, () =>
    inDirectory([
      "rev-parse",
      "--is-bare-repository",
      "--is-shallow-repository",
      "--git-path",
      "index",
      "--show-toplevel",
    ]),
  );
  const [isBare, isShallow, index = "", root = ""] = facts.split("\n");
  if (isBare === "true" || root === "") throw refused(bare(cwd));
  const git = cwd === root ? inDirectory : await asked(cwd, () => untrustedRepository(root));
  return {
    root,
    git,
    head: await commitOf(git, "HEAD"),
    indexFile: resolve(cwd, index),
    isShallow: isShallow === "true",
  };
}

/** The hash of a commit that this repository has; undefined if it has none of that name. */
export async function commitOf(git: LookingGit, name: string): Promise<string | undefined> {
  if (name.startsWith("-")) return undefined;
  return (await answer(git, "rev-parse", "--verify", "--quiet", "--end-of-options", `${name}^{commit}`))?.trim();
}

/** Undefined if git refuses: there is no such thing. */
export async function answer(git: LookingGit, ...args: string[]): Promise<string | undefined> {
  try {
    return await git(args);
  } catch (error) {
    if (error instanceof ProgramFailed && error.kind === "failed") return undefined;
    throw sentenceFor(error);
  }
}

/** An error of git that the user can act on. */
export function sentenceFor(error: unknown): unknown {
  if (!(error instanceof ProgramFailed)) return error;
  if (error.kind === "missing") return refused("git is not installed, so changes cannot be shown.");
  if (error.kind === "timeout") return new AgentMuxError("TIMEOUT", `${error.message} Name fewer files.`);
  const said = error.stderr.trim().split("\n").at(-1) ?? "";
  return new AgentMuxError("INTERNAL", `${error.message} ${said}`.trim());
}

async function asked<T>(cwd: string, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (!(error instanceof ProgramFailed) || error.kind !== "failed") throw sentenceFor(error);
    const { stderr } = error;
    if (/cannot change to/.test(stderr)) {
      throw refused(
        `${cwd} does not exist any more, so there is nothing to compare. The transcript still shows the edits.`,
      );
    }
    if (/dubious ownership/.test(stderr)) {
      throw refused(`git refuses the repository around ${cwd}, because another user owns it (git's safe.directory).`);
    }
    if (/bare repository|must be run in a work tree/.test(stderr)) throw refused(bare(cwd));
    if (/not a git repository/.test(stderr)) {
      throw refused(`${cwd} is not in a git repository, so there is nothing to compare with.`);
    }
    throw sentenceFor(error);
  }
}

function bare(cwd: string): string {
  return `${cwd} is in a bare repository, which has no files to compare.`;
}

function refused(sentence: string): AgentMuxError {
  return new AgentMuxError("CAPABILITY_ERROR", sentence);
}
