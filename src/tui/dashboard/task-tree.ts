/** A project's tasks as lines of a tree, with expanded groups, filter and sorting. Plain data. */
import {
  categoryOf,
  type Task,
  type TaskCategory,
  type TaskGroup,
  type TaskList,
} from "../../status/tasks/task-list.ts";

export const TASK_FILTERS = ["all", "active", "incomplete"] as const;
export const TASK_SORTS = ["source", "status", "name", "progress"] as const;

export interface TaskOrder {
  filter: (typeof TASK_FILTERS)[number];
  sort: (typeof TASK_SORTS)[number];
  isReversed: boolean;
}

export type TaskLine =
  | { kind: "group"; key: string; group: TaskGroup; done: number; isFolded: boolean; isCurrent: boolean }
  | { kind: "task"; key: string; group: string; task: Task; category: TaskCategory };

export interface TreeFacts extends TaskOrder {
  /** Keys of collapsed groups. */
  folded: ReadonlySet<string>;
  current?: string;
  statusMap: Readonly<Record<string, string>>;
}

/** The order of categories: active tasks first. */
const CATEGORIES: readonly TaskCategory[] = ["active", "review", "blocked", "todo", "other", "done"];

export function taskLines({ groups }: TaskList, facts: TreeFacts): TaskLine[] {
  const { filter, sort, isReversed, folded, current, statusMap } = facts;
  const category = ({ status }: { status: string }): TaskCategory => categoryOf(status, statusMap);
  const rank = (status: string): number => CATEGORIES.indexOf(category({ status }));
  const done = ({ tasks }: TaskGroup): number => tasks.filter((task) => category(task) === "done").length;
  const isShown = (task: Task): boolean =>
    filter === "all" || (filter === "active" ? category(task) === "active" : category(task) !== "done");
  const byTask = (a: Task, b: Task): number =>
    sort === "name" ? a.title.localeCompare(b.title) : sort === "status" ? rank(a.status) - rank(b.status) : 0;
  const byGroup = (a: TaskGroup, b: TaskGroup): number =>
    sort === "progress"
      ? share(b, done) - share(a, done)
      : sort === "name"
        ? a.title.localeCompare(b.title)
        : sort === "status"
          ? rank(a.status ?? "") - rank(b.status ?? "")
          : 0;
  const ordered = <T>(values: readonly T[], by: (a: T, b: T) => number): T[] =>
    isReversed ? values.toSorted(by).toReversed() : values.toSorted(by);
  return ordered(
    groups.map((group, at) => ({ group, key: keyOf(group, at) })),
    (a, b) => byGroup(a.group, b.group),
  ).flatMap(({ group, key }): TaskLine[] => {
    const tasks = ordered(group.tasks.filter(isShown), byTask);
    const isNamed = group.id !== "" || group.title !== "";
    if (tasks.length === 0 && filter !== "all") return [];
    const isFolded = isNamed && folded.has(key);
    return [
      ...(isNamed
        ? [
            {
              kind: "group" as const,
              key,
              group,
              done: done(group),
              isFolded,
              isCurrent: group.id !== "" && group.id === current,
            },
          ]
        : []),
      ...(isFolded
        ? []
        : tasks.map((task, at) => ({
            kind: "task" as const,
            key: `${key}/${task.id || at}`,
            group: key,
            task,
            category: category(task),
          }))),
    ];
  });
}

/** Providers may leave ids out. */
export function keyOf({ id }: TaskGroup, at: number): string {
  return id === "" ? `#${at}` : id;
}

function share(group: TaskGroup, done: (group: TaskGroup) => number): number {
  return group.tasks.length === 0 ? 0 : done(group) / group.tasks.length;
}
