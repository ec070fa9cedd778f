import { expect, it } from "vitest";
import type { TaskList } from "../../status/tasks/task-list.ts";
import { taskLines, type TreeFacts } from "./task-tree.ts";

const LIST: TaskList = {
  groups: [
    {
      id: "A",
      title: "Zoo",
      status: "Done",
      tasks: [{ id: "1", title: "gate", status: "Done" }],
    },
    {
      id: "B",
      title: "Ark",
      status: "In Arbeit",
      tasks: [
        { id: "2", title: "wood", status: "Done" },
        { id: "3", title: "nails", status: "In Arbeit" },
      ],
    },
  ],
};

const FACTS: TreeFacts = {
  filter: "all",
  sort: "source",
  isReversed: false,
  folded: new Set(),
  statusMap: { "In Arbeit": "active" },
  current: "B",
};

const shown = (facts: Partial<TreeFacts>, list = LIST): string =>
  taskLines(list, { ...FACTS, ...facts })
    .map((line) => (line.kind === "group" ? `${line.isCurrent ? ">" : ""}${line.group.id}:${line.done}` : line.task.id))
    .join(" ");

it.each<[string, Partial<TreeFacts>, string]>([
  ["as the provider tells them", {}, "A:1 1 >B:1 2 3"],
  ["what is active", { filter: "active" }, ">B:1 3"],
  ["what is not done", { filter: "incomplete" }, ">B:1 3"],
  ["by name", { sort: "name" }, ">B:1 3 2 A:1 1"],
  ["by status: active first, done last", { sort: "status" }, ">B:1 3 2 A:1 1"],
  ["by progress: most done first", { sort: "progress" }, "A:1 1 >B:1 2 3"],
  ["reversed", { sort: "progress", isReversed: true }, ">B:1 3 2 A:1 1"],
  ["folded", { folded: new Set(["B"]) }, "A:1 1 >B:1"],
])("%s", (_, facts, expected) => {
  expect(shown(facts)).toBe(expected);
});

it("a list without groups has no headings, and nothing to fold", () => {
  const list = { groups: [{ id: "", title: "", tasks: [{ id: "x", title: "alone", status: "open" }] }] };
  expect(shown({ folded: new Set(["#0"]) }, list)).toBe("x");
});
