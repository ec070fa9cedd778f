import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { createConnection, createServer as createSocketServer } from "node:net";
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { hookCommand } from "../../src/agents/shared/hook-command.ts";
import { asObject, type Json } from "../../src/lib/json/fields.ts";
import { acquireLock } from "../../src/lib/process/process-lock.ts";
import { agentsOf, metricsOf, teamOf } from "../../src/status/status-file.ts";
import { StatusStore } from "../../src/status/status-store.ts";
import { tempHome } from "../support/temp-home.ts";
import { waitFor } from "../support/wait-for.ts";
import { recordedCalls } from "./support/recordings.ts";
import { startTmux } from "./support/tmux.ts";
import { DEADLINE_MS } from "../support/deadline.ts";

const program = join(import.meta.dirname, "../../dist/amux-hook.cjs");

interface Call {
  agent?: string;
  event?: string | undefined;
  /** Null: a pipe that stays open and silent. */
  input?: string | null;
  vars?: Record<string, string>;
  home: string;
}

/** Longer than a hook waits after the last of its input. */
const LATE_MS = 1000;

/** Longer than an impatient hook waits for a writer. */
const LOCKED_MS = 1500;

interface Ended {
  code: number | null;
  output: string;
  ms: number;
}

async function call({ agent = "claude", event, input = "", vars = {}, home }: Call): Promise<Ended> {
  const started = performance.now();
  const args = [program, agent, ...(event === undefined ? [] : [event])];
  const child = spawn(process.execPath, args, { env: { PATH: process.env["PATH"], HOME: home, ...vars } });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => (output += text));
  child.stdin.on("error", () => undefined);
  if (input !== null) child.stdin.end(input);
  const [code] = (await once(child, "close")) as [number | null];
  return { code, output, ms: performance.now() - started };
}

const prompt = (more: Json = {}): string =>
  JSON.stringify({
    hook_event_name: "UserPromptSubmit",
    session_id: "s1",
    cwd: "/tmp/project",
    prompt: "Fix it",
    ...more,
  });

