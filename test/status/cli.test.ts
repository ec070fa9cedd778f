import { existsSync, chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { StatusStore } from "../../src/status/status-store.ts";
import { warmCli, warmJson } from "../support/warm-cli.ts";
import { gitRepository } from "../support/git-repository.ts";
import { tempHome, type TempHome } from "../support/temp-home.ts";
import { TestHome } from "../runner/support/sessions.ts";
import { waitFor } from "../support/wait-for.ts";
import { PATIENT, startTmux } from "./support/tmux.ts";

const HOOK = join(import.meta.dirname, "../../dist/amux-hook.cjs");

async function hook(home: TempHome, vars: Record<string, string>, agent: string, payload: object): Promise<void> {
  const child = spawn(process.execPath, [HOOK, agent], {
    env: { PATH: process.env["PATH"], HOME: home.path, ...vars },
    stdio: ["pipe", "inherit", "inherit"],
  });
  child.stdin.end(JSON.stringify(payload));
  await once(child, "close");
}

const event = (name: string, more: object = {}): object => ({
  hook_event_name: name,
  session_id: "s1",
  cwd: "/tmp",
  ...more,
});

interface StatusRow {
  ref: string;
  state: string;
  agent: string;
  message?: string;
  status: unknown;
}

describe("amux status, attention and explain", () => {
  it("show what others wrote into status files, without letting it move the cursor or stop the rest", async () => {
    const home = tempHome();
    const odd = "x\u001b]0;y\u0007\u009b\u202e";
    const entry = { tmux_session: odd, status: odd, message: odd, cwd: `/tmp/${odd}`, current_pbi: odd };
    const now = Math.floor(Date.now() / 1000);
    home.write(".claude-sessions/odd.json", JSON.stringify({ ...entry, timestamp: now, git: { branch: odd } }));
    home.write(".claude-sessions/far.json", JSON.stringify({ ...entry, timestamp: 1e300 }));
    home.write(".claude-sessions/good.json", JSON.stringify({ status: "permission", cwd: "/tmp", timestamp: now }));
    for (const command of [["status"], ["attention"], ["projects"], ["ls"], ["details", "good"], ["explain", "good"]]) {
      const { code, stdout, stderr } = await warmCli(command, { home: home.path });
      expect([command, code, stderr]).toEqual([command, 0, ""]);
      expect(stdout).toMatch(/good|tmp/);
      expect(stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/);
    }
  });

  it("an ended tmux session leaves the lists; one with a name in any script stays", async () => {
    const home = tempHome();
    const tmux = startTmux();
    for (const name of ["café", "gone"]) {
      const vars = tmux.newSession(name, home.path);
      await hook(home, vars, "claude", event("UserPromptSubmit", { prompt: "go" }));
    }
    const listed = async (command: string): Promise<string[]> =>
      (await warmJson<StatusRow[]>([command], { home: home.path })).map(({ ref }) => ref).sort();
    expect(await listed("ls")).toEqual(["café", "gone"]);
    tmux.run("kill-session", "-t", "=gone");
    // A server that is too slow to answer may still have it.
    for (const command of ["ls", "status"]) {
      const rest = await waitFor(`its end in amux ${command}`, async () => {
        const refs = await listed(command);
        return refs.includes("gone") ? undefined : refs;
      });
      expect(rest).toEqual(["café"]);
    }
  });

  it("show tmux sessions through their hooks", async () => {
    const home = tempHome();
    const vars = startTmux().newSession("shop", home.path);
    await hook(home, vars, "claude", event("UserPromptSubmit", { prompt: "Fix the \u001b[31mprice" }));
    await hook(
      home,
      vars,
      "claude",
      event("PermissionRequest", { tool_name: "Bash", tool_input: { command: "npm test" } }),
    );

    const { stdout } = await warmCli(["status"], { home: home.path });
    expect(stdout.split("\n")[1]).toMatch(/^permission\s+now\s+shop\s+claude\s+Bash: npm test/);
    expect(await warmJson<StatusRow[]>(["status"], { home: home.path })).toMatchObject([
      {
        ref: "shop",
        state: "permission",
        agent: "claude",
        message: "Bash: npm test",
        status: { label: "Bash: npm test", working: false },
      },
    ]);
    expect((await warmCli(["status", "--format", "tmux"], { home: home.path })).stdout).toBe(
      "#[fg=magenta]1 permission#[default]\n",
    );
    expect((await warmCli(["attention"], { home: home.path })).stdout).toMatch(
      /\npermission\s+now\s+shop\s+claude\s+Bash: npm test/,
    );
    expect(await warmJson(["attention"], { home: home.path })).toMatchObject([
      { ref: "shop", reason: "permission", text: "Bash: npm test", source: "hook" },
    ]);

    const explained = (await warmCli(["explain", "sho"], { home: home.path })).stdout;
    expect(explained).toMatch(
      /^shop · claude: permission {2}Bash: npm test\n {2}for now, by hook \(PermissionRequest\) at /,
    );
    expect(explained).toMatch(/open questions:\n.*hook +permission +PermissionRequest {2}Bash: npm test/);
    expect(explained).toMatch(/history:\n.*hook +working +UserPromptSubmit {2}Fix the \[31mprice\n/);
    expect(explained).not.toContain("\u001b");
    expect(explained, "times are local").not.toMatch(/\d\dZ/);
  });

  it("show amux sessions through their sockets", async () => {
    const home = tempHome();
    const mux = new TestHome();
    const options = { home: home.path, vars: { AMUX_HOME: mux.home } };
    const id = await mux.spawn("sleep 600", { kind: "codex", name: "the build" });
    const vars = { AMUX_SOCKET: mux.client.files(id).socket, ...PATIENT };
    const wanted = { tool_name: "Bash", tool_input: { command: "rm x" } };
    await hook(home, vars, "codex", event("UserPromptSubmit", { prompt: "Go" }));
    // It waits for the answer.
    const asking = hook(home, vars, "codex", event("PermissionRequest", wanted));
    await waitFor("the question", async () => (await mux.meta(id)).state?.state === "permission");
    expect(await warmJson(["attention"], options)).toMatchObject([
      { ref: id, name: "the build", place: "amux", agent: "codex", reason: "permission", text: "Bash: rm x" },
    ]);
    const failed = '{"label":"tests: 3 failed","working":false,"error":true}';
    await mux.ask(id, { method: "PUT", path: "/status", body: failed });
    const explained = (await warmCli(["explain", id], options)).stdout;
    expect(explained).toContain("tests: 3 failed");
    expect(explained).toMatch(/history:\n.*UserPromptSubmit/);
    expect(await warmCli(["answer", id, "allow"], options)).toMatchObject({ code: 0, stdout: "" });
    await asking;
  });

  it("show a question of a session whose runner is too busy to answer", async () => {
    const home = tempHome().path;
    const mux = new TestHome();
    const options = { home, vars: { AMUX_HOME: mux.home } };
    const id = await mux.spawn("exec cat");
    const body = JSON.stringify({ agent: "codex", state: "permission", message: "Bash: make", source: "hook" });
    await mux.ask(id, { method: "POST", path: "/hook", body });
    const { runner_pid } = await mux.meta(id);
    process.kill(runner_pid, "SIGSTOP");
    try {
      const waiting = { ref: id, reason: "permission", text: "Bash: make" };
      expect(await warmJson(["attention"], options)).toMatchObject([waiting]);
      expect(await warmJson(["status"], options)).toMatchObject([{ ref: id, state: "permission" }]);
    } finally {
      process.kill(runner_pid, "SIGCONT");
    }
  });

  it("say so when there is nothing, or no such session", async () => {
    const home = tempHome().path;
    expect(await warmCli(["status"], { home })).toMatchObject({
      code: 0,
      stdout: "",
      stderr: expect.stringContaining("No sessions") as string,
    });
    expect(await warmCli(["attention"], { home })).toMatchObject({
      code: 0,
      stdout: "",
      stderr: "No session needs you.\n",
    });
    expect(await warmCli(["status", "--format", "plain"], { home })).toMatchObject({ code: 0, stdout: "" });
    expect(await warmCli(["explain", "x"], { home })).toMatchObject({
      code: 8,
      stderr: 'amux: No session is called "x". See amux status.\n',
    });
    expect(await warmJson(["status"], { home })).toEqual([]);
  });

  it("set a status for scripts, keeping the rest", async () => {
    const home = tempHome();
    home.write(
      ".claude-sessions/build.json",
      '{"tmux_session":"build","status":"idle","x":1,"agents":{"aider":{"status":"idle","timestamp":1,"y":2}}}',
    );
    await warmCli(["status", "set", "build", "working", "--message", "make\u0007 all", "--pbi", "PBI-3"], {
      home: home.path,
    });
    await warmCli(["status", "set", "build", "waiting", "--agent", "aider", "--message", "which?"], {
      home: home.path,
    });
    const file = new StatusStore(join(home.path, ".claude-sessions")).read("build");
    expect(file).toMatchObject({
      status: "working",
      message: "make all",
      current_pbi: "PBI-3",
      x: 1,
      agents: { aider: { status: "waiting", message: "which?", y: 2 } },
    });
    expect(await warmCli(["status", "set", "../x", "working"], { home: home.path })).toMatchObject({
      code: 2,
      stderr: 'amux: "../x" cannot be the name of a session.\n',
    });
    expect(await warmCli(["status", "set", "x", "dancing"], { home: home.path })).toMatchObject({ code: 2 });
  });
});

it("amux status set says when a name is new, and keeps unknown fields of an amux session in its file", async () => {
  const home = tempHome();
  const mux = new TestHome();
  const options = { home: home.path, vars: { AMUX_HOME: mux.home } };
  expect(await warmCli(["status", "set", "biuld", "working"], options)).toMatchObject({
    code: 0,
    stderr: `biuld had no status file yet; amux status shows it from now on. If it was mistyped, remove ${join(home.path, ".claude-sessions/biuld.json")}.\n`,
  });
  expect(existsSync(join(home.path, ".claude-sessions/biuld.json"))).toBe(true);
  const id = await mux.spawn("sleep 600", { name: "build" });
  const set = ["status", "set", "build", "working", "--pbi", "PBI-3", "--pbi-title", "Login"];
  expect(await warmCli(set, options)).toMatchObject({ code: 0, stderr: "" });
  const rows = await warmJson<(StatusRow & { currentPbi?: string; place: string })[]>(["status"], options);
  expect(rows.filter(({ place }) => place === "amux")).toMatchObject([
    { ref: id, state: "working", currentPbi: "PBI-3", currentPbiTitle: "Login" },
  ]);
  expect(rows.map(({ ref }) => ref)).not.toContain("build");
  expect(await warmCli([...set, "--agent", "aider"], options)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("--agent is for tmux sessions") as string,
  });
});

describe("amux hooks", () => {
  it("install, show and remove hooks of installed agents", async () => {
    const home = tempHome();
    const bin = join(home.path, "bin");
    mkdirSync(bin);
    home.write("lib/versions/2.0.77/claude", "#!/bin/sh\nexit 1\n");
    chmodSync(join(home.path, "lib/versions/2.0.77/claude"), 0o755);
    symlinkSync(join(home.path, "lib/versions/2.0.77/claude"), join(bin, "claude"));
    writeFileSync(join(bin, "codex"), "#!/bin/sh\necho codex-cli 0.166.0\n", { mode: 0o755 });
    const settings = home.write(".claude/settings.json", '{"model":"opus"}');
    const options = { home: home.path, vars: { PATH: bin } };

    const installed = await warmCli(["hooks", "install"], options);
    expect(installed.stdout).toBe(
      `Claude Code: installed in ${settings}\nCodex CLI: installed in ${home.path}/.codex/hooks.json\n`,
    );
    expect(installed.stderr).toContain("/hooks");
    const { hooks } = JSON.parse(readFileSync(settings, "utf8")) as { hooks: Record<string, unknown> };
    expect(Object.keys(hooks)).toContain("PermissionRequest");
    expect(Object.keys(hooks)).not.toContain("StopFailure");

    expect((await warmCli(["hooks", "install"], options)).stdout).toContain("Claude Code: already in");
    expect(await warmJson(["hooks", "status"], options)).toEqual(
      expect.arrayContaining([
        { agent: "claude", state: "installed", path: settings, installed: true, version: "2.0.77" },
        {
          agent: "codex",
          state: "installed",
          path: `${home.path}/.codex/hooks.json`,
          installed: true,
          version: "0.166.0",
        },
        { agent: "pi", state: "absent", path: `${home.path}/.pi/agent/extensions/amux-pi.ts`, installed: false },
      ]),
    );
    expect((await warmCli(["hooks", "uninstall"], options)).stdout).toContain("Claude Code: removed from");
    expect(readFileSync(settings, "utf8")).toBe('{"model":"opus"}');
    expect((await warmCli(["hooks", "uninstall"], options)).stderr).toContain("No hooks of amux were installed.");
  });

  it("handle one agent even if another's settings are broken", async () => {
    const home = tempHome();
    home.write(".claude/settings.json", "{ oops");
    const bin = join(home.path, "bin");
    mkdirSync(bin);
    for (const name of ["claude", "gemini"]) writeFileSync(join(bin, name), "#!/bin/sh\n", { mode: 0o755 });
    const { code, stdout, stderr } = await warmCli(["hooks", "install"], { home: home.path, vars: { PATH: bin } });
    expect([code, stdout]).toEqual([1, `Gemini CLI: installed in ${home.path}/.gemini/settings.json\n`]);
    expect(stderr).toContain("Claude Code: ");
    expect(stderr).toContain("left as it is");
  });

  it("refuse agents without hooks, and say why; events that hooks do not report are named", async () => {
    const home = tempHome().path;
    const refused = await warmCli(["hooks", "install", "openclaw"], { home });
    expect(refused.code).toBe(6);
    expect(refused.stderr).toContain("its plug-ins run in the gateway");
    const status = await warmCli(["hooks", "status"], { home });
    expect(status.stderr).toContain("OpenClaw has none: its plug-ins run in the gateway");
    expect(status.stderr).toContain("Cursor does not report when it asks for permission");
    chmodSync(home, 0o777);
    const shared = await warmCli(["hooks", "status", "gemini"], { home });
    expect(shared.stderr).toContain("Gemini CLI skips amux's hooks at a start");
    const rows = await warmJson<{ agent: string; state: string; why?: string }[]>(["hooks", "status"], { home });
    expect(rows.find(({ agent }) => agent === "openclaw")).toMatchObject({
      state: "none",
      why: expect.stringContaining("gateway") as string,
    });
    expect(await warmCli(["hooks", "install", "nobody"], { home })).toMatchObject({ code: 3 });
  });
});

describe("amux tasks", () => {
  it("shows groups, and what is done and in progress", async () => {
    const home = tempHome();
    home.write("p/.agent-mux/tasks.json", '{"provider":"markdown-tasks"}');
    home.write("p/docs/delivery/backlog.md", "| ID | User Story | Status |\n|---|---|---|\n| 7 | Pay | InProgress |\n");
    home.write(
      "p/docs/delivery/7/tasks.md",
      "| Task ID | Name | Status |\n|---|---|---|\n| 7-1 | Types | Done |\n| 7-2 | Code | InProgress |\n",
    );
    const options = { home: home.path, cwd: join(home.path, "p") };
    expect((await warmCli(["tasks"], options)).stdout).toBe(
      "▸ PBI-7 Pay  InProgress  1/2\n  ✓ 7-1  Types\n  ▶ 7-2  Code\n\nWorking on PBI-7 Pay (provider hint).\n",
    );
    expect(await warmJson(["tasks", "--open"], options)).toMatchObject({
      current: { id: "PBI-7", source: "provider_hint" },
      groups: [{ tasks: [{ id: "7-2" }] }],
    });
  });

  it("fails with its own exit code", async () => {
    const home = tempHome();
    expect(await warmCli(["tasks"], { home: home.path, cwd: home.path })).toMatchObject({
      code: 7,
      stderr: expect.stringContaining("No task provider is configured") as string,
    });
    home.write(".agent-mux/tasks.json", '{"provider":"/nowhere/provider"}');
    expect(await warmCli(["tasks"], { home: home.path, cwd: home.path })).toMatchObject({
      code: 7,
      stderr: expect.stringContaining("cannot be started (ENOENT)") as string,
    });
  });
});

it("amux trust adds, lists and removes projects whose programs may run", async () => {
  const home = tempHome();
  home.write("p/.agent-mux/tasks.json", '{"provider":"./tasks.sh"}');
  home.write("p/tasks.sh", '#!/bin/sh\necho \'{"tasks":[{"id":"1","title":"One"}]}\'\n');
  chmodSync(join(home.path, "p/tasks.sh"), 0o755);
  const options = { home: home.path, cwd: join(home.path, "p") };
  expect(await warmCli(["tasks"], options)).toMatchObject({
    code: 7,
    stderr: expect.stringContaining(`amux trust ${options.cwd}`) as string,
  });
  expect((await warmCli(["trust"], options)).stdout).toBe(`Trusted: ${options.cwd} may run ./tasks.sh.\n`);
  expect((await warmCli(["tasks"], options)).stdout).toContain("One");
  expect(await warmJson(["trust", "list"], options)).toMatchObject([{ directory: options.cwd, runs: ["./tasks.sh"] }]);
  expect(await warmCli(["trust", "remove"], options)).toMatchObject({ code: 0 });
  expect(await warmCli(["trust", "remove"], options)).toMatchObject({ code: 7 });
  expect(await warmCli(["tasks"], options)).toMatchObject({ code: 7 });
  expect((await warmCli(["trust", home.path], options)).stderr).toContain("Nothing to trust");
});

it("amux details shows git, time, tools and memory, and writes git facts for dashboards", async () => {
  const home = tempHome();
  const vars = { CLAUDE_PID: String(process.pid), ...startTmux().newSession("shop", home.path) };
  const { path: repo, commit } = gitRepository();
  commit("Begin");
  await hook(home, vars, "claude", { ...event("UserPromptSubmit"), cwd: repo });
  await hook(home, vars, "claude", { ...event("PostToolUse", { tool_name: "Read", tool_input: {} }), cwd: repo });
  const { stdout, code } = await warmCli(["details", "shop"], { home: home.path });
  expect(code).toBe(0);
  expect(stdout).toMatch(/tools +Read 1/);
  expect(stdout).toMatch(/memory +[\d.]+ [MG]B in \d+ processes/);
  expect(stdout).toMatch(/commit +[0-9a-f]{7,} /);
  expect(new StatusStore(join(home.path, ".claude-sessions")).read("shop")?.["git"]).toMatchObject({
    branch: expect.any(String) as string,
    fetched_at: expect.any(Number) as number,
  });
});

it("amux details shows another program's facts where nothing can be read: git, tokens, the team's name", async () => {
  const home = tempHome();
  const file = {
    tmux_session: "shop",
    status: "working",
    cwd: "/no/such/place",
    timestamp: 1_738_972_800,
    git: {
      branch: "feature/login",
      dirty: true,
      ahead: 3,
      behind: 0,
      last_commit: "abc1234 Add login form",
      pr_num: 42,
    },
    tokens: { input: 45_000, output: 12_000, total: 57_000 },
    team: { name: "my-project", agents: [{ name: "researcher", status: "working", timestamp: 1_738_972_800 }] },
  };
  home.write(".claude-sessions/shop.json", JSON.stringify(file));
  const { stdout } = await warmCli(["details", "shop"], { home: home.path });
  expect(stdout).toMatch(/git +feature\/login, changed, 3 ahead, pull request 42\n/);
  expect(stdout).toMatch(/commit +abc1234 Add login form\n/);
  expect(stdout).toMatch(/tokens +45K in, 12K out\n/);
  expect(stdout).toMatch(/team +my-project: researcher working\n/);
  expect(await warmJson(["status", "shop"], { home: home.path })).toMatchObject({
    teamName: "my-project",
    team: [{ name: "researcher" }],
    tokens: { total: 57_000 },
  });
});

it("hooks status says that Gemini skips hooks below a directory that everybody may write to", async () => {
  const home = tempHome();
  const open = join(home.path, "open");
  mkdirSync(open);
  chmodSync(open, 0o777);
  const { code, stderr } = await warmCli(["hooks", "status"], {
    home: home.path,
    vars: { AMUX_HOME: join(open, "amux") },
  });
  expect(code).toBe(0);
  expect(stderr).toContain(`Gemini CLI skips amux's hooks at a start, because everyone may write to ${open}.`);
});
