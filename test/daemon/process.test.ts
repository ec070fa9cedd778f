import { execFileSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer as createWebServer } from "node:http";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { acquireLock } from "../../src/lib/process/process-lock.ts";
import type { Health, SessionDetails } from "../../src/protocol/daemon-api.ts";
import { runCli, type CliResult } from "../support/run-cli.ts";
import { warmCli } from "../support/warm-cli.ts";
import { waitFor } from "../support/wait-for.ts";
import { wake } from "../support/continue-process.ts";
import { sharedDaemon } from "./support/shared-daemon.ts";
import { freePort } from "../../scripts/free-port.mjs";
import { removeTree } from "../../scripts/remove-tree.mjs";
import { AMUX, TestDaemon } from "./support/test-daemon.ts";

const VERSION = (JSON.parse(readFileSync("package.json", "utf8")) as { version: string }).version;

function amux(args: string[], vars: Record<string, string>): Promise<CliResult> {
  return warmCli(args, { home: vars["HOME"]!, vars });
}

function mode(path: string): string {
  return (statSync(path).mode & 0o777).toString(8);
}

describe("the daemon as a process", () => {
  it("starts in the background, reports its state, and ends", async () => {
    const test = new TestDaemon();
    const vars = { ...test.vars, AMUX_LISTEN: `127.0.0.1:${await freePort()}` };
    const run = (...args: string[]): Promise<CliResult> => amux(["daemon", ...args], vars);
    expect(await run("status")).toMatchObject({ code: 1, stdout: "The daemon is not running.\n" });
    const hosts = join(test.home, "daemon-hosts");
    mkdirSync(test.home, { mode: 0o700 });
    writeFileSync(hosts, "hub.example\nno/host\n");
    // As a user starts it: the command ends, and the daemon stays.
    const { stdout, stderr } = await runCli(["daemon", "start", "--json"], { home: test.userHome, vars });
    const started = JSON.parse(stdout) as Health;
    expect(started).toMatchObject({ service: "amuxd", status: "ok", listen: vars.AMUX_LISTEN, hosts: ["hub.example"] });
    expect(stderr, "a damaged list of host names").toBe(`${hosts}: "no/host" is not a host's name. It is skipped.\n`);
    expect(readFileSync(hosts, "utf8")).toContain("no/host");
    expect((await run("status")).stdout).toContain(`http://${vars.AMUX_LISTEN}`);
    const again = JSON.parse((await run("start", "--json")).stdout) as Health;
    expect(again.pid).toBe(started.pid);
    const replaced = JSON.parse((await run("restart", "--json")).stdout) as Health;
    expect(replaced.pid).not.toBe(started.pid);
    expect(await run("stop")).toMatchObject({
      code: 0,
      stdout: `The daemon (process ${replaced.pid}) has ended. Sessions keep running.\n`,
    });
    expect(existsSync(test.files.socket)).toBe(false);
    expect((await run("stop")).stdout).toBe("The daemon was not running.\n");
  });

  it("is ended by its pid when it blocks, ends when its home is removed, and another can take its place", async () => {
    const test = await new TestDaemon().start();
    process.kill(test.pid, "SIGSTOP");
    expect(await amux(["daemon", "stop"], test.vars)).toMatchObject({
      code: 0,
      stdout: `The daemon (process ${test.pid}) did not answer and was killed. Sessions keep running.\n`,
    });
    await test.start();

    // Its home is removed: it ends, and the next one gets the port.
    const ended = new Promise((resolve) => test.child!.once("exit", resolve));
    await removeTree(test.home);
    await ended;
    await test.start();
    expect((await amux(["daemon", "status"], test.vars)).stdout).toContain(`http://127.0.0.1:${test.port}`);
  });

  it("is one, however many are started at once", async () => {
    const test = new TestDaemon();
    const vars = { ...test.vars, AMUX_LISTEN: `127.0.0.1:${await freePort()}` };
    const results = await Promise.all(Array.from({ length: 3 }, () => amux(["daemon", "start", "--json"], vars)));
    const pids = results.map(({ stdout, stderr }) => (stdout === "" ? stderr : (JSON.parse(stdout) as Health).pid));
    expect(new Set(pids).size, JSON.stringify(pids)).toBe(1);
    await amux(["daemon", "stop"], vars);
  });

  it("is waited for while another command starts it, longer than usual", async () => {
    const test = new TestDaemon();
    const vars = { ...test.vars, AMUX_LISTEN: `127.0.0.1:${await freePort()}` };
    mkdirSync(test.home, { mode: 0o700 });
    // This process stands for a daemon that answers late.
    const lock = acquireLock(test.files.lock)!;
    const started = amux(["daemon", "start", "--json"], vars);
    await new Promise((resolve) => setTimeout(resolve, 5000));
    const health: Health = {
      service: "amuxd",
      version: VERSION,
      status: "ok",
      pid: process.pid,
      started_at: new Date().toISOString(),
      hostname: "here",
      sessions: { alive: 0, dead: 0 },
    };
    const late = createWebServer((_, response) => response.end(JSON.stringify({ ok: true, data: health })));
    onTestFinished(() => void late.close());
    late.listen(test.files.socket);
    const { stdout, stderr } = await started;
    lock.release();
    expect(stdout === "" ? stderr : JSON.parse(stdout)).toEqual(health);
  });

  it("keeps its files private and its token secret, and writes its log as JSON lines", async () => {
    const given = "ab".repeat(32);
    const test = await new TestDaemon({ AMUX_TOKEN: given }).start();
    expect(test.token).toBe(given);
    expect([test.home, test.files.socket, test.files.token, test.files.log].map(mode)).toEqual([
      "700",
      "600",
      "600",
      "600",
    ]);
    const id = await test.launch("env; cat /proc/$PPID/cmdline; echo; echo that is $((6 * 7)); sleep 100");
    const shown = await waitFor("all of it", async () => {
      const { text } = await test.ask("GET", `/v1/sessions/${id}/text?lines=500`);
      return text.includes("that is 42") ? text : undefined;
    });
    expect(shown).toContain("AMUX_SESSION_ID");
    expect(shown).not.toContain(test.token);
    expect(readFileSync(test.files.log, "utf8")).not.toContain(test.token);
    expect(readFileSync(`/proc/${test.pid}/cmdline`, "utf8")).not.toContain(test.token);
    for (const path of ["/v1/health", "/v1/capabilities", "/v1/sessions"]) {
      expect((await test.ask("GET", path)).text).not.toContain(test.token);
    }
    await test.kill("SIGTERM");
    const lines = readFileSync(test.files.log, "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { what: string });
    expect(lines.map(({ what }) => what)).toEqual(["started", "ended"]);
    const last = (await amux(["daemon", "log", "-n", "1"], test.vars)).stdout;
    expect(JSON.parse(last)).toMatchObject({ what: "ended" });
    expect(existsSync(test.files.socket)).toBe(false);
    expect(existsSync(test.files.lock)).toBe(false);
  });

  it("is replaced by a newer version while sessions continue", async () => {
    const test = new TestDaemon();
    const vars = { ...test.vars, AMUX_LISTEN: `127.0.0.1:${await freePort()}` };
    // The same build in another place, with an older version number.
    const older = join(test.root, "older");
    cpSync(dirname(AMUX), older, { recursive: true, filter: (name) => !/\.map$|\/types$/.test(name) });
    symlinkSync(join(import.meta.dirname, "../../node_modules"), join(test.root, "node_modules"));
    const quoted = new RegExp(`(["'\`])${VERSION.replaceAll(".", "\\.")}\\1`, "g");
    for (const name of [...readdirSync(join(older, "chunks")).map((chunk) => join("chunks", chunk)), "amux.cjs"]) {
      const text = readFileSync(join(older, name), "utf8");
      const aged = text.replaceAll(quoted, '"0.0.1"');
      if (aged !== text) writeFileSync(join(older, name), aged);
    }
    const startOlder = (): Health => {
      const command = [join(older, "amux.cjs"), "daemon", "start", "--json"];
      return JSON.parse(execFileSync(process.execPath, command, { env: vars, encoding: "utf8" })) as Health;
    };
    expect(startOlder()).toMatchObject({ version: "0.0.1" });
    const id = await test.launch("echo still here; cat");
    const before = (await test.session(id))!;
    const second = JSON.parse((await amux(["daemon", "start", "--json"], vars)).stdout) as Health;
    expect(second).toMatchObject({ version: VERSION, sessions: { alive: 1 } });
    expect(await test.session(id)).toMatchObject({ alive: true, pid: before.pid, created_at: before.created_at });
    expect(startOlder().pid, "an older command does not replace a newer daemon").toBe(second.pid);
    await amux(["daemon", "stop"], vars);
  });

  it("says why it did not start in the background", async () => {
    const test = new TestDaemon();
    mkdirSync(test.home, { mode: 0o700 });
    writeFileSync(test.files.token, "short", { mode: 0o600 });
    const answer = await amux(["daemon", "start"], test.vars);
    expect(answer.code).not.toBe(0);
    expect(answer.stderr).toContain(`did not start: ${test.files.token} holds no token. Remove it to get a new one.`);
  });

  it("is installed as a service on request, and removed again", async () => {
    const test = new TestDaemon();
    const installed = JSON.parse((await amux(["daemon", "install", "--json"], test.vars)).stdout) as { path: string };
    expect(readFileSync(installed.path, "utf8")).toContain(AMUX);
    expect(installed.path.startsWith(test.userHome)).toBe(true);
    expect((await amux(["daemon", "uninstall"], test.vars)).stdout).toContain(`Removed ${installed.path}`);
    expect(existsSync(installed.path)).toBe(false);
  });

  it("keeps its address and host names, changes the address on request, and works on its socket alone if that is taken", async () => {
    const test = new TestDaemon();
    const [first, second] = [`127.0.0.1:${await freePort()}`, `127.0.0.1:${await freePort()}`];
    const run = (...args: string[]): ReturnType<typeof amux> => amux(["daemon", ...args], test.vars);
    const health = async (...args: string[]): Promise<Health> => {
      const now = JSON.parse((await run(...args, "--json")).stdout) as Health;
      test.adopt(now.pid);
      return now;
    };
    expect(await run("start", "--listen", "nowhere")).toMatchObject({
      code: 2,
      stderr: 'amux: --listen takes address:port, not "nowhere".\n',
    });
    const kept = { listen: first, hosts: ["hub.example:8443"] };
    expect(await health("start", "--listen", first, "--host", "hub.example:8443")).toMatchObject(kept);
    const again = await run("start", "--host", "other.example");
    expect([again.code, again.stderr]).toEqual([0, expect.stringContaining("does not answer to other.example")]);
    const elsewhere = await run("start", "--listen", second);
    expect(elsewhere.stderr).toContain(`amux daemon restart --listen ${second}`);
    expect(await health("restart")).toMatchObject(kept);
    expect(await health("restart", "--listen", second)).toMatchObject({ ...kept, listen: second });
    const squatter = createServer().listen(0, "127.0.0.1");
    await waitFor("the squatter", () => squatter.address() !== null);
    const taken = (squatter.address() as { port: number }).port;
    const failed = await run("restart", "--listen", `127.0.0.1:${taken}`, "--json");
    const left = JSON.parse(failed.stdout) as Health;
    test.adopt(left.pid);
    expect(await test.data<Health>("GET", "/v1/health")).not.toHaveProperty("listen");
    expect([failed.code, left]).toEqual([1, expect.not.objectContaining({ listen: expect.anything() as unknown })]);
    squatter.close();
  });

  it("refuses to listen on a public address", async () => {
    const test = new TestDaemon();
    const { code, stderr } = await runCli(["daemon", "--listen", "0.0.0.0:8790"], {
      home: test.userHome,
      vars: test.vars,
    });
    expect([code, stderr]).toEqual([
      7,
      expect.stringContaining("is not an address of this machine or of a private network"),
    ]);
  });
});

describe("kill -9 of the daemon", () => {
  /** Each test has its own sessions. */
  const shared = sharedDaemon();

  it("loses nothing", async () => {
    const test = shared();
    const living = await test.launch("echo here; cat", { name: "the living" });
    const ended = await test.launch("exit 3");
    await test.until("the end", ended, ({ alive }) => !alive);
    await test.ask("PUT", `/v1/sessions/${living}/status`, { label: "thinking", working: true });
    await test.ask("PUT", "/v1/projects", { items: [{ slug: "p", match: [{ path: test.userHome }] }], pins: [living] });
    await test.until("the status", living, ({ status }) => status?.working === true);
    const before = await test.sessions();
    const projects = await test.data("GET", "/v1/projects");
    await test.kill("SIGKILL");
    await test.start();
    expect(await test.sessions()).toEqual(before);
    expect(await test.data("GET", "/v1/projects")).toEqual(projects);
    expect(before.find(({ id }) => id === living)).toMatchObject({ alive: true, title: "the living" });
    expect(before.find(({ id }) => id === ended)).toMatchObject({ alive: false, exit_code: 3, resumable: true });
    await test.ask("POST", `/v1/sessions/${living}/input`, Buffer.from("and still here\n"));
    await waitFor("the echo", async () =>
      (await test.ask("GET", `/v1/sessions/${living}/text`)).text.includes("and still here"),
    );
  });

  it("is immediate even if a session's process is stopped, and SIGTERM does not wait for it", async () => {
    const test = shared();
    const still = await test.launch("cat");
    const other = await test.launch("cat");
    const { runner_pid } = await test.data<SessionDetails>("GET", `/v1/sessions/${still}/details`);
    const before = await test.session(still);
    process.kill(runner_pid!, "SIGSTOP");
    onTestFinished(() => wake(runner_pid!));
    await test.kill("SIGKILL");
    await test.start();
    expect(await test.session(still), "nothing says that it is over").toEqual(before);
    expect((await test.session(other))?.alive).toBe(true);
    const met = await test.shim.spawn({ command: ["cat"], cwd: test.userHome });
    await test.until("one that came meanwhile", met, ({ alive }) => alive);
    process.kill(runner_pid!, "SIGCONT");
    await test.ask("PUT", `/v1/sessions/${still}/title`, { title: "awake" });
    await test.until("its voice", still, ({ title }) => title === "awake");

    process.kill(runner_pid!, "SIGSTOP");
    const answer = test.ask("GET", `/v1/sessions/${still}/text`).catch(() => "no answer");
    // Answered after the first request has come in.
    await test.data("GET", "/v1/health");
    await test.kill("SIGTERM");
    // Had the daemon waited for the runner, it would say that the runner does not answer.
    expect(await answer).toBe("no answer");
    await test.start();
  });

  it("in the middle of a resume leaves one session", async () => {
    const test = shared();
    const before = (await test.sessions()).length;
    const id = await test.launch("exit 0");
    await test.until("the end", id, ({ alive }) => !alive);
    void test.ask("POST", `/v1/sessions/${id}/resume`).catch(() => undefined);
    // Answered after the resume has begun.
    await test.data("GET", "/v1/health");
    await test.kill("SIGKILL");
    await test.start();
    await test.until("the second end", id, ({ alive }) => !alive);
    expect((await test.sessions()).filter((session) => session.id === id)).toHaveLength(1);
    expect((await test.sessions()).length, "and no other").toBe(before + 1);
  });
});
