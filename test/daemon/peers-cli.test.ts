/** The command line works the same with sessions of other machines, and says when one is unreachable. */
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { AttentionItem } from "../../src/protocol/daemon-api.ts";
import type { AllQueues, QueuedPrompt } from "../../src/protocol/queue.ts";
import { CliTerminal } from "../runner/support/cli-terminal.ts";
import { CountingProgram, firstWrongLine } from "../runner/support/counting-program.ts";
import { screenFile } from "../status/support/screens.ts";
import { linesOf, pipedCommand } from "../support/piped-command.ts";
import { waitFor } from "../support/wait-for.ts";
import type { CliResult } from "../support/run-cli.ts";
import { warmCli, warmJson } from "../support/warm-cli.ts";
import { AgentMachine } from "./support/agent-machine.ts";
import { link } from "./support/linked.ts";
import { AMUX } from "./support/test-daemon.ts";

/** 20 MB: on the way are four network connections, which take megabytes each. */
const MANY_LINES = 2_500_000;

interface Listed {
  id: string;
  peer?: string;
  alive: boolean;
  unreachable?: boolean;
  state: string;
  title: string;
}

class Shell {
  readonly #machine: AgentMachine;

  constructor(machine: AgentMachine) {
    this.#machine = machine;
  }

  run(...args: string[]): Promise<CliResult> {
    return warmCli(args, { home: this.#machine.userHome, vars: { AMUX_HOME: this.#machine.home } });
  }

  json<T>(...args: string[]): Promise<T> {
    return warmJson<T>(args, { home: this.#machine.userHome, vars: { AMUX_HOME: this.#machine.home } });
  }

  /** Its output; the command must succeed. */
  async out(...args: string[]): Promise<string> {
    const { code, stdout, stderr } = await this.run(...args);
    if (code !== 0) throw new Error(`amux ${args.join(" ")} ended with ${code}: ${stdout}${stderr}`);
    return stdout;
  }
}

interface Machines {
  hub: AgentMachine;
  spoke: AgentMachine;
  amux: Shell;
}

async function machines(prepare: (hub: AgentMachine, spoke: AgentMachine) => void): Promise<Machines> {
  const [hub, spoke] = [new AgentMachine({}, () => undefined), new AgentMachine({}, () => undefined)];
  // Installed on the other machine: the daemon's login shell finds it.
  const program = join(spoke.root, "bin", "amux");
  writeFileSync(program, `#!/bin/sh\nexec "${process.execPath}" "${AMUX}" "$@"\n`);
  chmodSync(program, 0o755);
  prepare(hub, spoke);
  await Promise.all([hub.start(), spoke.start()]);
  await link(hub, "box", spoke);
  return { hub, spoke, amux: new Shell(hub) };
}

/** The same two machines for all tests of a group. */
function sharedPair(prepare: Parameters<typeof machines>[0] = () => undefined): () => Machines {
  let both: Machines | undefined;
  beforeAll(async () => {
    both = await machines(prepare);
  });
  afterAll(async () => {
    await both?.hub.dispose();
    await both?.spoke.dispose();
  });
  return () => both!;
}

/** After each test no session is left on them. */
function emptiedPair(): () => Machines {
  const both = sharedPair();
  afterEach(async () => {
    const { hub, spoke } = both();
    for (const machine of [spoke, hub]) {
      const own = (await machine.sessions()).filter(({ peer }) => peer === undefined);
      for (const { id } of own) await machine.data("POST", `/v1/sessions/${id}/dismiss`);
    }
    await waitFor("both to be empty", async () => (await hub.sessions()).length === 0);
  });
  return both;
}

it("listing linked machines starts no daemon; an unreachable one is linked only on request, and tried at once", async () => {
  const hub = new AgentMachine();
  const amux = new Shell(hub);
  for (const args of [["list"], ["status"]]) expect((await amux.run("peers", ...args)).code).toBe(0);
  expect((await amux.run("daemon", "status")).stdout + (await amux.run("daemon", "status")).stderr).toMatch(
    /not running/,
  );
  await hub.start();
  const token = join(hub.root, "token");
  writeFileSync(token, "a".repeat(64));
  const add = ["peers", "add", "box", "http://127.0.0.1:9", "--token-file", token];
  const refused = await amux.run(...add);
  expect(refused).toMatchObject({
    code: 1,
    stdout: expect.stringMatching(/^box is not linked: it cannot be reached\./) as string,
  });
  expect(await amux.json("peers", "list")).toEqual([]);
  expect((await amux.run(...add, "--keep")).stdout).toMatch(/^box is saved, but cannot be reached yet\./);
  // Not while it is being tried.
  await waitFor("the next try", async () =>
    /tried again (?:in \d+ s|now); amux peers retry box/.test((await amux.run("peers", "status", "box")).stdout),
  );
  expect(await amux.run("peers", "retry", "box")).toMatchObject({
    code: 1,
    stdout: expect.stringMatching(/^box is unreachable\. /) as string,
  });
  await hub.kill("SIGTERM");
  expect(await amux.json("peers", "list")).toEqual([{ name: "box", url: "http://127.0.0.1:9", state: "unknown" }]);
});

describe("amux … id@peer", () => {
  const both = emptiedPair();

  it("lists, shows, types, waits, names and starts there", async () => {
    const { hub, spoke, amux } = both();
    const id = (await amux.out("run", "--on", "box", "-d", "--name", "build", "--", "sh", "-c", SCRIPT)).trim();
    expect(id).toMatch(/^sess-[a-z0-9]{8}@box$/);
    const native = id.replace("@box", "");
    expect(await spoke.session(native)).toMatchObject({ alive: true, title: "build", cwd: spoke.userHome });
    const here = await hub.launch("cat -u");

    const [table, rows, own] = await Promise.all([
      amux.out("ls"),
      amux.json<Listed[]>("ls"),
      amux.json<Listed[]>("ls", "--here"),
    ]);
    expect(table).toMatch(/^SESSION +NAME +MACHINE +STATE/);
    expect(table).toMatch(new RegExp(`^${id} +build +box +idle`, "m"));
    expect(rows.map((row) => [row.id, row.peer]).sort()).toEqual(
      [
        [here, undefined],
        [id, "box"],
      ].sort(),
    );
    expect(own.map((row) => row.id)).toEqual([here]);

    expect((await amux.run("wait", id, "ready", "--for", "text", "--timeout", "20s")).code).toBe(0);
    await amux.out("send", "build@box", "a word");
    expect((await amux.run("wait", id, "--for", "regex", "got a w.rd", "--timeout", "20s")).code).toBe(0);
    const [tail, capture, html] = await Promise.all([
      amux.out("tail", id, "-n", "2"),
      amux.out("capture", "build@box"),
      amux.out("capture", id, "--format", "html"),
    ]);
    expect(tail).toContain("got a word");
    expect(capture.split("\n")).toContain("ready");
    expect(html).toContain("<title>build");
    await amux.out("rename", id, "the build");
    await hub.until("its name", id, ({ title }) => title === "the build");
    expect(await amux.json("status", id)).toMatchObject({ ref: id, peer: "box", name: "the build" });
    expect(await amux.out("explain", id)).toContain("the build");
    expect(await amux.out("tail", "the build@box"), "a name with a space").toContain("got a word");
    expect(await amux.out("tail", "the b@box"), "or the beginning of it").toContain("got a word");
    expect((await amux.run("details", id)).stdout).toContain(spoke.userHome);

    const waiting = amux.run("wait", id, "--timeout", "60s");
    const following = new CliTerminal(["tail", id, "-f"], hub.home);
    await following.sees("got a word");
    await amux.out("send", id, "end");
    expect((await waiting).code).toBe(5);
    expect(await following.ended()).toBe(5);
    await hub.until("its end", id, ({ alive }) => !alive);
    expect(await amux.out("tail", id)).toContain("got a word");
    expect(await amux.out("restart", id, "-d")).toBe("");
    await hub.until("its return", id, ({ alive }) => alive);
  });

  it("queues a prompt there, lists, pauses, edits and removes it", async () => {
    const { hub, spoke, amux } = both();
    const native = await spoke.launch("exec cat", { name: "there" });
    const id = `${native}@box`;
    await hub.until("the row", id, ({ alive }) => alive);
    const added = await amux.json<QueuedPrompt>("queue", "there@box", "run the tests", "--when", "in 2h");
    expect(added).toMatchObject({ session: native, text: "run the tests", state: "queued" });
    await hub.until("its count here", id, ({ queued }) => queued === 1);
    const list = async (): Promise<AllQueues> => amux.json("queue", "list", "there@box");
    expect((await list()).sessions).toMatchObject([{ paused: false, items: [{ id: added.id }] }]);
    await amux.out("queue", "pause", "there@box");
    expect((await list()).sessions).toMatchObject([{ paused: true }]);
    await amux.out("queue", "edit", added.id, "run the tests twice");
    await amux.out("queue", "pause", added.id);
    expect((await list()).sessions).toMatchObject([{ items: [{ text: "run the tests twice", paused: true }] }]);
    const refused = await amux.run("dismiss", id);
    expect([refused.code === 0, refused.stderr]).toEqual([false, expect.stringContaining("has 1 prompt")]);
    await amux.out("queue", "remove", added.id);
    expect((await list()).sessions).toMatchObject([{ items: [] }]);
    expect((await amux.run("queue", "remove", added.id)).code).toBe(8);
  });

  it("shows who waits there, and answers them", async () => {
    const { hub, spoke, amux } = both();
    const id = `${await spoke.launch("read x; echo heard $x; read y")}@box`;
    await hub.until("the row", id, ({ alive }) => alive);
    const native = id.replace("@box", "");
    await spoke.data("PUT", `/v1/sessions/${native}/status`, { label: "it broke", working: false, error: true });
    const [item] = await waitFor("the queue", async () => {
      const queue = await hub.data<AttentionItem[]>("GET", "/v1/attention");
      return queue.length > 0 ? queue : undefined;
    });
    expect(item).toMatchObject({ session_id: id, peer: "box", reason: "error" });
    // It does not pass on what it hears from peers.
    const own = await spoke.data<AttentionItem[]>("GET", "/v1/attention");
    expect(own.map(({ session_id, peer }) => [session_id, peer])).toEqual([[native, undefined]]);
    expect(
      (await amux.json<{ ref: string; reason: string }[]>("attention")).map(({ ref, reason }) => [ref, reason]),
    ).toEqual([[id, "error"]]);
    expect(await amux.out("ls")).toMatch(/ error +it broke/);
    expect(await amux.run("answer", id, "go on")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("asks nothing; its state is error") as string,
    });
    await amux.out("send", id, "go on");
    await waitFor("the message", async () =>
      (await spoke.ask("GET", `/v1/sessions/${native}/text`)).text.includes("heard go on"),
    );
    await amux.out("snooze", id, "10m");
    await waitFor(
      "the queue to empty",
      async () => (await hub.data<AttentionItem[]>("GET", "/v1/attention")).length === 0,
    );
  });

  it("refuses remote actions with the same exit code and message as local ones", async () => {
    const { hub, spoke, amux } = both();
    const there = new Shell(spoke);
    const dialog = join(import.meta.dirname, "../status/support/choice.mjs");
    const options = "'Allow once' 'Allow for' 'No, suggest'";
    const asks = await spoke.launch(
      `printf '\\033]7501;state=blocked:app=x:kind=permission\\007'; exec '${process.execPath}' '${dialog}' '${screenFile("gemini", "permission")}' ${options}`,
    );
    const plain = await spoke.launch("read x");
    for (const id of [asks, plain]) await hub.until("the row", `${id}@box`, ({ alive }) => alive);
    // It is reported before it is drawn.
    const question = async (): Promise<AttentionItem | undefined> =>
      (await hub.data<AttentionItem[]>("GET", "/v1/attention"))[0];
    await waitFor("its options", async () => (await question())?.options);
    const refusals: [code: number, ...words: string[]][] = [
      [2, "send", asks, "stop, do not do that"],
      [2, "answer", asks, "none of these"],
      [1, "answer", plain, "deny"],
      [8, "capture", "sess-aaaaaaaa"],
      [8, "kill", "sess-aaaaaaaa"],
      [8, "rename", "sess-aaaaaaaa", "new"],
      [2, "send", plain, "--key", "NoSuchKey"],
    ];
    for (const [code, name, id, ...rest] of refusals) {
      const here = await there.run(name!, id!, ...rest);
      const over = await amux.run(name!, `${id}@box`, ...rest);
      expect([here.code, over.code], `${name} ${rest.join(" ")}: ${here.stderr}${over.stderr}`).toEqual([code, code]);
      expect(over.stderr.replaceAll(/@box| and amux peers status/g, "")).toBe(here.stderr);
    }
    expect((await spoke.ask("GET", `/v1/sessions/${asks}/text`)).text).not.toContain("took:");
  });

  it("waits for, restarts and dismisses a session whose process is gone there", async () => {
    const { hub, spoke, amux } = both();
    const native = await spoke.launch("exec sleep 600", { name: "gone" });
    const id = `${native}@box`;
    await hub.until("the row", id, ({ alive }) => alive);
    const kill = async (): Promise<void> => {
      const { runner_pid } = await spoke.data<{ runner_pid: number }>("GET", `/v1/sessions/${native}/details`);
      process.kill(runner_pid, "SIGKILL");
      await hub.until("its end", id, ({ alive }) => !alive);
    };
    await kill();
    const waits = [await amux.run("wait", "gone@box"), await amux.run("wait", id, "--for", "idle")];
    expect(waits.map(({ code }) => code)).toEqual([1, 1]);
    await amux.out("restart", "gone@box", "-d");
    await hub.until("it to run again", id, ({ alive }) => alive);
    await kill();
    await amux.out("dismiss", id);
    await waitFor("the row to go", async () => (await hub.session(id)) === undefined);
    expect(await spoke.session(native)).toBeUndefined();
  });

  it("a session on another machine gets a worktree there, and its notes are shown here", async () => {
    const { spoke, amux } = both();
    const cwd = spoke.project("shop");
    const git = (...args: string[]): string =>
      execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b.c", ...args], { cwd, encoding: "utf8" });
    git("init", "-q", "-b", "main");
    mkdirSync(join(cwd, ".agent-mux"));
    writeFileSync(join(cwd, ".agent-mux/worktree.json"), JSON.stringify({ setup: "touch made" }));
    git("add", ".");
    git("commit", "-q", "-m", "first");
    const started = await amux.run(
      "run",
      "--on",
      "box",
      "-d",
      "--worktree",
      "fix",
      "--cwd",
      cwd,
      "--",
      "sleep",
      "1000",
    );
    expect(started).toMatchObject({ code: 0, stderr: expect.stringContaining("was not run: it is not trusted") });
    expect(git("worktree", "list")).toContain("shop.worktrees/fix");
    const json = await amux.out("run", "--on", "box", "--worktree", "--json", "--cwd", cwd, "--", "sleep", "1000");
    expect(JSON.parse(json)).toMatchObject({ peer: "box", branch: "amux-1" });
  });

  it("a program there waits for a slow reader here, who gets every line", async () => {
    const { hub, spoke } = both();
    const program = new CountingProgram(spoke.root, MANY_LINES);
    const place = { home: hub.userHome, vars: { AMUX_HOME: hub.home } };
    const command = pipedCommand(["run", "--on", "box", "--", ...program.command], place);
    await program.isHeldUp();
    const lines = await linesOf(command);
    expect(lines).toHaveLength(MANY_LINES + 1);
    expect(firstWrongLine(lines)).toBe(MANY_LINES);
  });

  it("a program there that ends at once leaves its output and exit code here", async () => {
    const { amux } = both();
    const ended = await amux.run("run", "--on", "box", "--", "sh", "-c", "echo done; exit 7");
    expect(ended).toMatchObject({ code: 7, stdout: "done\n" });
  });

  it("an unknown machine has one exit code, in every command", async () => {
    const { amux } = both();
    for (const args of [
      ["peers", "status", "nowhere"],
      ["peers", "remove", "nowhere"],
      ["run", "--on", "nowhere", "-d", "--", "true"],
      ["capture", "sess-aaaaaaaa@nowhere"],
    ]) {
      const { code, stderr } = await amux.run(...args);
      expect({ code, stderr }, args.join(" ")).toEqual({
        code: 8,
        stderr: expect.stringContaining("nowhere") as string,
      });
    }
  });

  it("runs an agent with a prompt there, and starts in the directory the page chose", async () => {
    const { hub, spoke, amux } = both();
    const recorded = join(import.meta.dirname, "../../src/agents/claude/fixtures");
    const replay = join(import.meta.dirname, "../support/fake-agents/replay.mjs");
    const program = join(spoke.root, "bin", "claude");
    writeFileSync(
      program,
      `#!/bin/sh\nFAKE_NOTES="${spoke.root}/notes" FAKE_STREAM="${recorded}/stream/tools-1.jsonl" exec "${process.execPath}" "${replay}" "$@"\n`,
    );
    const work = spoke.project("work");
    const run = await amux.json<{ id: string; peer: string }>(
      ...["run", "--on", "box", "claude", "Add it; then $(stop) 'now'", "-d", "--tag", "night", "--cwd", work],
    );
    expect(run).toEqual({ id: expect.stringMatching(/^sess-[a-z0-9]{8}@box$/) as string, peer: "box" });
    const row = await hub.until("its end", run.id, ({ alive }) => !alive);
    expect(row).toMatchObject({ exit_code: 0, cwd: work, title: "Add it; then $(stop) 'now'" });
    expect(await amux.out("capture", run.id)).toContain("Added `GET /health`");
    expect(readFileSync(join(spoke.home, "run-index.jsonl"), "utf8")).toContain('"night"');
    for (const option of ["--session=x", "--ask=deny", "--profile=x"]) {
      expect((await amux.run("run", "--on", "box", "claude", "Add it", option)).code, option).toBe(2);
    }

    // What the page needs to offer a machine: its agents, sessions and directories.
    const [agents, places] = await Promise.all([
      hub.data<{ agents: { name: string }[] }>("GET", "/v1/capabilities?peer=box"),
      hub.data<string[]>("GET", `/v1/directories?peer=box&prefix=${encodeURIComponent(`${spoke.userHome}/w`)}`),
    ]);
    expect(agents).toEqual(await spoke.data("GET", "/v1/capabilities"));
    expect(places).toEqual([work]);
    const started = await hub.data<{ session_id: string }>("POST", "/v1/launch", {
      peer: "box",
      command: ["sh", "-c", "echo $GREETING; read x"],
      cwd: work,
      env: { GREETING: "hello over there" },
      cols: 91,
      rows: 17,
    });
    const at = await hub.until("its size", started.session_id, ({ terminal_cols }) => terminal_cols === 91);
    expect(at).toMatchObject({ peer: "box", cwd: work, terminal_rows: 17 });
    await waitFor("its words", async () =>
      (await hub.ask("GET", `/v1/sessions/${started.session_id}/text`)).text.includes("hello over there"),
    );
  });
});

describe("amux … with conversations on both machines", () => {
  const both = sharedPair((hub, spoke) => {
    spoke.old(1, "Polish the copper", spoke.project("shop"));
    hub.old(2, "Iron here", hub.project("shop"));
  });

  it("reads conversations, resumes them, and queries all machines at once", async () => {
    const { hub, spoke, amux } = both();
    const shop = spoke.project("shop");
    const id = await spoke.agent(shop);
    const key = await spoke.prompt(id, "copper wire");
    await hub.until("its conversation", `${id}@box`, ({ resume_key }) => resume_key === key);

    const [past, live, json] = await Promise.all([
      amux.out("sessions", "show", "claude:00000001@box"),
      amux.out("sessions", "show", `${id}@box`),
      amux.json<{ sessionId: string; messages: unknown[] }>("sessions", "show", "claude", `${key}@box`, "--limit", "1"),
    ]);
    expect(past).toContain("Polish the copper");
    expect(live).toContain("answer to copper wire");
    expect(json).toMatchObject({ sessionId: key, messages: [{ role: "user", content: "copper wire" }] });
    expect((await amux.run("sessions", "show", "claude:ffff@box")).code).toBe(8);
    // As the page asks: the running row's conversation, a past one, and what it needs to offer both.
    const part = "from=1&limit=1";
    const there = await spoke.data("GET", `/v1/history/claude:${key}?${part}`);
    expect(there).toMatchObject({ from: 1, messages: [{ role: "assistant", content: "answer to copper wire" }] });
    expect(await hub.data("GET", `/v1/sessions/${id}@box/transcript?${part}`)).toEqual(there);
    expect(await hub.data("GET", `/v1/history/claude:${key}?${part}&peer=box`)).toEqual(there);
    expect((await hub.ask("GET", `/v1/history/claude:${key}?peer=nobody`)).error?.code).toBe("unknown_peer");
    const facets = await hub.data("GET", "/v1/history/facets?q=copper&peer=box");
    expect(facets).toEqual(await spoke.data("GET", "/v1/history/facets?q=copper"));
    expect((await hub.ask("GET", "/v1/cost.csv?peer=box&group_by=agent")).text).toMatch(/^agent,usd.*\r\nclaude,/);

    const [list, found, cost] = await Promise.all([
      amux.json<{ sessions: { unifiedId: string; machines: string[] }[]; partial: boolean }>(
        "sessions",
        "list",
        "--peers",
      ),
      amux.out("sessions", "search", "copper", "--peers"),
      amux.json<{ breakdowns: Record<string, { requestCount: number }>; requestCount: number; partial: boolean }>(
        "cost",
        "report",
        "--peers",
        "--group-by",
        "project",
      ),
    ]);
    expect(list.partial).toBe(false);
    expect(list.sessions.map(({ unifiedId, machines: on }) => [unifiedId.slice(0, 15), on])).toContainEqual([
      "claude:00000002",
      [""],
    ]);
    expect(list.sessions.filter(({ machines: on }) => on.includes("box")).length).toBe(2);
    expect(found).toMatch(/^claude:00000001\S* {2}Polish the copper {2}box /m);
    expect(cost.requestCount).toBe(3);
    expect(Object.entries(cost.breakdowns).map(([place, { requestCount }]) => [place, requestCount])).toEqual(
      [
        [hub.project("shop"), 1],
        [shop, 2],
      ].sort(),
    );

    await spoke.data("POST", `/v1/sessions/${id}/kill`);
    const again = (await amux.out("sessions", "resume", `claude:${key}@box`, "-d")).trim();
    await hub.until("its return", again, ({ alive, resume_key }) => alive && resume_key === key);
    expect((await amux.run("wait", again, "resumed", "--for", "text", "--timeout", "20s")).code).toBe(0);
    await amux.out("dismiss", again);
    await waitFor("its row to go", async () => (await hub.session(again)) === undefined);
  });

  it("a list shows another machine's sessions as its own list does, by machine, and says which machines are missing", async () => {
    const { hub, spoke, amux } = both();
    await waitFor("past conversations here", async () =>
      (await hub.sessions()).some(({ alive, peer }) => !alive && peer === "box"),
    );
    const id = await spoke.launch("exec cat", { name: "there" });
    await waitFor("its session here", async () => (await hub.session(`${id}@box`))?.alive);
    await hub.launch("exec cat", { name: "here" });
    expect((await amux.json<Listed[]>("ls", "--machine", "box")).map((row) => row.id)).toEqual([`${id}@box`]);
    expect((await amux.json<Listed[]>("ls")).length).toBe(2);
    expect((await amux.run("ls", "--machine", "nowhere")).code).toBe(8);
    expect(await amux.run("status", "set", "there@box", "working")).toMatchObject({ code: 2 });
    expect(await amux.json<Listed[]>("status"), "no phantom").toHaveLength(2);
    await spoke.kill("SIGKILL");
    await waitFor("it to be missed", async () => (await hub.session(`${id}@box`))?.unreachable);
    const alive = await amux.run("ls", "--alive");
    expect(alive.stdout).not.toContain("there");
    expect(alive.stderr).toContain("Without box: it cannot be reached.");
  });

  it("says what is unreachable, and accepts a local name with an @", async () => {
    const { hub, spoke, amux } = both();
    await spoke.start();
    await hub.data("POST", "/v1/peers/box/retry");
    const id = `${await spoke.launch("echo far away; read x", { name: "deploy" })}@box`;
    await hub.until("the row", id, ({ alive, unreachable }) => alive && unreachable === undefined);
    expect((await amux.run("tail", "x@nobody")).code).toBe(8);
    await amux.out("run", "-d", "--name", "me@nobody", "--", "sh", "-c", "echo at home; read x");
    await amux.out("wait", "me@nobody", "at home");
    expect(await amux.out("tail", "me@nobody")).toContain("at home");
    expect(await amux.out("tail", "deploy@box")).toContain("far away");
    // A local session with exactly this name wins; the other is still found by id.
    await amux.out("run", "-d", "--name", "deploy@box", "--", "sh", "-c", "echo near by; read x");
    await amux.out("wait", "deploy@box", "near by");
    expect(await amux.out("tail", "deploy@box")).toContain("near by");
    expect(await amux.out("tail", id)).toContain("far away");
    expect((await amux.run("run", "--on", "nobody", "--", "true")).code).toBe(8);
    expect((await amux.run("run", "--on", "box", "--cwd", "here", "--", "true")).code).toBe(2);

    await spoke.kill("SIGKILL");
    await hub.until("the mark", id, ({ unreachable }) => unreachable === true);
    const rows = await amux.json<Listed[]>("ls");
    expect(rows.find((row) => row.id === id)).toMatchObject({ state: "unreachable", unreachable: true });
    const [table, tail, run, list] = await Promise.all([
      amux.out("ls"),
      amux.run("tail", id),
      amux.run("run", "--on", "box", "-d", "--", "true"),
      amux.run("sessions", "list", "--peers"),
    ]);
    expect(table).toMatch(/ box +unreachable/);
    for (const { code, stderr } of [tail, run]) {
      expect(stderr).toContain("box cannot be reached.");
      expect(code).toBe(11);
    }
    expect(list.stderr).toContain("Without box: box cannot be reached.");
    expect(list.code).toBe(16);
    await hub.kill("SIGTERM");
    const alone = await amux.run("ls");
    expect(alone.code).toBe(0);
    expect(alone.stderr).toContain("Without box: the daemon is not running");
    expect(alone.stdout).toContain("deploy@box");
  });
});

/** Echoes its input until it reads `end`. */
const SCRIPT = 'echo ready; while read x; do [ "$x" = end ] && exit 5; echo "got $x"; done';
