/** A disk that does not answer, and projects that link to it: nothing that amux looks at by itself waits for it. */
import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { TestDaemon } from "../daemon/support/test-daemon.ts";
import { watchHealth } from "../daemon/support/watch-health.ts";
import { deadDisk, needsDeadDisk } from "../support/dead-disk.ts";
import { runCli } from "../support/run-cli.ts";
import { waitFor } from "../support/wait-for.ts";
import { figure, isLong } from "./long-form.ts";

const ID = "11111111-1111-4111-8111-111111111111";
const BACKLOG = "| ID | User Story | Status |\n|---|---|---|\n| 1 | x | Agreed |\n";

/** What leads to the dead disk, in a repository. */
const PLANTS: Readonly<Record<string, (place: string, dead: string) => void>> = {
  settings: (place, dead) => symlinkSync(`${dead}/settings`, join(place, ".agent-mux")),
  navi: (place, dead) => symlinkSync(`${dead}/navi`, join(place, ".navi.yaml")),
  folder: (place, dead) => {
    useMarkdown(place);
    symlinkSync(dead, join(place, "docs/delivery"));
  },
  backlog: (place, dead) => {
    useMarkdown(place);
    mkdirSync(join(place, "docs/delivery"));
    symlinkSync(`${dead}/backlog.md`, join(place, "docs/delivery/backlog.md"));
  },
  tasks: (place, dead) => {
    useMarkdown(place);
    mkdirSync(join(place, "docs/delivery/1"), { recursive: true });
    writeFileSync(join(place, "docs/delivery/backlog.md"), BACKLOG);
    symlinkSync(`${dead}/tasks.md`, join(place, "docs/delivery/1/tasks.md"));
  },
};

function useMarkdown(place: string): void {
  mkdirSync(join(place, ".agent-mux"));
  mkdirSync(join(place, "docs"));
  writeFileSync(join(place, ".agent-mux/tasks.json"), '{"provider":"markdown-tasks"}');
}

test(
  "a dead disk that projects and past sessions lead to blocks neither the daemon nor a command",
  needsDeadDisk(),
  async () => {
    const machine = new TestDaemon();
    const dead = deadDisk();
    const past = join(machine.userHome, ".claude/projects/-x");
    mkdirSync(past, { recursive: true });
    const message = { role: "user", content: "hello" };
    const line = {
      type: "user",
      uuid: ID,
      sessionId: ID,
      cwd: `${dead}/w`,
      timestamp: "2026-01-01T00:00:00Z",
      message,
    };
    writeFileSync(join(past, `${ID}.jsonl`), `${JSON.stringify(line)}\n`);
    await machine.start();
    const healthy = watchHealth(machine);
    const pointing = join(machine.userHome, "pointing");
    mkdirSync(pointing);
    writeFileSync(join(pointing, ".git"), `gitdir: ${dead}/git\n`);
    const names = isLong ? Object.keys(PLANTS) : ["settings", "backlog"];
    for (const name of names) {
      const place = join(machine.userHome, name);
      mkdirSync(place);
      execFileSync("git", ["init", "-q", place]);
      PLANTS[name]!(place, dead);
      await machine.launch("exec cat", { cwd: place, name });
    }
    await waitFor("the past session", async () => (await machine.sessions()).some(({ cwd }) => cwd === `${dead}/w`));
    expect((await machine.data<string[]>("GET", "/v1/directories")).sort()).toEqual(
      names.map((name) => `~/${name}`).sort(),
    );
    const refused = await machine.ask("POST", "/v1/launch", { command: ["true"], cwd: `${dead}/w` });
    expect(refused).toMatchObject({ ok: false, error: { code: "cwd_gone" } });
    expect(refused.text).toContain("does not answer");
    const asked = { home: machine.userHome, vars: machine.vars };
    const [projects, run, ...tasks] = await Promise.all([
      runCli(["projects", "--json"], asked),
      runCli(["run", "-d", "--", "cat"], { ...asked, cwd: pointing }),
      ...names.map((name) => runCli(["tasks"], { ...asked, cwd: join(machine.userHome, name) })),
      runCli(["changes", "backlog"], asked),
    ]);
    expect([projects.code, run.code], projects.stderr + run.stderr).toEqual([0, 0]);
    expect(projects.stderr).toContain(`${dead} does not answer`);
    // Those that only lack their tasks are there.
    const { projects: shown } = JSON.parse(projects.stdout) as { projects: { name: string }[] };
    const whole = names.filter((name) => name !== "settings" && name !== "navi");
    expect(shown.map(({ name }) => name).filter((name) => name in PLANTS)).toEqual(whole.toSorted());
    const changes = tasks.pop()!;
    expect([changes.code, changes.stdout], changes.stderr).toEqual([
      0,
      expect.stringContaining("docs/delivery/backlog.md"),
    ]);
    for (const { code, stderr } of tasks)
      expect([code, stderr]).toEqual([expect.any(Number), expect.stringContaining("answer")]);
    figure("dead disk", { "longest answer of /v1/health (ms)": await healthy() });
  },
);
