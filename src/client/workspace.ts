/**
 * To which repository a directory belongs. Worktrees of git and workspaces of jj lead to the main root, so that all of
 * them are one place. Only files are read: no program is started for it.
 */
import { existsSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { withoutCredentials } from "../lib/text/remote-address.ts";
import { readText } from "../lib/fs/foreign-file.ts";

export interface Workspace {
  workspace_root?: string;
  remotes?: Record<string, string>;
}

export function workspaceOf(cwd: string): Workspace {
  for (let directory = cwd; ; directory = dirname(directory)) {
    const found = jujutsuRoot(directory) ?? gitRoot(directory);
    if (found !== undefined) {
      const remotes = found.config === undefined ? {} : remotesIn(found.config);
      return { workspace_root: found.root, ...(Object.keys(remotes).length > 0 ? { remotes } : {}) };
    }
    if (directory === dirname(directory)) return {};
  }
}

interface Root {
  root: string;
  /** git's configuration, where the remotes are. */
  config?: string;
}

/** `.jj/repo` is a directory in the main workspace, and in the others a file that names the main one's. */
function jujutsuRoot(directory: string): Root | undefined {
  const marker = join(directory, ".jj");
  if (!isDirectory(marker)) return undefined;
  const repo = textOf(join(marker, "repo"));
  const main = repo === undefined ? marker : dirname(resolve(marker, repo));
  const root = dirname(main);
  const target = textOf(join(main, "repo", "store", "git_target"));
  const git = target === undefined ? join(root, ".git") : resolve(join(main, "repo", "store"), target);
  return { root, config: join(git, "config") };
}

/** `.git` is a directory, or in a worktree a file that names `<main>/.git/worktrees/<name>`. */
function gitRoot(directory: string): Root | undefined {
  const marker = join(directory, ".git");
  if (isDirectory(marker)) return { root: directory, config: join(marker, "config") };
  // Hundreds of directories are asked about at a start, and nearly all have none: a read that fails is not cheap.
  if (!existsSync(marker)) return undefined;
  const pointer = /^gitdir: (.+)$/m.exec(textOf(marker) ?? "")?.[1];
  if (pointer === undefined) return undefined;
  const gitDirectory = resolve(directory, pointer);
  const common = textOf(join(gitDirectory, "commondir"));
  // A submodule has a repository of its own, without a common one.
  if (common === undefined) return { root: directory, config: join(gitDirectory, "config") };
  const main = resolve(gitDirectory, common);
  return { root: rootOf(main), config: join(main, "config") };
}

/** Around `.git` or another hidden directory, where a submodule says, or for a bare repository the repository itself. */
function rootOf(repository: string): string {
  if (basename(repository).startsWith(".")) return dirname(repository);
  const elsewhere = /^\s*worktree\s*=\s*(.+?)\s*$/m.exec(textOf(join(repository, "config")) ?? "")?.[1];
  return elsewhere === undefined ? repository : resolve(repository, elsewhere);
}

function remotesIn(config: string): Record<string, string> {
  const remotes: Record<string, string> = {};
  let remote: string | undefined;
  for (const line of (textOf(config) ?? "").split("\n")) {
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
    // A directory we may not look into is no repository to us.
    return false;
  }
}

/** Trimmed; undefined when there is no such file. */
function textOf(path: string): string | undefined {
  try {
    return readText(path).trim();
  } catch {
    return undefined;
  }
}
