/**
 * Git facts about a directory, and its branch's pull request from GitHub's `gh`. Queried rarely and cached; displays never wait
 * for it.
 */
import { withoutCredentials } from "../lib/text/remote-address.ts";
import { askGh } from "./ask-gh.ts";
import { untrustedGit } from "./untrusted-git.ts";

export interface GitInfo {
  branch: string;
  dirty: boolean;
  ahead: number;
  behind: number;
  /** Abbreviated hash and subject; empty before the first commit. */
  lastCommit: string;
  /** Full hash; empty before the first commit. */
  head: string;
  /** The branch's remote, or the first one. */
  remote: string;
  /** Its address, without credentials. */
  remoteUrl: string;
  prNumber?: number;
  fetchedMs: number;
}

/** `gh` queries GitHub. */
const GH_MS = 10_000;

/** Undefined outside of a repository, or if git is missing or does not answer. */
export async function readGitInfo(cwd: string): Promise<GitInfo | undefined> {
  // Without submodules: git reads each one's configuration, which ours does not override.
  const options = ["--porcelain=v2", "--branch", "--untracked-files=normal", "--ignore-submodules=all"];
  const status = await untrustedGit(cwd, "status", ...options);
  if (status === undefined) return undefined;
  const [commit = "", remotes = ""] = await Promise.all([
    untrustedGit(cwd, "log", "-1", "--format=%H%n%h %s", "HEAD", "--"),
    untrustedGit(cwd, "config", "--get-regexp", String.raw`^remote\..*\.url$`),
  ]);
  const lines = status.split("\n");
  const headers = new Map(lines.flatMap((line) => (line.startsWith("# ") ? [splitOnce(line.slice(2), " ")] : [])));
  const counts = /^\+(\d+) -(\d+)$/.exec(headers.get("branch.ab") ?? "");
  const [head, lastCommit] = splitOnce(commit.trimEnd(), "\n");
  const { name, url } = remoteOf(remotes, headers.get("branch.upstream"));
  return {
    branch: headers.get("branch.head") ?? "",
    dirty: lines.some((line) => line !== "" && !line.startsWith("#")),
    ahead: Number(counts?.[1] ?? 0),
    behind: Number(counts?.[2] ?? 0),
    head,
    lastCommit,
    remote: name,
    remoteUrl: withoutCredentials(url),
    fetchedMs: Date.now(),
  };
}

/** More than anyone reads; a rebase can bring thousands. */
const MAX_COMMITS = 20;

/** Hash and subject of new commits at `to`, newest first. Empty if the two are unrelated, or unknown. */
export async function commitsBetween(cwd: string, from: string, to: string): Promise<string[]> {
  if (!isHash(from) || !isHash(to) || from === to) return [];
  const text = await untrustedGit(cwd, "log", "--format=%h %s", `-${MAX_COMMITS}`, `${from}..${to}`, "--");
  return (text ?? "").split("\n").filter((line) => line !== "");
}

function isHash(text: string): boolean {
  return /^[0-9a-f]{40,64}$/.test(text);
}

/** Undefined if there is none, or `gh` is missing. */
export async function readPullRequest(cwd: string): Promise<number | undefined> {
  const text = await askGh(cwd, GH_MS, "pr", "view", "--json", "number");
  try {
    const { number } = JSON.parse(text ?? "") as { number?: unknown };
    return typeof number === "number" ? number : undefined;
  } catch {
    return undefined; // No answer, or an unknown one.
  }
}

function remoteOf(listing: string, upstream: string | undefined): { name: string; url: string } {
  const remotes = listing.split("\n").flatMap((line) => {
    const [key, url] = splitOnce(line, " ");
    const name = /^remote\.(.+)\.url$/.exec(key)?.[1];
    return name === undefined ? [] : [{ name, url }];
  });
  const followed = remotes.find(({ name }) => upstream?.startsWith(`${name}/`) === true);
  return followed ?? remotes.find(({ name }) => name === "origin") ?? remotes[0] ?? { name: "", url: "" };
}

function splitOnce(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator);
  return at === -1 ? [text, ""] : [text.slice(0, at), text.slice(at + separator.length)];
}
