/** An agent that amux starts reports its state without any setting. */
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { TestDaemon } from "../daemon/support/test-daemon.ts";
import { TestHome } from "../runner/support/sessions.ts";
import { waitFor } from "../support/wait-for.ts";
import { StatusStore } from "../../src/status/status-store.ts";
import { warmCli, warmJson } from "../support/warm-cli.ts";
import { PATIENT } from "./support/tmux.ts";

/** Treats its settings like Claude Code: runs an event's hooks with a payload on standard input. */
const AGENT = `#!/usr/bin/env node
const { execSync } = require("node:child_process");
if (process.argv.includes("--version")) { console.log("2.1.325 (Claude Code)"); process.exit(0); }
const settings = JSON.parse(process.argv[process.argv.indexOf("--settings") + 1]);
for (const [hook_event_name, more] of [["SessionStart", { source: "startup" }], ["UserPromptSubmit", { prompt: "Sketch it" }]]) {
  const input = JSON.stringify({ hook_event_name, session_id: "s1", cwd: process.cwd(), ...more });
  execSync(settings.hooks[hook_event_name][0].hooks[0].command, { input });
}
setInterval(() => {}, 1000);
`;

it("an agent started by another program gets hooks too", async () => {
  const home = new TestHome();
  const bin = join(home.home, "bin");
  mkdirSync(bin);
  writeFileSync(join(bin, "claude"), AGENT, { mode: 0o755 });
  const vars = { AMUX_HOME: home.home, PATH: `${bin}:${process.env["PATH"]}`, ...PATIENT };
  const options = { home: home.home, vars, cwd: home.home };
  const { stdout } = await warmCli(["run", "-d", "--", "env", "A=1", "claude"], options);
  await waitFor("the hooks", async () => (await home.meta(stdout.trim())).state?.message === "Sketch it");
  expect(await home.meta(stdout.trim())).toMatchObject({ command: ["env", "A=1", "claude"], kind: "claude" });
});

it("hooks in a session are as silent and as patient as the user's variables say", async () => {
  const test = await new TestDaemon({ AMUX_HOOKS: "off", AMUX_HOOK_PATIENCE: "50" }).start();
  const id = await test.launch('echo "hooks: $AMUX_HOOKS, $AMUX_HOOK_PATIENCE."; exec cat');
  const text = await waitFor("its variables", async () => {
    const shown = (await test.ask("GET", `/v1/sessions/${id}/text`)).text;
    return /hooks: .*\./.test(shown) ? shown : undefined;
  });
  expect(text).toContain("hooks: off, 50.");
});

it("an agent gets hooks from the command line, again after a resume, with its settings unchanged", async () => {
  const home = new TestHome();
  const bin = join(home.home, "bin");
  mkdirSync(bin);
  writeFileSync(join(bin, "claude"), AGENT);
  chmodSync(join(bin, "claude"), 0o755);
  mkdirSync(join(home.home, ".claude"));
  writeFileSync(join(home.home, ".claude/settings.json"), "{}");
  const options = {
    home: home.home,
    vars: { AMUX_HOME: home.home, PATH: `${bin}:${process.env["PATH"]}`, ...PATIENT },
    cwd: home.home,
  };
  const started = await warmCli(["run", "-d", "--", "claude", "--verbose"], options);
  expect([started.code, started.stderr]).toEqual([0, ""]);
  const id = started.stdout.trim();
  const isAtWork = async (): Promise<boolean> => (await home.meta(id)).state?.message === "Sketch it";
  await waitFor("the hooks", isAtWork);
  expect(await home.meta(id)).toMatchObject({ command: ["claude", "--verbose"], kind: "claude" });
  for (const args of [["ls"], ["status"], ["details", id], ["explain", id]])
    expect((await warmCli(args, options)).stdout, "shows no injected arguments").not.toContain("--settings");
  expect(readFileSync(join(home.home, ".claude/settings.json"), "utf8")).toBe("{}");
  // Dashboards that read status files see it too, and our lists show it once.
  const store = new StatusStore(join(home.home, ".claude-sessions"));
  await waitFor("the status file", () => store.read("claude")?.message === "Sketch it");
  expect(store.read("claude")).toMatchObject({
    tmux_session: "claude",
    status: "working",
    amux_session: id,
    cwd: home.home,
  });
  const rows = await warmJson<{ ref: string; metrics?: object }[]>(["status"], options);
  expect(rows.map(({ ref }) => ref)).toEqual([id]);
  expect(rows[0]!.metrics).toMatchObject({ tools: {} });
  const { incarnation } = await home.meta(id);
  await home.client.kill(id);
  await home.waitForEnd(id);
  expect(await warmCli(["resume", id, "-d"], options)).toMatchObject({ code: 0, stderr: "" });
  expect((await warmCli(["status", "prune", "--json"], options)).stdout.trim()).toBe("[]");
  await waitFor("the hooks again", async () => (await home.meta(id)).incarnation !== incarnation && (await isAtWork()));
  await home.client.kill(id);
  await home.waitForEnd(id);
  const aged = store.update("claude", (file) => ({ ...file, timestamp: file.timestamp - 3600 }));
  expect(aged?.tmux_session).toBe("claude");
  expect(await warmJson(["status", "prune"], options)).toMatchObject([{ name: "claude" }]);
});
