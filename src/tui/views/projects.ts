/** Projects: the directories sessions work in, what each works on, and what has happened lately. */
import { ProjectLog } from "../../status/projects/project-log.ts";
import { resolveCurrentPbi, type CurrentPbi } from "../../status/tasks/current-pbi.ts";
import { findTaskConfig } from "../../status/tasks/task-config.ts";
import { categoryOf, type TaskList } from "../../status/tasks/task-list.ts";
import { TaskService } from "../../status/tasks/task-service.ts";
import { readGitInfo, type GitInfo } from "../../status/git-info.ts";
import { age, homely } from "../dashboard/figures.ts";
import { urgency } from "../../core/state.ts";
import type { Row } from "../data/row.ts";
import { statusLook, THEME } from "../theme.ts";
import type { Stage } from "../view.ts";
import { TextView, type TextLine } from "./text-view.ts";

export function projectsView(stage: Stage): TextView {
  return new TextView(stage, { title: "Projects", load: () => projectLines(stage) });
}

async function projectLines(stage: Stage): Promise<TextLine[]> {
  const byDirectory = new Map<string, Row[]>();
  for (const row of stage.board.rows()) {
    if (row.cwd === "" || (row.kind !== "live" && row.kind !== "tmux")) continue;
    byDirectory.set(row.cwd, [...(byDirectory.get(row.cwd) ?? []), row]);
  }
  if (byDirectory.size === 0) return [{ text: "No session is running.", look: THEME.dim }];
  const service = new TaskService(stage.services.env);
  const projects = await Promise.all([...byDirectory].map(([cwd, rows]) => projectOf(stage, service, cwd, rows)));
  return [...projects.flat(), ...eventLines(stage)];
}

/** What happened in the last day, newest first, as the daemon and `amux projects` have recorded it. */
function eventLines(stage: Stage): TextLine[] {
  const now = Date.now();
  const events = new ProjectLog(stage.services.places.home).events(now / 1000).toReversed();
  if (events.length === 0) return [];
  return [
    { text: "The last day", look: THEME.accentBold },
    ...events.map(({ timestamp, project, type, detail }) => ({
      text: `${age(timestamp * 1000, now).padStart(4)}  ${project}  ${type.replaceAll("_", " ")}  ${detail}`,
      indent: 2,
    })),
  ];
}

async function projectOf(stage: Stage, service: TaskService, cwd: string, rows: readonly Row[]): Promise<TextLine[]> {
  const { env } = stage.services;
  const config = findTaskConfig(env, cwd);
  const [git, answer] = await Promise.all([readGitInfo(cwd), config === undefined ? undefined : service.tasks(config)]);
  const list = answer !== undefined && "list" in answer ? answer.list : undefined;
  const current = resolveCurrentPbi({
    list,
    sessions: rows.flatMap(({ view }) =>
      view?.currentPbi === undefined
        ? []
        : [{ pbi: view.currentPbi, title: view.currentPbiTitle ?? "", timestamp: view.updatedMs }],
    ),
    branch: git?.branch ?? "",
    branchPatterns: config?.branchPatterns ?? [],
  });
  const best = rows.reduce((most, row) => (urgency(row.status) < urgency(most.status) ? row : most));
  const newest = Math.max(...rows.map(({ updatedMs }) => updatedMs));
  return [
    {
      text: `${statusLook(best.status).icon} ${homely(cwd, env.home)}  ${rows.length} sessions  ${age(newest, Date.now())}`,
      look: THEME.accentBold,
    },
    ...(git === undefined ? [] : [{ text: gitText(git), indent: 2, look: THEME.good }]),
    ...(current === undefined ? [] : [{ text: pbiText(current, list, config?.statusMap ?? {}), indent: 2 }]),
    ...(answer !== undefined && "error" in answer ? [{ text: answer.error.message, indent: 2, look: THEME.bad }] : []),
    ...rows.map((row) => ({
      text: `${statusLook(row.status).icon} ${row.name}${row.message === "" ? "" : `  ${row.message}`}`,
      look: statusLook(row.status).look,
      indent: 4,
    })),
    { text: "" },
  ];
}

function gitText({ branch, dirty, ahead, behind, lastCommit }: GitInfo): string {
  const marks = [dirty ? "changed" : "clean", ahead > 0 ? `${ahead} ahead` : "", behind > 0 ? `${behind} behind` : ""];
  return `${branch}  ${marks.filter((mark) => mark !== "").join(", ")}  ${lastCommit}`;
}

function pbiText(
  { id, title }: CurrentPbi,
  list: TaskList | undefined,
  statusMap: Readonly<Record<string, string>>,
): string {
  const tasks = list?.groups.find((group) => group.id === id)?.tasks ?? [];
  const done = tasks.filter(({ status }) => categoryOf(status, statusMap) === "done").length;
  return `▶ ${id} ${title}${tasks.length === 0 ? "" : `  ${done}/${tasks.length} done`}`;
}
