/** Files written here can be read by the original program, and its files here. */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { viewOf } from "../../src/status/session-view.ts";
import { metricsOf } from "../../src/status/status-file.ts";
import { StatusStore } from "../../src/status/status-store.ts";
import { warmCli } from "../support/warm-cli.ts";
import { tempHome } from "../support/temp-home.ts";
import {
  compositeLikeTheOriginal,
  ORIGINAL_STATUSES,
  readLikeTheOriginal,
  type OriginalSession,
} from "./support/original-dashboard.ts";
import { recordedCalls } from "./support/recordings.ts";
import { startTmux } from "./support/tmux.ts";

const program = join(import.meta.dirname, "../../dist/amux-hook.cjs");

async function hook(
  home: string,
  vars: Record<string, string>,
  agent: string,
  payload: object,
  event?: string,
): Promise<void> {
  const child = spawn(process.execPath, [program, agent, ...(event === undefined ? [] : [event])], {
    env: { PATH: process.env["PATH"], HOME: home, ...vars },
    stdio: ["pipe", "ignore", "inherit"],
  });
  child.stdin.end(JSON.stringify(payload));
  await once(child, "close");
}

const claude = recordedCalls("claude", "claude-interactive.jsonl").map(({ payload }) => payload);
const call = (event: string): object => claude.find((payload) => payload["hook_event_name"] === event)!;

it("the original dashboard reads what our hooks and commands write, in every field", async () => {
  const home = tempHome();
  const project = join(home.path, "shop");
  mkdirSync(project);
  execFileSync("git", ["-C", project, "init", "-q", "-b", "feature/login"]);
  const vars = startTmux().newSession("shop", project);
  const directory = join(home.path, ".claude-sessions");
  const before = Math.floor(Date.now() / 1000);
  const read = (): OriginalSession => {
    const files = readLikeTheOriginal(directory);
    expect([...files.keys()]).toEqual(["shop.json"]);
    return files.get("shop.json")!;
  };

  for (const event of ["SessionStart", "UserPromptSubmit", "PostToolUse", "PermissionRequest"]) {
    await hook(home.path, vars, "claude", { ...call(event), cwd: project });
    const session = read();
    expect(ORIGINAL_STATUSES).toContain(session.status);
    expect(session.timestamp).toBeGreaterThanOrEqual(before);
    expect(session.timestamp).toBeLessThanOrEqual(Math.ceil(Date.now() / 1000));
  }
  for (const { payload, event } of recordedCalls("copilot", "interactive.hooks.jsonl").slice(0, 3))
    await hook(home.path, vars, "copilot", payload, event);
  const member = { hook_event_name: "TeammateIdle", teammate_name: "researcher", team_name: "crew", session_id: "t" };
  await hook(home.path, vars, "claude", member);
  const set = await warmCli(["status", "set", "shop", "idle", "--agent", "aider", "--message", 'a "quoted" word'], {
    home: home.path,
  });
  expect(set).toMatchObject({ code: 0 });
  expect(await warmCli(["status", "set", "shop", "permission", "--pbi", "PBI-38"], { home: home.path })).toMatchObject({
    code: 0,
  });
  expect(await warmCli(["details", "shop"], { home: home.path })).toMatchObject({ code: 0 });

  const session = read();
  expect(session).toMatchObject({
    tmux_session: "shop",
    status: "permission",
    cwd: project,
    current_pbi: "PBI-38",
    git: { branch: "feature/login", dirty: false, ahead: 0, behind: 0 },
    team: { name: "crew", agents: [{ name: "researcher", status: "idle" }] },
    agents: { aider: { status: "idle" }, copilot: { status: expect.any(String) as string } },
  });
  const file = new StatusStore(directory).read("shop")!;
  const { top } = viewOf(file, "claude", () => [], Date.now());
  expect(compositeLikeTheOriginal(session)).toEqual({ status: top.status, by: top.isMain ? "" : top.agent });
});

/** As its hooks write it: nested metrics, a session id, other agents. */
const ORIGINAL = {
  tmux_session: "shop",
  status: "working",
  message: "Implementing login",
  cwd: "/w/shop",
  timestamp: 1_738_972_800,
  session_id: "s1",
  metrics: {
    time: { started: 1_738_970_000, total_seconds: 2800, working_seconds: 2400, waiting_seconds: 400 },
    tools: { recent: ["Read", "Write"], counts: { Read: 15, Write: 8 } },
  },
  team: { name: "crew", agents: [{ name: "researcher", status: "working", timestamp: 1_738_972_800 }] },
  agents: { opencode: { status: "idle", timestamp: 1_738_972_780 } },
};

it("the original dashboard still reads its own files after our hooks wrote into them", async () => {
  const home = tempHome();
  const vars = startTmux().newSession("shop", home.path);
  const directory = join(home.path, ".claude-sessions");
  mkdirSync(directory);
  writeFileSync(join(directory, "shop.json"), JSON.stringify(ORIGINAL));
  await hook(home.path, vars, "claude", { ...call("PostToolUse"), session_id: "s1", tool_name: "Bash" });
  const session = readLikeTheOriginal(directory).get("shop.json")!;
  expect(session).toMatchObject({
    status: "working",
    metrics: { tools: { counts: { Read: 15, Write: 8, Bash: 1 }, recent: ["Bash", "Read", "Write"] } },
    team: ORIGINAL.team,
    agents: ORIGINAL.agents,
  });
  expect(session.metrics?.time?.total_seconds).toBeGreaterThan(2800);
  expect(metricsOf(new StatusStore(directory).read("shop")!)).toMatchObject({ tools: { Read: 15, Write: 8, Bash: 1 } });
  // No lock or temporary file stays that it would read as a session.
  expect(readdirSync(directory)).toEqual(["shop.json"]);
  expect(JSON.parse(readFileSync(join(directory, "shop.json"), "utf8"))).toMatchObject({ session_id: "s1" });
});
