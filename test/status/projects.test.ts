/** `amux projects` in a real repository, with a real provider and a session known by its status file. */
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { runJson } from "../support/run-cli.ts";
import { tempHome } from "../support/temp-home.ts";

interface Answer {
  projects: { dir: string; branch: string; status: string; session_count: number; current_pbi?: { source: string } }[];
  events: { type: string; detail: string }[];
}

it("tells how projects stand and what has happened since the last look", async () => {
  const home = tempHome();
  const project = join(home.path, "shop");
  mkdirSync(join(project, ".agent-mux"), { recursive: true });
  const git = (...args: string[]): string =>
    execFileSync("git", ["-C", project, "-c", "user.name=a", "-c", "user.email=a@b", ...args], { encoding: "utf8" });
  git("init", "-q", "-b", "main");
  git("commit", "-q", "--allow-empty", "-m", "Begin");
  const provider = (status: string): void => {
    const tasks = [{ id: "1-1", title: "Form", status }];
    const list = { groups: [{ id: "PBI-1", title: "Login", status: "InProgress", tasks }] };
    writeFileSync(join(project, "tasks.sh"), `#!/bin/sh\ncat <<'END'\n${JSON.stringify(list)}\nEND\n`, { mode: 0o755 });
  };
  provider("InProgress");
  writeFileSync(join(project, ".agent-mux/tasks.json"), '{"provider":"./tasks.sh"}');
  const file = (status: string): string =>
    home.write(
      ".claude-sessions/shop.json",
      JSON.stringify({ tmux_session: "shop", status, cwd: project, timestamp: Math.floor(Date.now() / 1000) }),
    );
  file("working");
  const first = await runJson<Answer>(["projects"], { home: home.path });
  expect(first.projects).toMatchObject([
    { dir: project, branch: "main", status: "working", session_count: 1, current_pbi: { source: "status_heuristic" } },
  ]);
  expect(first.events).toEqual([]);
  git("commit", "-q", "--allow-empty", "-m", "Add the form");
  provider("Done");
  file("permission");
  const second = await runJson<Answer>(["projects"], { home: home.path });
  expect(second.events.map(({ type }) => type)).toEqual([
    "commit",
    "task_completed",
    "session_status_change",
    "pbi_completed",
  ]);
  expect(second.events[0]!.detail).toMatch(/^[0-9a-f]{7,} Add the form$/);
  const kept = readFileSync(join(home.path, ".agent-mux/pm/events.jsonl"), "utf8");
  writeFileSync(join(home.path, ".agent-mux/pm/events.jsonl"), kept.replaceAll(/"timestamp":\d+/g, '"timestamp":1000'));
  expect((await runJson<Answer>(["projects"], { home: home.path })).events).toEqual([]);
});
