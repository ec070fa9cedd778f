import { describe, expect, it } from "vitest";
import { resolveCurrentPbi, type PbiFacts } from "./current-pbi.ts";
import { categoryOf, readTaskList, type TaskGroup } from "./task-list.ts";

const group = (id: string, title: string, more: Partial<TaskGroup> = {}): TaskGroup => ({
  id,
  title,
  tasks: [],
  ...more,
});

function resolve(facts: Partial<PbiFacts>, groups: TaskGroup[] = []): string {
  const found = resolveCurrentPbi({ sessions: [], branch: "", ...facts, list: { groups, ...facts.list } });
  return found === undefined ? "nothing" : `${found.id}|${found.title}|${found.source}`;
}

const GROUPS = [
  group("PBI-1", "One", { status: "Done" }),
  group("PBI-38", "PRs", { status: "Agreed" }),
  group("X-7", "Seven"),
];

describe("the current task of a project", () => {
  it("is what the provider says, with its title or the group's", () => {
    expect(resolve({ list: { current_pbi_id: "PBI-9", current_pbi_title: "Nine", groups: GROUPS } })).toBe(
      "PBI-9|Nine|provider_hint",
    );
    expect(resolve({ list: { current_pbi_id: "pbi-38", groups: GROUPS } })).toBe("pbi-38|PRs|provider_hint");
    expect(resolve({}, [group("", "", { is_current: true }), group("B", "b", { is_current: true })])).toBe(
      "B|b|provider_hint",
    );
  });

  it("is otherwise the newest session's in its directory", () => {
    const sessions = [
      { pbi: "PBI-1", title: "old", timestamp: 5 },
      { pbi: "PBI-38", title: "", timestamp: 9 },
      { pbi: "", title: "none", timestamp: 99 },
    ];
    expect(resolve({ sessions, branch: "pbi-1" }, GROUPS)).toBe("PBI-38|PRs|session_metadata");
  });

  it.each([
    ["feature/pbi-38", "PBI-38|PRs"],
    ["feature/pbi-38-login", "PBI-38|PRs"],
    ["pbi-38/x", "PBI-38|PRs"],
    ["7-fix", "X-7|Seven"],
    ["pbi-99", "PBI-99|"],
  ])("is otherwise named by the branch %s", (branch, expected) => {
    expect(resolve({ branch }, GROUPS)).toBe(`${expected}|branch_pattern`);
  });

  it.each(["feature/pbi-38x", "Feature/PBI-38", "fix/38", "38"])("is not named by the branch %s", (branch) => {
    expect(resolve({ branch }, GROUPS)).toBe("PBI-38|PRs|status_heuristic");
  });

  it("follows the user's patterns, of which broken ones are skipped", () => {
    const branchPatterns = ["(", "two-(a)-(b)", "none", "^task/(\\d+)"];
    expect(resolve({ branch: "task/38", branchPatterns }, GROUPS)).toBe("PBI-38|PRs|branch_pattern");
  });

  it("is a number alone when no id shows the format", () => {
    expect(resolve({ branch: "pbi-5" })).toBe("5||branch_pattern");
    expect(resolve({ branch: "pbi-5" }, [group("5", "Five")])).toBe("5|Five|branch_pattern");
  });

  it("is otherwise the first group in the best state", () => {
    const states = ["Done", "Proposed", "In Review", "agreed", "in_progress"];
    const groups = states.map((status) => group(status, "", { status }));
    for (let left = states.length; left > 0; left--) {
      expect(resolve({}, groups.slice(0, left))).toBe(`${states[left - 1]}||status_heuristic`);
    }
  });

  it("is otherwise the first group, or nothing", () => {
    expect(resolve({}, [group("A", "a"), group("B", "b")])).toBe("A|a|first_group_fallback");
    expect(resolve({})).toBe("nothing");
    expect(resolveCurrentPbi({ list: undefined, sessions: [], branch: "" })).toBeUndefined();
  });
});

describe("a provider's answer", () => {
  it("is read in every field of the documented example", () => {
    const example = {
      current_pbi_id: "PBI-38",
      current_pbi_title: "Enhanced GitHub PR Integration",
      groups: [
        {
          id: "PBI-38",
          title: "Enhanced GitHub PR Integration",
          status: "InProgress",
          is_current: true,
          url: "https://github.com/org/repo/milestone/1",
          tasks: [
            {
              id: "38-1",
              title: "PR Detail Data Types",
              status: "Done",
              assignee: "alice",
              labels: ["feature"],
              priority: 1,
              url: "https://github.com/org/repo/issues/42",
              created: "2026-01-01T00:00:00Z",
              updated: "2026-01-02T00:00:00Z",
            },
          ],
        },
      ],
    };
    expect(readTaskList(example)).toEqual(example);
  });

  it("may be tasks without groups, numbered ids, or nonsense in places", () => {
    expect(readTaskList({ tasks: [{ id: 4, title: "a" }, 5] })).toEqual({
      groups: [{ id: "", title: "", tasks: [{ id: "4", title: "a", status: "" }] }],
    });
    expect(readTaskList({ groups: [{ id: 1, tasks: "x" }] })).toEqual({ groups: [{ id: "1", title: "", tasks: [] }] });
    expect([readTaskList([]), readTaskList({}), readTaskList("x"), readTaskList(null)]).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });
});

it.each([
  ["Done", "done"],
  ["closed", "done"],
  ["In Progress", "active"],
  ["in_progress", "active"],
  ["InReview", "review"],
  ["Agreed", "todo"],
  ["Blocked", "blocked"],
  ["whatever", "other"],
])("%s counts as %s", (status, category) => {
  expect(categoryOf(status)).toBe(category);
});

it("a status map translates a tracker's words", () => {
  expect(categoryOf("In Arbeit", { "In Arbeit": "active" })).toBe("active");
});
