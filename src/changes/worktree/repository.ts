/** The repository around a directory, as git says it. */
import { existsSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { untrustedGit } from "../../status/untrusted-git.ts";
import { parseWorktreeList } from "./parse-worktree-list.ts";
import { refused, userGit, type Git } from "./user-git.ts";

export interface Checkout {
  /** The checkout that the directory is in. */
  top: string;
  /** The main checkout, or a bare repository's directory. It identifies the repository. */
  root: string;
  /** git's own directory of all checkouts. */
  common: string;
}

const PATHS = ["rev-parse", "--path-format=absolute", "--show-toplevel", "--git-dir", "--git-common-dir"];
export const LIST = ["worktree", "list", "--porcelain", "-z"];

/** Undefined outside of a repository, and in one without a checkout. Runs no program of it. */
export async function checkoutOf(cwd: string): Promise<Checkout | undefined> {
  const paths = await untrustedGit(cwd, ...PATHS);
  const [top, own, common] = paths?.split("\n") ?? [];
  if (!top || !own || !common) return undefined;
  if (basename(common) === ".git") return { top, root: dirname(common), common };
  // A submodule's repository is inside the one around it.
  if (own === common) return { top, root: top, common };
  const [main] = parseWorktreeList((await untrustedGit(cwd, ...LIST)) ?? "");
  return { top, root: main?.path ?? common, common };
}

export interface Repository extends Checkout {
  /** Path of the directory in its checkout. */
  below: string;
  git: Git;
}

/** For a command of the user. Throws a sentence if the directory is in no repository with a checkout. */
export async function repositoryOf(
  cwd: string,
  vars: Readonly<Record<string, string | undefined>>,
): Promise<Repository> {
  if (!existsSync(cwd)) throw refused(`The directory ${cwd} does not exist.`);
  const git = userGit(cwd, vars);
  const checkout = await checkoutOf(cwd);
  if (checkout === undefined) throw await whyNot(cwd, git);
  return { ...checkout, below: relative(checkout.top, cwd), git };
}

async function whyNot(cwd: string, git: Git): Promise<Error> {
  try {
    if ((await git("rev-parse", "--is-bare-repository")) === "true")
      return refused(`${cwd} is in a bare repository, which has no checkout to start from. Use one of its worktrees.`);
    return refused(`${cwd} is inside git's own directory. Use the checkout.`);
  } catch (error) {
    const { message } = error as Error;
    if (!message.includes("not a git repository")) return error as Error;
    const jujutsu = existsSync(join(cwd, ".jj")) ? " jj has workspaces of its own: jj workspace add." : "";
    return refused(`${cwd} is not in a git repository, so it can have no worktree.${jujutsu}`, error);
  }
}
