import { expect, it } from "vitest";
import { eventsBetween } from "./project-events.ts";
import type { ProjectSnapshot } from "./project-snapshot.ts";

const BEFORE: ProjectSnapshot = {
  name: "shop",
  dir: "/w/shop",
  head_sha: "a".repeat(40),
  branch: "main",
  commits_ahead: 0,
  dirty: false,
  current_pbi: { id: "PBI-1", title: "Login", source: "provider_hint" },
  tasks: { done: 1, in_progress: 0, total: 3 },
  status: "working",
  last_activity: 0,
  session_count: 1,
};

const types = (after: Partial<ProjectSnapshot>, commits: string[] = []): string[] =>
  eventsBetween(BEFORE, { ...BEFORE, ...after }, commits, 9).map(({ type, detail }) => `${type}: ${detail}`);

it("the first look reports nothing, nor does one without changes", () => {
  expect(eventsBetween(undefined, BEFORE, [], 9)).toEqual([]);
  expect(types({})).toEqual([]);
});

it.each<[string, Partial<ProjectSnapshot>, string[]]>([
  ["a commit", { head_sha: "b".repeat(40) }, ["commit: bbbbbbb Add form"]],
  ["a task that was done", { tasks: { done: 2, in_progress: 0, total: 3 } }, ["task_completed: 1 more, 2 of 3"]],
  ["one that was begun", { tasks: { done: 1, in_progress: 1, total: 3 } }, ["task_started: 1 more, 1 in progress"]],
  [
    "the last one of what is worked on",
    { tasks: { done: 3, in_progress: 0, total: 3 } },
    ["task_completed: 2 more, 3 of 3", "pbi_completed: PBI-1 Login"],
  ],
  ["another status", { status: "permission" }, ["session_status_change: working → permission"]],
  ["another branch, which is no commit", { branch: "x", head_sha: "c".repeat(40) }, ["branch_created: x"]],
  ["a pull request", { pr_num: 42 }, ["pr_created: #42"]],
])("%s", (_, after, expected) => {
  expect(types(after, after.head_sha?.startsWith("b") === true ? ["bbbbbbb Add form"] : [])).toEqual(expected);
});
