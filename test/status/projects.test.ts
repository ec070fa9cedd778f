/** Project changes in `amux projects` and the daemon: real repositories, real providers. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { SessionDetails } from "../../src/protocol/daemon-api.ts";
import { ProjectLog } from "../../src/status/projects/project-log.ts";
import { AgentMachine } from "../daemon/support/agent-machine.ts";
import { waitFor } from "../support/wait-for.ts";
import { warmJson } from "../support/warm-cli.ts";
import { tempHome } from "../support/temp-home.ts";

interface Answer {
  projects: { dir: string; branch: string; status: string; session_count: number; current_pbi?: { source: string } }[];
  events: { type: string; detail: string }[];
}

function gitIn(project: string): (...args: string[]) => string {
  return (...args) =>
    execFileSync("git", ["-C", project, "-c", "user.name=a", "-c", "user.email=a@b", ...args], { encoding: "utf8" });
}

it("shows the state of projects and their events since the last look", async () => {
  const home = tempHome();
  const project = join(home.path, "shop");
  mkdirSync(join(project, ".agent-mux"), { recursive: true });
  const git = gitIn(project);
  git("init", "-q", "-b", "main");
  git("commit", "-q", "--allow-empty", "-m", "Begin");
  const provider = (status: string): void => {
    const tasks = [{ id: "1-1", title: "Form", status }];
    const list = { groups: [{ id: "PBI-1", title: "Login", status: "InProgress", tasks }] };
    writeFileSync(join(project, "list.json"), JSON.stringify(list));
  };
  writeFileSync(join(project, "tasks.sh"), "#!/bin/sh\ntouch ran\ncat list.json\n", { mode: 0o755 });
  provider("InProgress");
  writeFileSync(join(project, ".agent-mux/tasks.json"), '{"provider":"./tasks.sh"}');
  const file = (status: string): string =>
    home.write(
      ".claude-sessions/shop.json",
      JSON.stringify({ tmux_session: "shop", status, cwd: project, timestamp: Math.floor(Date.now() / 1000) }),
    );
  file("working");
  const { projects: untrusted } = await warmJson<Answer>(["projects"], { home: home.path });
  expect(untrusted).toMatchObject([{ dir: project, untrusted: "./tasks.sh", tasks: { total: 0 } }]);
  expect(existsSync(join(project, "ran"))).toBe(false);
  expect(await warmJson(["trust", project], { home: home.path })).toMatchObject({ directory: project });
  const first = await warmJson<Answer>(["projects"], { home: home.path });
  expect(first.projects).toMatchObject([
    { dir: project, branch: "main", status: "working", session_count: 1, current_pbi: { source: "status_heuristic" } },
  ]);
  expect(first.events.map(({ type }) => type)).toEqual(["task_started"]);
  git("commit", "-q", "--allow-empty", "-m", "Add the form");
  provider("Done");
  file("permission");
  const second = await warmJson<Answer>(["projects"], { home: home.path });
  expect(second.events.map(({ type }) => type)).toEqual([
    "task_started",
    "commit",
    "task_completed",
    "session_status_change",
    "pbi_completed",
  ]);
  expect(second.events[1]!.detail).toMatch(/^[0-9a-f]{7,} Add the form$/);
  const kept = readFileSync(join(home.path, ".agent-mux/pm/events.jsonl"), "utf8");
  writeFileSync(join(home.path, ".agent-mux/pm/events.jsonl"), kept.replaceAll(/"timestamp":\d+/g, '"timestamp":1000'));
  expect((await warmJson<Answer>(["projects"], { home: home.path })).events).toEqual([]);
});

it("the daemon records events too, but starts no program of a project", async () => {
  const test = new AgentMachine();
  const project = test.project("shop");
  const git = gitIn(project);
  git("init", "-q", "-b", "main");
  git("commit", "-q", "--allow-empty", "-m", "Begin");
  git("remote", "add", "origin", "git@github.com:org/shop.git");
  mkdirSync(join(project, ".agent-mux"));
  writeFileSync(join(project, "tasks.sh"), `#!/bin/sh\ntouch "${test.root}/started"\n`, { mode: 0o755 });
  writeFileSync(join(project, ".agent-mux/tasks.json"), '{"provider":"./tasks.sh"}');
  writeFileSync(join(test.root, "bin/gh"), `#!/bin/sh\necho '{"number":42}'\n`, { mode: 0o755 });
  await test.start();
  const id = await test.agent(project);
  const log = new ProjectLog(test.home);
  await test.kill("SIGTERM");
  await test.start();
  const kept = await waitFor("the first look", () => Promise.resolve(log.snapshots().get(project)));
  expect(kept).toMatchObject({ branch: "main", session_count: 1, pr_num: 42 });
  git("commit", "-q", "--allow-empty", "-m", "Add the form");
  await test.kill("SIGTERM");
  await test.start();
  const [event] = await waitFor("an event", () => {
    const events = log.events(Math.floor(Date.now() / 1000)).filter(({ type }) => type === "commit");
    return Promise.resolve(events.length === 0 ? undefined : events);
  });
  expect(event).toMatchObject({ dir: project, detail: expect.stringMatching(/ Add the form$/) as string });
  expect(existsSync(join(test.root, "started"))).toBe(false);

  // Details do not wait for GitHub: a late answer is in the next details.
  const facts = await waitFor("the pull request", async () => {
    const { git: told } = await test.data<SessionDetails>("GET", `/v1/sessions/${id}/details`);
    return told?.pr_num === undefined ? undefined : told;
  });
  expect(facts).toMatchObject({ branch: "main", pr_num: 42 });
});
