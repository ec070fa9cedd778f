/** `--json` prints what docs/schemas says, and nothing else. test/archive has the archive's commands. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { RECORDED, recordedHome } from "../archive/support/archive.ts";
import { AgentMachine } from "../daemon/support/agent-machine.ts";
import { checkedJson } from "../docs/schemas/index.ts";
import { runCli, type CommandPlace } from "../support/run-cli.ts";
import { warmCli } from "../support/warm-cli.ts";
import { homeAt, tempHome } from "../support/temp-home.ts";

const SHOWN = "claude:dfb61421";

type Check = (command: string, ...args: string[]) => Promise<unknown>;
const checking =
  (place: CommandPlace): Check =>
  (command, ...args) =>
    checkedJson(command, args, place);

it("commands about past sessions of every agent", async () => {
  const home = recordedHome(tempHome().path);
  const check = checking({ home });
  await check("sessions tag", SHOWN, "release");
  await check("sessions star", SHOWN);
  await check("sessions rename", SHOWN, "the health route");
  const listed = (await check("sessions list", "--limit", "1000")) as { agent: string; unifiedId: string }[];
  const oneOfEach = new Map(listed.map(({ agent, unifiedId }) => [agent, unifiedId]));
  expect(oneOfEach.size).toBe(RECORDED.length);
  for (const id of [SHOWN, ...oneOfEach.values()]) await check("sessions show", id);
  await check("sessions export", SHOWN);
  await check("sessions search", "health");
  await check("sessions diff", SHOWN, listed.at(-1)!.unifiedId);
  await check("sessions resume", SHOWN, "--dry-run");
  await check("sessions fork", SHOWN, "--dry-run");
  await check("cost report");
  await check("cost report", "--group-by", "agent,month");
  await check("cost report", "--group-by", "session", "--since", "2y", "--compare");
  await check("cost report", "--explain");
  await check("index status");
  await check("index path");
  await check("index build");
  await check("index clear");
});

it("commands about agents, settings and projects", async () => {
  const home = recordedHome(tempHome().path, ["claude", "codex"]);
  const project = homeAt(join(home, "shop"));
  project.write(".agent-mux/tasks.json", JSON.stringify({ provider: "markdown-tasks" }));
  project.write("docs/delivery/backlog.md", "| ID | Title | Status |\n|---|---|---|\n| 1 | Pay | InProgress |\n");
  project.write("docs/delivery/1/tasks.md", "| Task ID | Name | Status |\n|---|---|---|\n| 1-1 | Types | Done |\n");
  const place = { home, cwd: project.path };
  const check = checking(place);
  for (const command of ["agents", "models", "doctor", "config list", "trust list", "upgrade"]) await check(command);
  await check("config set", "defaultAgent", "claude");
  await check("config get", "defaultAgent");
  await check("profiles set", "fast", "agent", "claude");
  for (const command of ["profiles show", "profiles delete"]) await check(command, "fast");
  await check("profiles list");
  for (const command of ["hooks install", "hooks uninstall"]) await check(command, "claude");
  await check("hooks status");
  for (const command of ["skill install", "skill status", "skill uninstall"]) await check(command, "claude");
  const week = [{ window: "7d", minutes: 10_080, usedPercent: 90, resetsAt: Date.now() + 86_400_000 }];
  const told = [8, 1].map((hours) => ({ at: Date.now() - hours * 3_600_000, agent: "claude", windows: week }));
  homeAt(home).write(".agent-mux/limits.jsonl", told.map((reading) => `${JSON.stringify(reading)}\n`).join(""));
  const { limits } = (await check("limits")) as { limits: object[] };
  expect(limits).toMatchObject([{ used_percent: 90, forecast: {}, used_by: expect.any(Array) as unknown }]);
  await checkedJson("statusline", [], place, runCli);
  await check("trust", ".");
  await check("projects");
  const { groups } = (await check("tasks")) as { groups: unknown[] };
  expect(groups).toHaveLength(1);
});

it("commands about live sessions, the daemon and other machines", async () => {
  const machine = new AgentMachine();
  const options = { home: machine.userHome, vars: machine.vars };
  const check = checking(options);
  mkdirSync(join(machine.userHome, ".claude-sessions"));
  expect(await check("daemon status")).toBeNull();
  await check("run", "-d", "--name", "shop", "--", "sh", "-c", "echo hello; read word; sleep 1000");
  await check("run", "-d", "--", "true");
  await check("status set", "elsewhere", "working", "--message", "builds", "--cwd", machine.userHome, "--pbi", "7");
  const rows = (await check("ls")) as { place: string }[];
  expect(rows.map(({ place }) => place).sort()).toEqual(["amux", "amux", "tmux"]);
  for (const command of ["status", "details", "explain", "tail", "capture"]) await check(command, "shop");
  await check("details", "elsewhere");
  await check("explain", "elsewhere");
  await check("status");
  await check("send", "shop", "go on");
  await check("status set", "shop", "waiting", "--message", "Which one?");
  const asks = (await check("attention")) as unknown[];
  expect(asks).toHaveLength(1);
  await check("answer", "shop", "the first");
  await check("snooze", "shop", "10m");
  await check("snooze");
  await check("snooze", "shop", "--off");
  await check("rename", "shop", "store");
  await check("restart", "store");
  await check("kill", "store");
  await check("resume", "store");
  await check("dismiss", "store");
  await check("status prune");
  await machine.start();
  await check("daemon status");
  await check("open", "--no-browser");
  const channel = await check("notify add", "webhook", "http://127.0.0.1:1/hook");
  await check("notify list");
  await check("notify test");
  await check("notify remove", (channel as { id: string }).id);
  await check("peers add", "box", "ssh://nobody@127.0.0.1:1", "--keep");
  for (const command of ["peers list", "peers status"]) await check(command);
  for (const command of ["peers retry", "peers remove"]) await check(command, "box");
  await check("daemon stop");
  await check("daemon stop");
  await check("daemon install");
  await check("daemon uninstall");
  expect((await warmCli(["ls", "--json"], options)).code).toBe(0);
});
