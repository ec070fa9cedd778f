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

  /** Fresh facts about the repository; the pull request if known. */
  async get(cwd: string): Promise<GitInfo | undefined> {
    const git = await fresh(this.#git, cwd, GIT_FRESH_MS, () => readGitInfo(cwd));
    if (git !== undefined && git.remote !== "") void this.#pullRequest(cwd, git.branch);
    return this.#known(cwd);
  }

  /** Like `get`, but waits for the pull request too. */
  async getWithPullRequest(cwd: string): Promise<GitInfo | undefined> {
    const git = await this.get(cwd);
    if (git !== undefined && git.remote !== "") await this.#pullRequest(cwd, git.branch);
    return this.#known(cwd);
  }

  /** As fresh as possible within `waitMs`, so that a slow disk or GitHub does not block a display. */
  async within(cwd: string, waitMs: number): Promise<GitInfo | undefined> {
    let timer: NodeJS.Timeout | undefined;
    const enough = new Promise<void>((resolve) => (timer = setTimeout(resolve, waitMs)));
    await Promise.race([this.getWithPullRequest(cwd), enough]);
    clearTimeout(timer);
    return this.#known(cwd);
  }

  #pullRequest(cwd: string, branch: string): Promise<number | undefined> {
    return fresh(this.#pullRequests, `${cwd}\n${branch}`, PULL_REQUEST_FRESH_MS, () => readPullRequest(cwd));
  }

  #known(cwd: string): GitInfo | undefined {
    const git = this.#git.get(cwd)?.value;
    const prNumber = git === undefined ? undefined : this.#pullRequests.get(`${cwd}\n${git.branch}`)?.value;
    return git === undefined || prNumber === undefined ? git : { ...git, prNumber };
  }
}

/** Concurrent callers share one answer. */
function fresh<T>(
  known: Map<string, Remembered<T>>,
  key: string,
  freshMs: number,
  ask: () => Promise<T | undefined>,
): Promise<T | undefined> {
  const entry = known.get(key);
  if (entry?.pending !== undefined) return entry.pending;
  if (entry !== undefined && performance.now() - entry.atMs < freshMs) return Promise.resolve(entry.value);
  const pending = ask().then((value) => {
    known.set(key, { value, atMs: performance.now() });
    return value;
  });
  known.delete(key);
  known.set(key, { value: entry?.value, atMs: entry?.atMs ?? 0, pending });
  for (const oldest of known.keys()) {
    if (known.size <= MAX_DIRECTORIES) break;
    known.delete(oldest);
  }
  return pending;
}
