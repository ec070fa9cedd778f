/**
 * Finds a directory's repository. Git worktrees and jj workspaces map to the main root. Reads files only and starts no program.
 */
import { existsSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import type { AnsweringDirectories } from "../lib/fs/answering-directories.ts";
import { withoutCredentials } from "../lib/text/remote-address.ts";
import { readText } from "../lib/fs/foreign-file.ts";

export interface Workspace {
  workspace_root?: string;
  remotes?: Record<string, string>;
}

/** Whether a path may be looked at. Nothing is there if not. */
type MayLook = (path: string) => boolean;

/** A pointer or a link can lead to a disk that does not answer: `mayLook` is asked before every look. */
export function workspaceOf(cwd: string, mayLook: MayLook = () => true): Workspace {
  for (let directory = cwd; ; directory = dirname(directory)) {
    const found = jujutsuRoot(directory, mayLook) ?? gitRoot(directory, mayLook);
    if (found !== undefined) {
      const remotes = found.config === undefined ? {} : remotesIn(found.config, mayLook);
      return { workspace_root: found.root, ...(Object.keys(remotes).length > 0 ? { remotes } : {}) };
    }
    if (directory === dirname(directory)) return {};
  }
}

/** The same, without looking at places that do not answer: again and again, until every path on the way is known. */
export async function answeringWorkspace(cwd: string, answering: AnsweringDirectories): Promise<Workspace> {
  const answers = new Map<string, boolean>();
  for (;;) {
    let unknown: string | undefined;
    const workspace = workspaceOf(cwd, (path) => {
      if (!answers.has(path)) unknown ??= path;
      return answers.get(path) ?? false;
    });
    if (unknown === undefined) return workspace;
    answers.set(unknown, await answering.has(unknown));
  }
}

interface Root {
  root: string;
  /** Path of git's configuration, which holds the remotes. */
  config?: string;
}

/** `.jj/repo` is a directory in the main workspace, and elsewhere a file with the main one's path. */
function jujutsuRoot(directory: string, mayLook: MayLook): Root | undefined {
  const marker = join(directory, ".jj");
  if (!mayLook(marker) || !isDirectory(marker)) return undefined;
  const repo = textOf(join(marker, "repo"), mayLook);
  const main = repo === undefined ? marker : dirname(resolve(marker, repo));
  const root = dirname(main);
  const target = textOf(join(main, "repo", "store", "git_target"), mayLook);
  const git = target === undefined ? join(root, ".git") : resolve(join(main, "repo", "store"), target);
  return { root, config: join(git, "config") };
}

/** `.git` is a directory, or in a worktree a file with the path `<main>/.git/worktrees/<name>`. */
function gitRoot(directory: string, mayLook: MayLook): Root | undefined {
  const marker = join(directory, ".git");
  if (!mayLook(marker)) return undefined;
  if (isDirectory(marker)) return { root: directory, config: join(marker, "config") };
  // Hundreds of directories are checked at startup and nearly all have none: a failing read is not cheap.
  if (!existsSync(marker)) return undefined;
  const pointer = /^gitdir: (.+)$/m.exec(textOf(marker, mayLook) ?? "")?.[1];
  if (pointer === undefined) return undefined;
  const gitDirectory = resolve(directory, pointer);
  const common = textOf(join(gitDirectory, "commondir"), mayLook);
  // A submodule has its own repository, without a common one.
  if (common === undefined) return { root: directory, config: join(gitDirectory, "config") };
  const main = resolve(gitDirectory, common);
  return { root: rootOf(main, mayLook), config: join(main, "config") };
}

/** The directory around `.git` or another hidden directory; a submodule's own setting; or a bare repository itself. */
function rootOf(repository: string, mayLook: MayLook): string {
  if (basename(repository).startsWith(".")) return dirname(repository);
  const elsewhere = /^\s*worktree\s*=\s*(.+?)\s*$/m.exec(textOf(join(repository, "config"), mayLook) ?? "")?.[1];
  return elsewhere === undefined ? repository : resolve(repository, elsewhere);
}

function remotesIn(config: string, mayLook: MayLook): Record<string, string> {
  const remotes: Record<string, string> = {};
  let remote: string | undefined;
  for (const line of (textOf(config, mayLook) ?? "").split("\n")) {
    const section = /^\s*\[(?:remote\s+"(.+)")?/.exec(line);
    if (section !== null) remote = section[1];
    const url = /^\s*url\s*=\s*(.+?)\s*$/.exec(line)?.[1];
    if (remote !== undefined && url !== undefined) remotes[remote] ??= withoutCredentials(url);
  }
  return remotes;
}

function isDirectory(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  } catch {
    // A directory we cannot read is not a repository for us.
    return false;
  }
}

/** Trimmed; undefined if there is no such file. */
function textOf(path: string, mayLook: MayLook): string | undefined {
  if (!mayLook(path)) return undefined;
  try {
    return readText(path).trim();
  } catch {
    return undefined;
  }
}
