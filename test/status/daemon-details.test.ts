/** The daemon's details of a session: the whole status file, with its own field names. */
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { SessionDetails } from "../../src/protocol/daemon-api.ts";
import { StatusStore } from "../../src/status/status-store.ts";
import { sharedDaemon } from "../daemon/support/shared-daemon.ts";
import { waitFor } from "../support/wait-for.ts";

const shared = sharedDaemon();

it("details have every field of the status file, as documented", async () => {
  const test = shared();
  const cwd = join(test.userHome, "shop");
  mkdirSync(cwd);
  const git = (...args: string[]): void => void execFileSync("git", ["-C", cwd, ...args], { env: test.vars });
  git("init", "-q", "-b", "main");
  git("-c", "user.name=n", "-c", "user.email=n@example.org", "commit", "-q", "--allow-empty", "-m", "Begin");
  git("remote", "add", "origin", "https://example.org/shop.git");
  const { session_id } = await test.data<{ session_id: string }>("POST", "/v1/launch", { command: ["cat"], cwd });
  await test.data("PUT", `/v1/sessions/${session_id}/status`, { label: "", working: true });
  const statuses = new StatusStore(join(test.userHome, ".claude-sessions"));
  const name = await waitFor("the status file", () => statuses.list()[0]?.name);
  const theirs = {
    current_pbi: "PBI-38",
    current_pbi_title: "Pay by card",
    team: { name: "shop", agents: [{ name: "tester", status: "idle", timestamp: 1 }] },
    agents: { opencode: { status: "done", timestamp: 2 } },
  };
  // The runner and the daemon write into it, too.
  await waitFor("its lock", () => statuses.update(name, (file) => ({ ...file, ...theirs })));
  const details = await waitFor("the repository", async () => {
    const now = await test.data<SessionDetails>("GET", `/v1/sessions/${session_id}/details`);
    return now.git === undefined ? undefined : now;
  });
  expect(details).toMatchObject({
    ...theirs,
    status: "working",
    message: "",
    timestamp: expect.any(Number) as number,
    git: {
      branch: "main",
      dirty: false,
      ahead: 0,
      behind: 0,
      last_commit: expect.stringContaining("Begin") as string,
      remote: "origin",
      fetched_at: expect.any(Number) as number,
    },
  });
});

it("input that is JSON is refused, and nothing is typed", async () => {
  const test = shared();
  const id = await test.launch("exec cat");
  const refused = await test.ask("POST", `/v1/sessions/${id}/input`, { text: "rm -r build" });
  expect([refused.status, refused.text]).toEqual([400, expect.stringContaining("JSON")]);
  expect((await test.ask("POST", `/v1/sessions/${id}/input`, Buffer.from("plain\n"))).status).toBeLessThan(300);
  const text = await waitFor("what was typed", async () => {
    const shown = (await test.ask("GET", `/v1/sessions/${id}/text`)).text;
    return shown.includes("plain") ? shown : undefined;
  });
  expect(text).not.toContain("rm -r");
});

it("the current item of a project's tasks is in the status file of its session", async () => {
  const test = shared();
  const cwd = join(test.userHome, "tasks");
  mkdirSync(join(cwd, "docs/delivery"), { recursive: true });
  mkdirSync(join(cwd, ".agent-mux"));
  writeFileSync(join(cwd, ".agent-mux/tasks.json"), '{"provider":"markdown-tasks"}');
  writeFileSync(
    join(cwd, "docs/delivery/backlog.md"),
    "| ID | User Story | Status |\n| --- | --- | --- |\n| 7 | Pay by card | InProgress |\n",
  );
  execFileSync("git", ["init", "-q", cwd], { env: test.vars });
  const { session_id } = await test.data<{ session_id: string }>("POST", "/v1/launch", { command: ["cat"], cwd });
  // At its start, then once a minute, a daemon scans the projects of running sessions.
  await test.kill("SIGTERM");
  await test.start();
  const statuses = new StatusStore(join(test.userHome, ".claude-sessions"));
  let working = false;
  const file = await waitFor("the current item", async () => {
    await test.data("PUT", `/v1/sessions/${session_id}/status`, { label: "", working: (working = !working) });
    return statuses.list().find(({ file: each }) => each["current_pbi"] !== undefined && each.cwd === cwd);
  });
  expect(file.file).toMatchObject({ current_pbi: "PBI-7", current_pbi_title: "Pay by card" });
});