describe("in tmux", () => {
  it("a recorded session of Claude Code is followed in the session's status file", async () => {
    const home = tempHome();
    const vars = startTmux().newSession("my session/1", home.path);
    const store = new StatusStore(join(home.path, ".claude-sessions"));
    const statuses: string[] = [];
    for (const { payload } of recordedCalls("claude", "claude-interactive.jsonl")) {
      const ended = await call({ home: home.path, vars, input: JSON.stringify(payload) });
      expect(ended).toMatchObject({ code: 0, output: "" });
      const status = store.read("my session/1")?.status ?? "";
      if (statuses.at(-1) !== status) statuses.push(status);
    }
    expect(statuses).toEqual([
      ..."idle working permission working done working done working permission working idle working done offline".split(
        " ",
      ),
    ]);
    const file = store.read("my session/1")!;
    expect(file).toMatchObject({
      tmux_session: "my session/1",
      cwd: "/home/user/dev/shop-api",
      session_id: "cda20652-4669-479f-8a58-63db24691728",
    });
    expect(metricsOf(file)).toMatchObject({ tools: { Write: 1 }, recent_tools: ["Write"] });
    expect(readdirSync(store.directory)).toEqual(["my session%2F1.json"]);
  });

  it("other agents appear beside the main one and leave its fields alone", async () => {
    const home = tempHome();
    const vars = startTmux().newSession("s", home.path);
    const store = new StatusStore(join(home.path, ".claude-sessions"));
    await call({ home: home.path, vars, input: prompt() });
    const before = store.read("s")!;
    for (const { payload, event } of recordedCalls("copilot", "interactive.hooks.jsonl").slice(0, 9)) {
      await call({ home: home.path, vars, agent: "copilot", event, input: JSON.stringify(payload) });
    }
    const after = store.read("s")!;
    expect(agentsOf(after)["copilot"]).toMatchObject({ status: "permission", message: "Run command: node -p 1" });
    for (const field of ["status", "message", "timestamp", "metrics", "session_id"])
      expect(after[field]).toEqual(before[field]);
  });

  it("an agent alone in its session is shown, without an invented main agent", async () => {
    const home = tempHome();
    const vars = startTmux().newSession("s", home.path);
    await call({ home: home.path, vars, agent: "codex", input: prompt() });
    const file = new StatusStore(join(home.path, ".claude-sessions")).read("s")!;
    expect([file.status, agentsOf(file)["codex"]?.status]).toEqual(["offline", "working"]);
  });

  it("keeps fields of other writers, also in a file with nested metrics", async () => {
    const home = tempHome();
    const vars = startTmux().newSession("s", home.path);
    const metrics = {
      time: { started: 5, total_seconds: 0, working_seconds: 7, waiting_seconds: 0 },
      tools: { recent: ["Bash"], counts: { Bash: 3 } },
    };
    const theirs = {
      tmux_session: "s",
      status: "working",
      timestamp: 1,
      metrics,
      current_pbi: "PBI-1",
      git: { branch: "b" },
      x: [1],
    };
    home.write(".claude-sessions/s.json", JSON.stringify(theirs));
    const edit = {
      hook_event_name: "PostToolUse",
      session_id: "s1",
      tool_name: "Edit",
      tool_input: { file_path: "/a" },
    };
    await call({ home: home.path, vars, input: JSON.stringify(edit) });
    const file = new StatusStore(join(home.path, ".claude-sessions")).read("s")!;
    expect(file).toMatchObject({ current_pbi: "PBI-1", git: { branch: "b" }, x: [1], status: "working" });
    expect(asObject(asObject(file["metrics"])?.["tools"])).toEqual({
      recent: ["Edit", "Bash"],
      counts: { Bash: 3, Edit: 1 },
    });
  });

  it("teammates are kept apart from the lead", async () => {
    const home = tempHome();
    const vars = startTmux().newSession("s", home.path);
    const team = { teammate_name: "researcher", team_name: "shop", session_id: "t1" };
    await call({ home: home.path, vars, input: prompt() });
    await call({ home: home.path, vars, input: JSON.stringify({ hook_event_name: "PostToolUse", ...team }) });
    await call({ home: home.path, vars, input: JSON.stringify({ hook_event_name: "TeammateIdle", ...team }) });
    const spawned = {
      tool_name: "Agent",
      tool_input: { name: "writer" },
      tool_response: { status: "teammate_spawned", name: "writer" },
    };
    await call({
      home: home.path,
      vars,
      input: JSON.stringify({ hook_event_name: "PostToolUse", session_id: "s1", ...spawned }),
    });
    const file = new StatusStore(join(home.path, ".claude-sessions")).read("s")!;
    expect(file.status).toBe("working");
    expect(teamOf(file)).toMatchObject({
      name: "shop",
      agents: [
        { name: "researcher", status: "idle", session_id: "t1" },
        { name: "writer", status: "working" },
      ],
    });
  });

  it("follows a renamed session", async () => {
    const home = tempHome();
    const tmux = startTmux();
    const vars = tmux.newSession("before", home.path);
    tmux.run("rename-session", "-t", "=before", "after");
    await call({ home: home.path, vars, input: prompt() });
    expect(readdirSync(join(home.path, ".claude-sessions"))).toEqual(["after.json"]);
  });

  it("simultaneous hooks lose nothing", async () => {
    const home = tempHome();
    const vars = startTmux().newSession("s", home.path);
    const tool = (name: string): string =>
      JSON.stringify({ hook_event_name: "PostToolUse", session_id: "s1", tool_name: name, tool_input: {} });
    await Promise.all(
      Array.from({ length: 4 }, (_, index) => call({ home: home.path, vars, input: tool(`T${index}`) })),
    );
    const file = new StatusStore(join(home.path, ".claude-sessions")).read("s")!;
    expect(Object.keys(metricsOf(file)!.tools).sort()).toEqual(["T0", "T1", "T2", "T3"]);
  });

  it("waits for another writer as long as its patience says", async () => {
    const home = tempHome();
    const { PATH = "" } = process.env;
    const asked = join(home.path, "asked");
    const tmux = home.write("bin/tmux", `#!/bin/sh\nPATH='${PATH}' tmux "$@" && touch '${asked}'\n`);
    chmodSync(tmux, 0o755);
    const vars = { ...startTmux().newSession("s", home.path), PATH: `${join(home.path, "bin")}:${PATH}` };
    const store = new StatusStore(join(home.path, ".claude-sessions"));
    mkdirSync(store.directory);
    const lock = acquireLock(join(store.directory, ".s.json.lock"))!;
    const ended = call({ home: home.path, vars, input: prompt() });
    // The session's name is the last that it needs.
    await waitFor("its question to tmux", () => existsSync(asked));
    await new Promise((resolve) => setTimeout(resolve, LOCKED_MS));
    lock.release();
    await ended;
    expect(store.read("s")?.status).toBe("working");
  });

  it("does nothing when the server is gone", async () => {
    const home = tempHome();
    const tmux = startTmux();
    const vars = tmux.newSession("s", home.path);
    tmux.run("kill-server");
    expect(await call({ home: home.path, vars, input: prompt() })).toMatchObject({ code: 0, output: "" });
    expect(existsSync(join(home.path, ".claude-sessions"))).toBe(false);
  });
});

