/** Git facts by directory, cached for a while. Known facts are returned at once. */
import { readGitInfo, readPullRequest, type GitInfo } from "./git-info.ts";

/** Branches change by hand; ten seconds go unnoticed. */
const GIT_FRESH_MS = 10_000;
/** Each pull request costs a request to GitHub. */
const PULL_REQUEST_FRESH_MS = 60_000;
/** Drops directories nobody asks for any more. */
const MAX_DIRECTORIES = 500;

interface Remembered<T> {
  value: T | undefined;
  /** When reading it began. */
  atMs: number;
  pending?: Promise<T | undefined>;
}

export class GitCache {
  readonly #git = new Map<string, Remembered<GitInfo>>();
  readonly #pullRequests = new Map<string, Remembered<number>>();

  /** What is known now, possibly nothing; refreshes in the background. */
  peek(cwd: string): GitInfo | undefined {
    void this.get(cwd);
    return this.#known(cwd);
  }

  /** Facts about the repository that are fresh, or were read since then; the pull request if known. */
  async get(cwd: string, sinceMs = performance.now() - GIT_FRESH_MS): Promise<GitInfo | undefined> {
    const git = await fresh(this.#git, cwd, sinceMs, () => readGitInfo(cwd));
    if (git !== undefined && git.remote !== "") void this.#pullRequest(cwd, git.branch);
    return this.#known(cwd);
  }

  /** Like `get`, but waits for the pull request too. */
  async getWithPullRequest(cwd: string, sinceMs?: number): Promise<GitInfo | undefined> {
    const git = await this.get(cwd, sinceMs);
    if (git !== undefined && git.remote !== "") await this.#pullRequest(cwd, git.branch);
    return this.#known(cwd);
  }

  /** As fresh as possible within `waitMs`, so that a slow disk or GitHub does not block a display. */
  async within(cwd: string, waitMs: number, sinceMs?: number): Promise<GitInfo | undefined> {
    let timer: NodeJS.Timeout | undefined;
    const enough = new Promise<void>((resolve) => (timer = setTimeout(resolve, waitMs)));
    await Promise.race([this.getWithPullRequest(cwd, sinceMs), enough]);
    clearTimeout(timer);
    return this.#known(cwd);
  }

  /** Whether what is known now was read since then, also if that is nothing. */
  isReadSince(cwd: string, sinceMs: number): boolean {
    const entry = this.#git.get(cwd);
    return entry !== undefined && entry.pending === undefined && entry.atMs >= sinceMs;
  }

  #pullRequest(cwd: string, branch: string): Promise<number | undefined> {
    const sinceMs = performance.now() - PULL_REQUEST_FRESH_MS;
    return fresh(this.#pullRequests, `${cwd}\n${branch}`, sinceMs, () => readPullRequest(cwd));
  }

  #known(cwd: string): GitInfo | undefined {
    const git = this.#git.get(cwd)?.value;
    const prNumber = git === undefined ? undefined : this.#pullRequests.get(`${cwd}\n${git.branch}`)?.value;
    return git === undefined || prNumber === undefined ? git : { ...git, prNumber };
  }
}

/** Concurrent callers share one answer, unless its reading began too early for one of them. */
function fresh<T>(
  known: Map<string, Remembered<T>>,
  key: string,
  sinceMs: number,
  ask: () => Promise<T | undefined>,
): Promise<T | undefined> {
  const entry = known.get(key);
  if (entry !== undefined && entry.atMs >= sinceMs) return entry.pending ?? Promise.resolve(entry.value);
  if (entry?.pending !== undefined) return entry.pending.then(() => fresh(known, key, sinceMs, ask));
  const atMs = performance.now();
  const pending = ask().then((value) => {
    known.set(key, { value, atMs });
    return value;
  });
  known.delete(key);
  known.set(key, { value: entry?.value, atMs, pending });
  for (const oldest of known.keys()) {
    if (known.size <= MAX_DIRECTORIES) break;
    known.delete(oldest);
  }
  return pending;
}
