/** A snapshot of a project: repository, tasks, sessions. Field names are those of the files. */
import { basename } from "node:path";
import { urgency } from "../../core/state.ts";
import { optional } from "../../lib/values/optional.ts";
import type { GitInfo } from "../git-info.ts";
import type { SessionView } from "../session-view.ts";
import type { CurrentPbi } from "../tasks/current-pbi.ts";
import { plain, type TaskList } from "../tasks/task-list.ts";

export interface ProjectSnapshot {
  name: string;
  dir: string;
  head_sha: string;
  branch: string;
  commits_ahead: number;
  dirty: boolean;
  current_pbi?: CurrentPbi;
  tasks: { done: number; in_progress: number; total: number };
  /** State of its most urgent session. */
  status: string;
  /** Unix seconds. */
  last_activity: number;
  session_count: number;
  pr_num?: number;
  /** The project's task program, while the user does not trust it. */
  untrusted?: string;
}

export interface ProjectFacts {
  dir: string;
  sessions: readonly SessionView[];
  git: GitInfo | undefined;
  list: TaskList | undefined;
  current: CurrentPbi | undefined;
}

export function snapshotOf({ dir, sessions, git, list, current }: ProjectFacts): ProjectSnapshot {
  const statuses = (list?.groups ?? []).flatMap((group) => group.tasks.map(({ status }) => plain(status)));
  const [top] = sessions.map(({ top }) => top.status).sort((a, b) => urgency(a) - urgency(b));
  return {
    name: basename(dir),
    dir,
    head_sha: git?.head ?? "",
    branch: git?.branch ?? "",
    commits_ahead: git?.ahead ?? 0,
    dirty: git?.dirty ?? false,
    ...optional("current_pbi", current),
    tasks: {
      done: statuses.filter((status) => status === "done").length,
      in_progress: statuses.filter((status) => status === "inprogress").length,
      total: statuses.length,
    },
    status: top ?? "",
    last_activity: Math.floor(Math.max(0, ...sessions.map(({ updatedMs }) => updatedMs)) / 1000),
    session_count: sessions.length,
    ...optional("pr_num", git?.prNumber),
  };
}
