import { execFileSync } from "node:child_process";
import { chmodSync, chownSync, existsSync, mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { PathEnv } from "../../src/lib/fs/paths.ts";
import { findTaskConfig, type TaskConfig } from "../../src/status/tasks/task-config.ts";
import { programsOf, TaskService } from "../../src/status/tasks/task-service.ts";
import { TrustFile } from "../../src/status/trust.ts";
import { needsRoot } from "../support/needs.ts";
import { tempHome, type TempHome } from "../support/temp-home.ts";
import { DEADLINE_MS } from "../support/deadline.ts";

const env = (home: string): PathEnv => ({ home, platform: "linux", vars: {} });

/** As in the user's own settings, so that no trust is needed. */
const config = (home: TempHome, provider: string, more: Partial<TaskConfig> = {}): TaskConfig => ({
  provider: provider.startsWith("./") ? join(home.path, provider) : provider,
  isProjects: false,
  args: {},
  intervalMs: 60_000,
  statusMap: {},
  branchPatterns: [],
  projectDirectory: home.path,
  ...more,
});

function script(home: TempHome, name: string, body: string): string {
  const path = home.write(name, `#!/bin/sh\n${body}\n`);
  chmodSync(path, 0o755);
  return path;
}

async function ask(
  home: TempHome,
  provider: string,
  more: Partial<TaskConfig> = {},
  timeoutMs?: number,
): Promise<string> {
  const answer = await new TaskService(env(home.path), timeoutMs === undefined ? {} : { timeoutMs }).tasks(
    config(home, provider, more),
  );
  return "error" in answer ? `${answer.error.kind}: ${answer.error.message}` : JSON.stringify(answer.list);
}

describe("a provider that is a program", () => {
  it("gets its arguments under both names, and the project as its directory", async () => {
    const home = tempHome();
    script(
      home,
      "bin/tasks",
      `printf '{"groups":[{"id":"%s","title":"%s"}]}' "$NAVI_TASK_ARG_MY_KEY$AMUX_TASK_ARG_MY_KEY" "$(pwd)"`,
    );
    expect(JSON.parse(await ask(home, "./bin/tasks", { args: { "my-key": "v" } }))).toEqual({
      groups: [{ id: "vv", title: home.path, tasks: [] }],
    });
  });

  it("fails with typed errors", async () => {
    const home = tempHome();
    script(home, "words", "echo hello");
    script(home, "empty", "echo '{}'");
    script(home, "fails", "echo 'no access' >&2; exit 3");
    home.write("plain", "not executable");
    expect(await ask(home, "./words")).toMatch(/^parse: .*words did not print JSON.*$/);
    expect(await ask(home, "./empty")).toMatch(/^parse: .*without groups or tasks/);
    expect(await ask(home, "./fails")).toMatch(/^exec: .*ended with 3: no access$/);
    expect(await ask(home, "./plain")).toMatch(/^exec: .*cannot be started \(EACCES\)/);
    expect(await ask(home, "./none")).toMatch(/^not_found: /);
  });

  it("that hangs, with children that ignore signals, is ended in time", async () => {
    const home = tempHome();
    script(home, "hangs", `trap '' TERM\nsleep 3600 & wait; sleep 3600`);
    const started = performance.now();
    expect(await ask(home, "./hangs", {}, 300)).toMatch(/^timeout: .*longer than 0\.3 s/);
    expect(performance.now() - started).toBeLessThan(DEADLINE_MS);
  });

  it("is asked once while its answer is fresh, even a failure", async () => {
    const home = tempHome();
    script(home, "counts", `echo x >> calls; printf '{"tasks":[{"id":"%s"}]}' "$(wc -l < calls)"`);
    script(home, "breaks", "echo x >> breaks.calls; exit 1");
    const service = new TaskService(env(home.path));
    const both = await Promise.all([service.tasks(config(home, "./counts")), service.tasks(config(home, "./counts"))]);
    expect(both[0]).toBe(both[1]);
    expect(await service.tasks(config(home, "./counts"))).toBe(both[0]);
    const failure = await service.tasks(config(home, "./breaks"));
    expect(await service.tasks(config(home, "./breaks"))).toBe(failure);
    const brief = config(home, "./counts", { intervalMs: 1, args: { a: "b" } });
    const first = await service.tasks(brief);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(await service.tasks(brief)).not.toBe(first);
  });

  it("is one of four at a time", async () => {
    const home = tempHome();
    // Each records how many run at the same time.
    script(home, "busy", `touch "run.$$"; ls | grep -c '^run\\.' >> seen; sleep 0.3; rm "run.$$"; echo '{"tasks":[]}'`);
    const service = new TaskService(env(home.path));
    await Promise.all(
      Array.from({ length: 10 }, (_, index) => service.tasks(config(home, "./busy", { args: { n: String(index) } }))),
    );
    const seen = readFileSync(join(home.path, "seen"), "utf8").trim().split("\n").map(Number);
    expect(seen).toHaveLength(10);
    expect(Math.max(...seen)).toBeLessThanOrEqual(4);
  });
});

describe("markdown-tasks", () => {
  const backlog = `# Backlog

| ID | User Story | Status |
| --- | --- | --- |
| 1 | As a user | Done |
| [2](./2/prd.md) | Pay \\| refund | InProgress |
| 3 | Later | Agreed |

text | with | bars
`;

  it("reads backlog, titles and tasks", async () => {
    const home = tempHome();
    home.write("docs/delivery/backlog.md", backlog);
    home.write("docs/delivery/2/prd.md", "\n# PBI-2: Payments\n\nmore");
    home.write(
      "docs/delivery/2/tasks.md",
      "| Task ID | Name | Status |\n|---|:---:|---|\n| 2-1 | [Types](./2-1.md) | Done |\r\n| 2-2 | `Code` | InProgress |\n",
    );
    expect(JSON.parse(await ask(home, "markdown-tasks"))).toEqual({
      current_pbi_id: "PBI-2",
      current_pbi_title: "Payments",
      groups: [
        { id: "PBI-1", title: "As a user", status: "Done", tasks: [] },
        {
          id: "PBI-2",
          title: "Payments",
          status: "InProgress",
          is_current: true,
          tasks: [
            { id: "2-1", title: "Types", status: "Done" },
            { id: "2-2", title: "Code", status: "InProgress" },
          ],
        },
        { id: "PBI-3", title: "Later", status: "Agreed", tasks: [] },
      ],
    });
  });

  it("reads a list of check boxes, by the headings above them", async () => {
    const home = tempHome();
    const list = "- [ ] Add health route\n\n## Later\n\n* [x] **Pay** by [card](./card.md)\r\n  - [ ] Refund\n";
    home.write("docs/delivery/backlog.md", list);
    expect(JSON.parse(await ask(home, "markdown-tasks"))).toEqual({
      groups: [
        { id: "", title: "", tasks: [{ id: "1", title: "Add health route", status: "Open" }] },
        {
          id: "",
          title: "Later",
          tasks: [
            { id: "2", title: "Pay by card", status: "Done" },
            { id: "3", title: "Refund", status: "Open" },
          ],
        },
      ],
    });
  });

  it("takes a path and a filter", async () => {
    const home = tempHome();
    home.write("plan/backlog.md", backlog);
    const list = JSON.parse(
      await ask(home, "markdown-tasks", { args: { path: "plan", status_filter: "agreed, done" } }),
    ) as { groups: { id: string }[]; current_pbi_id: string };
    expect([list.current_pbi_id, ...list.groups.map(({ id }) => id)]).toEqual(["PBI-3", "PBI-1", "PBI-3"]);
  });

  it("says where it looked in vain, and for what", async () => {
    const home = tempHome();
    const directory = join(home.path, "docs/delivery");
    const format =
      "It holds a Markdown table with the columns ID, User Story and Status, or a list with - [ ] before each task.";
    expect(await ask(home, "markdown-tasks")).toBe(`not_found: There is no backlog.md in ${directory}. ${format}`);
    home.write("docs/delivery/backlog.md", "- Add health route\n");
    expect(await ask(home, "markdown-tasks")).toBe(`parse: ${directory}/backlog.md has no tasks. ${format}`);
  });
});

describe("github-issues", () => {
  it("groups issues by milestone", async () => {
    const home = tempHome();
    const issues = [
      {
        number: 3,
        title: "Loose",
        state: "OPEN",
        assignees: [],
        labels: [],
        milestone: null,
        url: "u3",
        createdAt: "c",
        updatedAt: "u",
      },
      {
        number: 1,
        title: "First",
        state: "CLOSED",
        assignees: [{ login: "alice" }],
        labels: [{ name: "bug" }],
        milestone: { number: 7, title: "v1" },
        url: "u1",
      },
    ];
    script(home, "bin/gh", `echo "$@" > args; cat <<'END'\n${JSON.stringify(issues)}\nEND`);
    const path = process.env["PATH"];
    process.env["PATH"] = `${join(home.path, "bin")}:${path}`;
    try {
      expect(JSON.parse(await ask(home, "github-issues", { args: { repo: "a/b", limit: "5" } }))).toEqual({
        groups: [
          {
            id: "7",
            title: "v1",
            tasks: [{ id: "1", title: "First", status: "closed", assignee: "alice", labels: ["bug"], url: "u1" }],
          },
          {
            id: "Ungrouped",
            title: "Ungrouped",
            tasks: [{ id: "3", title: "Loose", status: "open", labels: [], url: "u3", created: "c", updated: "u" }],
          },
        ],
      });
    } finally {
      process.env["PATH"] = path;
    }
  });
});

describe("github-issues of a project that is not trusted", () => {
  it.each(["evil.example/a/b", "https://evil.example/a/b", "--web", "a/b --web", "a"])(
    "asks no other host and gets no option: %s",
    async (repo) => {
      const home = tempHome();
      script(home, "bin/gh", "echo asked > asked; echo '[]'");
      const path = process.env["PATH"];
      process.env["PATH"] = `${join(home.path, "bin")}:${path}`;
      try {
        expect(await ask(home, "github-issues", { args: { repo } })).toContain("repo is not owner/name");
        expect(existsSync(join(home.path, "asked"))).toBe(false);
      } finally {
        process.env["PATH"] = path;
      }
    },
  );
});

describe("the task provider", () => {
  it("is the nearest project's, completed from the user's own settings", () => {
    const home = tempHome();
    home.write("work/shop/.navi.yaml", "tasks:\n  provider: markdown-tasks\n  args:\n    path: plan\n");
    home.write(
      ".navi/config.yaml",
      "tasks:\n  default_provider: github-issues\n  interval: 5m\n  status_map:\n    Doing: active\n",
    );
    expect(findTaskConfig(env(home.path), join(home.path, "work/shop/src/deep"))).toEqual({
      provider: "markdown-tasks",
      isProjects: true,
      args: { path: "plan" },
      intervalMs: 300_000,
      statusMap: { Doing: "active" },
      branchPatterns: [],
      projectDirectory: join(home.path, "work/shop"),
      projectFile: join(home.path, "work/shop/.navi.yaml"),
    });
    expect(findTaskConfig(env(home.path), join(home.path, "work"))).toMatchObject({
      provider: "github-issues",
      projectDirectory: join(home.path, "work"),
    });
  });

  it("is named in our own file first", () => {
    const home = tempHome();
    home.write("p/.agent-mux/tasks.json", '{"provider":"./x","interval":"1h30m","branch_patterns":["^t/(\\\\d+)"]}');
    home.write("p/.navi.yaml", "tasks:\n  provider: markdown-tasks\n");
    expect(findTaskConfig(env(home.path), join(home.path, "p"))).toMatchObject({
      provider: "./x",
      intervalMs: 5_400_000,
      branchPatterns: ["^t/(\\d+)"],
    });
  });

  it("is missing, or a clear error", () => {
    const home = tempHome();
    expect(findTaskConfig(env(home.path), home.path)).toBeUndefined();
    home.write(".navi.yaml", "tasks:\n\tprovider: x\n");
    expect(() => findTaskConfig(env(home.path), home.path)).toThrow(
      /\.navi\.yaml is malformed: line 2: Tabs are not allowed/,
    );
  });
});

it("is known to be the user's choice or the project's own", () => {
  const home = tempHome();
  home.write("shop/.agent-mux/tasks.json", '{"provider":"./steal.sh"}');
  home.write("mine/README.md", "");
  const found = (settings: string, directory: string): boolean => {
    home.write(".agent-mux/tasks.json", settings);
    return programsOf(findTaskConfig(env(home.path), join(home.path, directory))!, env(home.path)) === undefined;
  };
  expect(found('{"default_provider":"/opt/tasks"}', "mine")).toBe(true);
  expect(found('{"default_provider":"~/bin/tasks"}', "mine")).toBe(true);
  expect(found('{"default_provider":"markdown-tasks"}', "mine")).toBe(true);
  // Named by the user's settings, but a file of the project.
  expect(found('{"default_provider":"scripts/tasks"}', "mine")).toBe(false);
  expect(found('{"default_provider":"/opt/tasks"}', "shop")).toBe(false);
  home.write("shop/.agent-mux/tasks.json", '{"provider":"github-issues"}');
  expect(found("{}", "shop")).toBe(true);
});

describe("a project's own program", () => {
  const shop = (home: TempHome): string => {
    home.write("shop/.agent-mux/tasks.json", '{"provider":"./tasks.sh"}');
    script(home, "shop/tasks.sh", `touch ran; echo '{"tasks":[{"id":"1"}]}'`);
    return join(home.path, "shop");
  };
  const asked = async (home: TempHome, directory: string): Promise<string> => {
    const answer = await new TaskService(env(home.path)).tasks(findTaskConfig(env(home.path), directory)!);
    return "error" in answer ? `${answer.error.kind}: ${answer.error.message}` : JSON.stringify(answer.list);
  };
  const trust = (home: TempHome, directory: string): void => {
    const programs = programsOf(findTaskConfig(env(home.path), directory)!, env(home.path))!;
    new TrustFile(join(home.path, ".agent-mux")).trust(programs, new Date());
  };

  it("does not run before the user trusts the project, and the error says how", async () => {
    const home = tempHome();
    const directory = shop(home);
    expect(await asked(home, directory)).toBe(
      `untrusted: The tasks of ${directory} come from a program of the project, ./tasks.sh. See what it does, then: amux trust ${directory}`,
    );
    expect(existsSync(join(directory, "ran"))).toBe(false);
    trust(home, directory);
    expect(await asked(home, directory)).toContain('"id":"1"');
    expect(existsSync(join(directory, "ran"))).toBe(true);
  });

  it("loses the trust when it, or the file that names it, changes", async () => {
    const home = tempHome();
    const directory = shop(home);
    trust(home, directory);
    script(home, "shop/tasks.sh", "echo other");
    expect(await asked(home, directory)).toMatch(/^untrusted: .*It has changed since you trusted it\./);
    trust(home, directory);
    expect(await asked(home, directory)).toMatch(/^parse: /);
    home.write("shop/.agent-mux/tasks.json", '{"provider":"./tasks.sh","args":{"a":"b"}}');
    expect(await asked(home, directory)).toMatch(/^untrusted: /);
  });

  it("is not searched above the repository or in directories others can write", () => {
    const home = tempHome();
    const directory = shop(home);
    mkdirSync(join(directory, "inner/.git"), { recursive: true });
    expect(findTaskConfig(env(home.path), join(directory, "inner"))).toBeUndefined();
    expect(findTaskConfig(env(home.path), directory)).toBeDefined();
    chmodSync(join(directory, ".agent-mux/tasks.json"), 0o666);
    expect(findTaskConfig(env(home.path), directory)).toBeUndefined();
    chmodSync(join(directory, ".agent-mux/tasks.json"), 0o600);
    chmodSync(directory, 0o777);
    expect(findTaskConfig(env(home.path), directory)).toBeUndefined();
    // Outside of the home and of any repository only the directory itself counts.
    const elsewhere: PathEnv = { home: join(home.path, "home"), platform: "linux", vars: {} };
    chmodSync(directory, 0o755);
    mkdirSync(join(directory, "sub"));
    expect(findTaskConfig(elsewhere, join(directory, "sub"))).toBeUndefined();
    expect(findTaskConfig(elsewhere, directory)).toBeDefined();
  });

  it("is not searched in files of another user", needsRoot, () => {
    const home = tempHome();
    const directory = shop(home);
    chownSync(join(directory, ".agent-mux/tasks.json"), 1001, 1001);
    expect(findTaskConfig(env(home.path), directory)).toBeUndefined();
  });
});

describe("project files that are not regular files", () => {
  it("neither hang nor fill memory", async () => {
    const home = tempHome();
    mkdirSync(join(home.path, "p/.agent-mux"), { recursive: true });
    execFileSync("mkfifo", [join(home.path, "p/.agent-mux/tasks.json")]);
    expect(() => findTaskConfig(env(home.path), join(home.path, "p"))).toThrow(
      /tasks\.json cannot be read \(NOT_A_FILE\)/,
    );
    mkdirSync(join(home.path, "docs/delivery"), { recursive: true });
    symlinkSync("/dev/zero", join(home.path, "docs/delivery/backlog.md"));
    expect(await ask(home, "markdown-tasks")).toMatch(/^exec: .*backlog\.md cannot be read \(NOT_A_FILE\)/);
  });
});
