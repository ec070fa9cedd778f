/**
 * Takes snapshots of live sessions' projects and records their events. The command and the daemon share the same files; each
 * continues from the last snapshot.
 */
import { resolve } from "node:path";
import { AgentMuxError } from "../../core/errors.ts";
import { ANSWERING, type AnsweringDirectories } from "../../lib/fs/answering-directories.ts";
import { amuxHome, type PathEnv } from "../../lib/fs/paths.ts";
import { optional } from "../../lib/values/optional.ts";
import { GitCache } from "../git-cache.ts";
import { commitsBetween } from "../git-info.ts";
import type { SessionView } from "../session-view.ts";
import { resolveCurrentPbi } from "../tasks/current-pbi.ts";
import { findTaskConfig, type TaskConfig } from "../tasks/task-config.ts";
import { TaskService } from "../tasks/task-service.ts";
import { eventsBetween, type ProjectEvent } from "./project-events.ts";
import { ProjectLog } from "./project-log.ts";
import { snapshotOf, type ProjectSnapshot } from "./project-snapshot.ts";

export interface ProjectWatchParts {
  env: PathEnv;
  sessions: () => Promise<readonly SessionView[]>;
  git?: GitCache;
  /** Projects on a disk that does not answer are left out. */
  answering?: AnsweringDirectories;
}

export interface Look {
  snapshots: ProjectSnapshot[];
  events: ProjectEvent[];
}

/** Caches answers of git and the task providers between snapshots. */
export class ProjectWatch {
  readonly #parts: ProjectWatchParts;
  readonly #git: GitCache;
  readonly #tasks: TaskService;
  readonly #log: ProjectLog;

  constructor(parts: ProjectWatchParts) {
    this.#parts = parts;
    this.#git = parts.git ?? new GitCache();
    this.#tasks = new TaskService(parts.env);
    this.#log = new ProjectLog(amuxHome(parts.env));
  }

  async look(): Promise<Look> {
    const sessions = await this.#parts.sessions();
    const all = [...new Set(sessions.flatMap(({ cwd }) => (cwd === "" ? [] : [resolve(cwd)])))].sort();
    const { answering = ANSWERING } = this.#parts;
    const answered = await Promise.all(all.map((dir) => answering.hasProject(dir)));
    const directories = all.filter((_, index) => answered[index]);
    if (directories.length === 0) return { snapshots: [], events: [] };
    const known = this.#log.snapshots();
    const snapshots = await Promise.all(directories.map((dir) => this.#snapshot(dir, sessions, known.get(dir))));
    const commits = new Map(
      await Promise.all(
        snapshots.map(async ({ dir, head_sha }) => {
          return [dir, await commitsBetween(dir, known.get(dir)?.head_sha ?? "", head_sha)] as const;
        }),
      ),
    );
    const now = Math.floor(Date.now() / 1000);
    const events = this.#log.record(now, (before) => ({
      snapshots,
      events: snapshots.flatMap((each) => eventsBetween(before.get(each.dir), each, commits.get(each.dir) ?? [], now)),
    }));
    return { snapshots, events };
  }

  /** Events of the last day, oldest first. */
  recent(): ProjectEvent[] {
    return this.#log.events(Math.floor(Date.now() / 1000));
  }

  async #snapshot(
    dir: string,
    all: readonly SessionView[],
    before: ProjectSnapshot | undefined,
  ): Promise<ProjectSnapshot> {
    const sessions = all.filter(({ cwd }) => cwd !== "" && resolve(cwd) === dir);
    const config = this.#configOf(dir);
    const [git, answer] = await Promise.all([
      this.#git.getWithPullRequest(dir),
      config === undefined ? undefined : this.#tasks.tasks(config),
    ]);
    const list = answer !== undefined && "list" in answer ? answer.list : undefined;
    const isUntrusted = answer !== undefined && "error" in answer && answer.error.kind === "untrusted";
    const current = resolveCurrentPbi({
      list,
      sessions: sessions.map(({ currentPbi = "", currentPbiTitle = "", currentPbiSource, updatedMs }) => ({
        // An inferred value is not the session's own.
        pbi: currentPbiSource === undefined ? currentPbi : "",
        title: currentPbiTitle,
        timestamp: updatedMs,
      })),
      branch: git?.branch ?? "",
      ...optional("branchPatterns", config?.branchPatterns),
    });
    const snapshot = snapshotOf({ dir, sessions, git, list, current });
    if (!isUntrusted) return snapshot;
    const { tasks, current_pbi } = before ?? snapshot;
    return { ...snapshot, tasks, ...optional("current_pbi", current_pbi ?? current), untrusted: config!.provider };
  }

  /** Errors in a project's settings or provider leave the rest of the snapshot; `amux tasks` reports them. */
  #configOf(dir: string): TaskConfig | undefined {
    try {
      return findTaskConfig(this.#parts.env, dir);
    } catch (error) {
      if (error instanceof AgentMuxError) return undefined;
      throw error;
    }
  }
}
