/** The tasks of a session's project, from its task provider, and which of them it works on. */
import { AgentMuxError } from "../../core/errors.ts";
import { resolveCurrentPbi } from "../../status/tasks/current-pbi.ts";
import { findTaskConfig } from "../../status/tasks/task-config.ts";
import { categoryOf, type TaskCategory, type TaskGroup } from "../../status/tasks/task-list.ts";
import { TaskService } from "../../status/tasks/task-service.ts";
import type { Row } from "../data/row.ts";
import { THEME } from "../theme.ts";
import type { Stage } from "../view.ts";
import { TextView, type TextLine } from "../views/text-view.ts";

const MARKS: Readonly<Record<TaskCategory, { mark: string; look: typeof THEME.good }>> = {
  done: { mark: "✓", look: THEME.good },
  active: { mark: "●", look: THEME.accentBold },
  review: { mark: "◆", look: THEME.warn },
  blocked: { mark: "✗", look: THEME.bad },
  todo: { mark: "○", look: THEME.text },
  other: { mark: "·", look: THEME.dim },
};

const FILTERS = ["all", "active", "incomplete"] as const;
const SORTS = ["source", "status", "name"] as const;

/** `f` changes what is shown, `s` the order, `r` asks again. */
export function taskView(stage: Stage, row: Row): TextView {
  let service = new TaskService(stage.services.env);
  let filter: (typeof FILTERS)[number] = "all";
  let sort: (typeof SORTS)[number] = "source";
  const view: TextView = new TextView(stage, {
    title: `tasks · ${row.name}`,
    load: () => taskLines(stage, row, service, filter, sort),
    keys: {
      f: {
        does: "all/active/incomplete",
        run: () => {
          filter = FILTERS[(FILTERS.indexOf(filter) + 1) % FILTERS.length] ?? "all";
          void view.load();
        },
      },
      s: {
        does: "sort",
        run: () => {
          sort = SORTS[(SORTS.indexOf(sort) + 1) % SORTS.length] ?? "source";
          void view.load();
        },
      },
      r: {
        does: "ask again",
        run: () => {
          service = new TaskService(stage.services.env);
          void view.load();
        },
      },
    },
  });
  return view;
}

async function taskLines(
  stage: Stage,
  { cwd, view }: Row,
  service: TaskService,
  filter: (typeof FILTERS)[number],
  sort: (typeof SORTS)[number],
): Promise<TextLine[]> {
  const config = findTaskConfig(stage.services.env, cwd);
  if (config === undefined) {
    return [
      { text: `No task provider is set for ${cwd}.`, look: THEME.dim },
      {
        text: 'Write {"provider": "markdown-tasks"} into .agent-mux/tasks.json of the project. See amux tasks --help.',
        look: THEME.dim,
      },
    ];
  }
  const answer = await service.tasks(config);
  if ("error" in answer) throw new AgentMuxError("INTERNAL", answer.error.message, { cause: answer.error });
  const current = resolveCurrentPbi({
    list: answer.list,
    sessions: [{ pbi: view?.currentPbi ?? "", title: view?.currentPbiTitle ?? "", timestamp: view?.updatedMs ?? 0 }],
    branch: stage.board.gitOf(cwd)?.branch ?? "",
    branchPatterns: config.branchPatterns,
  });
  const head: TextLine[] =
    current === undefined
      ? []
      : [{ text: `works on ${current.id} ${current.title} (${current.source})`, look: THEME.accentBold }, { text: "" }];
  return [
    ...head,
    ...answer.list.groups.flatMap((group) => groupLines(group, current?.id, config.statusMap, filter, sort)),
  ];
}

function groupLines(
  group: TaskGroup,
  current: string | undefined,
  statusMap: Readonly<Record<string, string>>,
  filter: string,
  sort: string,
): TextLine[] {
  const category = (status: string): TaskCategory => categoryOf(status, statusMap);
  const tasks = group.tasks
    .filter(
      ({ status }) =>
        filter === "all" || (filter === "active" ? category(status) === "active" : category(status) !== "done"),
    )
    .toSorted((a, b) =>
      sort === "name"
        ? a.title.localeCompare(b.title)
        : sort === "status"
          ? category(a.status).localeCompare(category(b.status))
          : 0,
    );
  const done = group.tasks.filter(({ status }) => category(status) === "done").length;
  const title = [group.id, group.title].filter((part) => part !== "").join(" ");
  return [
    ...(title === ""
      ? []
      : [
          {
            text: `${group.id === current ? "▶ " : ""}${title}  ${done}/${group.tasks.length}${group.status === undefined ? "" : `  ${group.status}`}`,
            look: group.id === current ? THEME.accentBold : THEME.bold,
          },
        ]),
    ...tasks.map(({ id, title: name, status, assignee }) => {
      const { mark, look } = MARKS[category(status)];
      return {
        text: `${mark} ${id.padEnd(8)} ${name}${assignee === undefined ? "" : ` @${assignee}`}  ${status}`,
        look,
        indent: 2,
      };
    }),
    { text: "" },
  ];
}