describe("in a session of amux", () => {
  async function runner(status: number): Promise<{ socket: string; bodies: Json[] }> {
    const directory = tempHome().path;
    const socket = join(directory, "r.sock");
    const bodies: Json[] = [];
    const server: Server = createServer((request, response) => {
      let body = "";
      request.setEncoding("utf8").on("data", (text: string) => (body += text));
      request.on("end", () => {
        bodies.push({ request: `${request.method} ${request.url}`, ...(JSON.parse(body) as Json) });
        response.writeHead(status).end();
      });
    }).listen(socket);
    await once(server, "listening");
    onTestFinished(() => void server.close());
    return { socket, bodies };
  }

  it("the report goes to the runner, and nowhere else", async () => {
    const home = tempHome();
    const { socket, bodies } = await runner(204);
    const tmux = startTmux().newSession("s", home.path);
    const ended = await call({
      home: home.path,
      vars: { AMUX_SOCKET: socket, CLAUDE_PID: "77", ...tmux },
      input: prompt(),
    });
    expect(ended).toMatchObject({ code: 0, output: "" });
    expect(bodies).toEqual([
      {
        request: "POST /hook",
        agent: "claude",
        event: "UserPromptSubmit",
        session: "s1",
        pid: 77,
        cwd: "/tmp/project",
        state: "working",
        begins: true,
        message: "Fix it",
        source: "hook",
        at: expect.stringMatching(/^20\d\d-/) as string,
      },
    ]);
    expect(existsSync(join(home.path, ".claude-sessions"))).toBe(false);
  });

  it("a missing or refusing runner leaves it to the status file", async () => {
    const home = tempHome();
    const { socket } = await runner(500);
    const tmux = startTmux().newSession("s", home.path);
    for (const path of [socket, join(home.path, "none.sock")]) {
      expect(await call({ home: home.path, vars: { AMUX_SOCKET: path, ...tmux }, input: prompt() })).toMatchObject({
        code: 0,
        output: "",
      });
    }
    expect(new StatusStore(join(home.path, ".claude-sessions")).read("s")?.status).toBe("working");
  });

  it("a runner that never answers costs no more than the limit", async () => {
    const home = tempHome();
    const socket = join(home.path, "hung.sock");
    const server = createSocketServer(() => undefined).listen(socket);
    await once(server, "listening");
    onTestFinished(() => void server.close());
    const ended = await call({ home: home.path, vars: { AMUX_SOCKET: socket }, input: prompt() });
    expect(ended).toMatchObject({ code: 0, output: "" });
    // Without its own limit, 1.2 s, it would never end.
    expect(ended.ms).toBeLessThan(DEADLINE_MS);
  });
});

describe("whatever happens", () => {
  it.each([
    ["nothing", ""],
    ["no JSON", "{oops"],
    ["a list", "[1]"],
    ["binary", "\u0000\u0001\u0002"],
    ["something huge", `{"hook_event_name":"Stop","x":"${"y".repeat(20_000_000)}"}`],
    ["a pipe that stays open", null],
  ])("it exits with 0 and prints nothing when it is given %s", async (_, input) => {
    const home = tempHome();
    const vars = startTmux().newSession("s", home.path);
    const ended = await call({ home: home.path, vars: { ...vars, AMUX_HOOK_PATIENCE: "1" }, input });
    expect(ended).toMatchObject({ code: 0, output: "" });
    expect(ended.ms).toBeLessThan(DEADLINE_MS);
  });

  it("it waits for what a busy agent writes late", async () => {
    const home = tempHome();
    const vars = startTmux().newSession("s", home.path);
    const child = spawn(process.execPath, [program, "claude"], {
      env: { PATH: process.env["PATH"], HOME: home.path, ...vars },
    });
    await new Promise((resolve) => setTimeout(resolve, LATE_MS));
    child.stdin.end(prompt());
    expect(await once(child, "close")).toEqual([0, null]);
    expect(new StatusStore(join(home.path, ".claude-sessions")).read("s")?.status).toBe("working");
  });

  it.each(["", "no-such-agent", "__proto__", "../x"])("it exits with 0 for the agent %j", async (agent) => {
    expect(await call({ home: tempHome().path, agent, input: prompt() })).toMatchObject({ code: 0, output: "" });
  });

  it("it is not stopped by an unwritable directory", async () => {
    const home = tempHome();
    const vars = startTmux().newSession("s", home.path);
    writeFileSync(join(home.path, ".claude-sessions"), "a file where a directory should be");
    expect(await call({ home: home.path, vars, input: prompt() })).toMatchObject({ code: 0, output: "" });
  });

  it("it is not stopped by a full disk, and leaves the old content", async () => {
    const home = tempHome();
    const vars = startTmux().newSession("s", home.path);
    await call({ home: home.path, vars, input: prompt() });
    const directory = join(home.path, ".claude-sessions");
    const before = readFileSync(join(directory, "s.json"), "utf8");
    const script = 'trap \'\' XFSZ; ulimit -f 0; exec "$0" "$@"';
    const child = spawn("/bin/sh", ["-c", script, process.execPath, program, "claude"], {
      env: { PATH: process.env["PATH"], HOME: home.path, ...vars },
      stdio: ["pipe", "inherit", "inherit"],
    });
    child.stdin.end(prompt({ prompt: "Another" }));
    expect(await once(child, "close")).toEqual([0, null]);
    expect(readFileSync(join(directory, "s.json"), "utf8")).toBe(before);
    expect(readdirSync(directory)).toEqual(["s.json"]);
  });

  it("it is not stopped by a socket with a full backlog", async () => {
    const home = tempHome();
    const vars = startTmux().newSession("s", home.path);
    const socket = join(home.path, "full.sock");
    const listen = `require("node:net").createServer().listen({path:process.argv[1],backlog:1},()=>console.log("on"))`;
    const server = spawn(process.execPath, ["-e", listen, socket], { stdio: ["ignore", "pipe", "inherit"] });
    onTestFinished(() => void server.kill("SIGKILL"));
    await once(server.stdout, "data");
    server.kill("SIGSTOP");
    const waiting = Array.from({ length: 8 }, () => createConnection(socket).on("error", () => undefined));
    onTestFinished(() => waiting.forEach((each) => each.destroy()));
    await expect.poll(() => waiting.some(({ errored }) => errored !== null)).toBe(true);
    const ended = await call({ home: home.path, vars: { ...vars, AMUX_SOCKET: socket }, input: prompt() });
    expect(ended).toMatchObject({ code: 0, output: "" });
    expect(ended.ms).toBeLessThan(DEADLINE_MS);
    expect(new StatusStore(join(home.path, ".claude-sessions")).read("s")?.status).toBe("working");
  });

  it("it can be switched off", async () => {
    const home = tempHome();
    const vars = { AMUX_HOOKS: "off", ...startTmux().newSession("s", home.path) };
    await call({ home: home.path, vars, input: prompt() });
    expect(existsSync(join(home.path, ".claude-sessions"))).toBe(false);
  });
});

