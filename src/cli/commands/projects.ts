import { resolve } from "node:path";
import { amuxHome, processEnv } from "../../lib/paths.ts";
import { oneLine } from "../../lib/text.ts";
import { GitCache } from "../../status/git-cache.ts";
import { commitsBetween } from "../../status/git-info.ts";
import { eventsBetween, type ProjectEvent } from "../../status/projects/project-events.ts";
import { ProjectLog } from "../../status/projects/project-log.ts";
import { snapshotOf, type ProjectSnapshot } from "../../status/projects/project-snapshot.ts";
import type { SessionView } from "../../status/session-view.ts";
import { resolveCurrentPbi } from "../../status/tasks/current-pbi.ts";
import { findTaskConfig } from "../../status/tasks/task-config.ts";
import { TaskService } from "../../status/tasks/task-service.ts";
import type { Command } from "../command.ts";
import { age } from "../format/figures.ts";
import { homely } from "../format/session-table.ts";
import { liveSessions } from "../live-sessions.ts";
import type { Output } from "../output.ts";

const LOOK_EVERY_MS = 60_000;

const command: Command = {
  name: "projects",
  summary: "The projects of live sessions, and what has happened in them",
  description:
    "Looks at every directory in which a session lives: repository, tasks, sessions. What has changed since the last look is recorded as events: commit, task_completed, task_started, session_status_change, pbi_completed, branch_created, pr_created. They are kept for a day.",
  options: [{ name: "watch", description: "look again every minute, and print what happens" }],
  examples: [
    ["amux projects", "how they stand, and the last day"],
    ["amux projects --watch --json", "one line of JSON for every event"],
  ],
  async run(invocation) {
    const { output } = invocation;
    const looker = new Looker();
    const { snapshots, events } = await looker.look();
    if (!invocation.flag("watch")) {
      const recent = looker.recent();
      if (output.json) return output.writeJson({ projects: snapshots, events: recent });
      return output.write([...snapshots.map((each) => projectLine(each, output)), ...recent.map(eventLine)]);
    }
    for (let news = events; ; news = (await looker.look()).events) {
      await output.write(news.map((event) => (output.json ? `${JSON.stringify(event)}\n` : eventLine(event))));
      await new Promise((proceed) => setTimeout(proceed, LOOK_EVERY_MS));
    }
  },
};

export default command;

/** Remembers git's and the providers' answers from one look to the next. */
class Looker {
  readonly #env = processEnv();
  readonly #git = new GitCache();
  readonly #tasks = new TaskService(this.#env);
  readonly #log = new ProjectLog(amuxHome(this.#env));

  async look(): Promise<{ snapshots: ProjectSnapshot[]; events: ProjectEvent[] }> {
    const sessions = await liveSessions();
    const directories = [...new Set(sessions.flatMap(({ cwd }) => (cwd === "" ? [] : [resolve(cwd)])))].sort();
    const snapshots = await Promise.all(directories.map((dir) => this.#snapshot(dir, sessions)));
    const known = this.#log.snapshots();
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

  recent(): ProjectEvent[] {
    return this.#log.events(Math.floor(Date.now() / 1000));
  }

  async #snapshot(dir: string, all: readonly SessionView[]): Promise<ProjectSnapshot> {
    const sessions = all.filter(({ cwd }) => cwd !== "" && resolve(cwd) === dir);
    const config = findTaskConfig(this.#env, dir);
    const [git, answer] = await Promise.all([
      this.#git.getWithPullRequest(dir),
      config === undefined ? undefined : this.#tasks.tasks(config),
    ]);
    // A provider that fails leaves the rest of the picture as it is; `amux tasks` says why.
    const list = answer !== undefined && "list" in answer ? answer.list : undefined;
    const current = resolveCurrentPbi({
      list,
      sessions: sessions.map(({ currentPbi = "", currentPbiTitle = "", updatedMs }) => ({
        pbi: currentPbi,
        title: currentPbiTitle,
        timestamp: updatedMs,
      })),
      branch: git?.branch ?? "",
      ...(config?.branchPatterns === undefined ? {} : { branchPatterns: config.branchPatterns }),
    });
    return snapshotOf({ dir, sessions, git, list, current });
  }
}

function projectLine(each: ProjectSnapshot, output: Output): string {
  const { name, dir, branch, dirty, commits_ahead, tasks, status, session_count, pr_num, current_pbi } = each;
  const parts = [
    output.style("bold", oneLine(name)),
    homely(dir),
    oneLine(`${branch}${dirty ? "*" : ""}${commits_ahead > 0 ? ` +${commits_ahead}` : ""}`),
    pr_num === undefined ? "" : `#${pr_num}`,
    current_pbi === undefined ? "" : oneLine(`${current_pbi.id} ${current_pbi.title}`),
    tasks.total === 0 ? "" : `${tasks.done}/${tasks.total} tasks`,
    `${session_count} ${session_count === 1 ? "session" : "sessions"}, ${status || "unknown"}`,
  ];
  return `${parts.filter((part) => part !== "").join("  ")}\n`;
}

function eventLine({ type, timestamp, project, detail }: ProjectEvent): string {
  const when = age(new Date(timestamp * 1000)).padStart(4);
  return `${when}  ${oneLine(project)}  ${type.replaceAll("_", " ")}  ${oneLine(detail)}\n`;
}
