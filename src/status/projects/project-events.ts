/** Events in a project between two snapshots. Pure; the first snapshot gives none. */
import type { ProjectSnapshot } from "./project-snapshot.ts";

export const PROJECT_EVENTS = [
  "commit",
  "task_completed",
  "task_started",
  "session_status_change",
  "pbi_completed",
  "branch_created",
  "pr_created",
] as const;

export interface ProjectEvent {
  type: (typeof PROJECT_EVENTS)[number];
  /** Unix seconds. */
  timestamp: number;
  project: string;
  dir: string;
  /** The old and new value, or what was added. */
  detail: string;
}

/** `commits` are the subjects between the two heads, newest first, if known. */
export function eventsBetween(
  before: ProjectSnapshot | undefined,
  after: ProjectSnapshot,
  commits: readonly string[],
  timestamp: number,
): ProjectEvent[] {
  if (before === undefined) return [];
  const found: [ProjectEvent["type"], string][] = [];
  const isOnSameBranch = before.branch === after.branch;
  if (after.head_sha !== before.head_sha && after.head_sha !== "" && isOnSameBranch) {
    found.push(["commit", commits.length > 0 ? commits.join("\n") : after.head_sha.slice(0, 12)]);
  }
  const [done, started] = [after.tasks.done - before.tasks.done, after.tasks.in_progress - before.tasks.in_progress];
  if (done > 0) found.push(["task_completed", `${done} more, ${after.tasks.done} of ${after.tasks.total}`]);
  if (started > 0) found.push(["task_started", `${started} more, ${after.tasks.in_progress} in progress`]);
  if (after.status !== before.status && after.status !== "")
    found.push(["session_status_change", `${before.status || "nothing"} → ${after.status}`]);
  const isSamePbi = after.current_pbi !== undefined && after.current_pbi.id === before.current_pbi?.id;
  if (isSamePbi && isAllDone(after) && !isAllDone(before))
    found.push(["pbi_completed", `${after.current_pbi!.id} ${after.current_pbi!.title}`.trim()]);
  if (!isOnSameBranch && after.branch !== "") found.push(["branch_created", after.branch]);
  if (after.pr_num !== undefined && before.pr_num === undefined) found.push(["pr_created", `#${after.pr_num}`]);
  return found.map(([type, detail]) => ({ type, timestamp, project: after.name, dir: after.dir, detail }));
}

function isAllDone({ tasks }: ProjectSnapshot): boolean {
  return tasks.total > 0 && tasks.done === tasks.total;
}