describe("the command agents are given", () => {
  const shells = ["/bin/sh", "/bin/bash", "/bin/dash", "/bin/zsh", "/usr/bin/fish"].filter((shell) =>
    existsSync(shell),
  );

  async function inShell(shell: string, command: string, vars: Record<string, string>, input: string): Promise<Ended> {
    const child = spawn(shell, ["-c", command], { env: { PATH: process.env["PATH"], ...vars } });
    let output = "";
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text: string) => (output += text));
    child.stdin.on("error", () => undefined).end(input);
    const [code] = (await once(child, "close")) as [number | null];
    return { code, output, ms: 0 };
  }

  it.each(shells)("works in %s from a path with spaces and quotes", async (shell) => {
    const home = tempHome();
    const vars = { HOME: home.path, ...startTmux().newSession("s", home.path) };
    const directory = join(home.path, 'it\'s a "path" $HOME');
    mkdirSync(directory);
    const script = join(directory, "amux-hook.cjs");
    writeFileSync(script, `require(${JSON.stringify(program)})`);
    const ended = await inShell(shell, hookCommand({ node: process.execPath, script }, "claude"), vars, prompt());
    expect(ended).toMatchObject({ code: 0, output: "" });
    expect(new StatusStore(join(home.path, ".claude-sessions")).read("s")?.status).toBe("working");
  });

  it.each(shells)(
    "starts nothing in %s where nothing listens, and otherwise Node without its user's options and certificates",
    async (shell) => {
      const home = tempHome();
      const node = home.write(
        "node",
        `#!/bin/sh\necho "started $NODE_OPTIONS$NODE_EXTRA_CA_CERTS" > "${home.path}/started"\n`,
      );
      chmodSync(node, 0o755);
      const command = hookCommand({ node, script: program }, "claude");
      const vars = { HOME: home.path, NODE_OPTIONS: "--inspect-brk", NODE_EXTRA_CA_CERTS: "/company.pem" };
      expect(await inShell(shell, command, vars, prompt())).toMatchObject({ code: 0, output: "" });
      expect(existsSync(join(home.path, "started"))).toBe(false);
      await inShell(shell, command, { ...vars, AMUX_SOCKET: "/nowhere.sock" }, prompt());
      expect(readFileSync(join(home.path, "started"), "utf8")).toBe("started \n");
    },
  );

  it.each(shells)("is silent in %s when amux or Node are gone", async (shell) => {
    const gone = [
      { node: process.execPath, script: "/nowhere/amux-hook.cjs" },
      { node: "/nowhere/node", script: program },
    ];
    for (const place of gone) {
      expect(
        await inShell(
          shell,
          hookCommand(place, "claude", "Stop"),
          { HOME: tempHome().path, TMUX: "/nowhere,1,0" },
          prompt(),
        ),
      ).toMatchObject({ code: 0, output: "" });
    }
  });
});
