/** Sessions survive viewers, launchers, bad input, a lost socket file, a full disk, and their runner. */
import { execFileSync, spawn, spawnSync } from "node:child_process";
import {
  appendFileSync,
  existsSync,
  lchownSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { connect } from "node:net";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { removeTree } from "../../scripts/remove-tree.mjs";
import { openShimConnection } from "../../src/client/open-shim-connection.ts";
import { renameSession } from "../../src/client/rename-session.ts";
import { knownSessions } from "../../src/client/session-list.ts";
import { ShimClient } from "../../src/client/shim-client.ts";
import { acquireLock } from "../../src/lib/process/process-lock.ts";
import { socketAnswers } from "../../src/lib/process/socket-probe.ts";
import { encodeFrame } from "../../src/protocol/frame-codec.ts";
import { createEmulator } from "../../src/screen/emulator.ts";
import { RawClient } from "./support/raw-client.ts";
import { runnerBundle, TestHome } from "./support/sessions.ts";
import { isRunning, processState } from "../support/process-state.ts";
import { waitFor } from "../support/wait-for.ts";
import { needsRoot, needsSmallDisk } from "../support/needs.ts";

test("a session belongs to no terminal and no process group but its own", async () => {
  const home = new TestHome();
  const id = await home.spawn("exec cat");
  const { runner_pid, pid } = await home.meta(id);
  const sessionOf = (of: number): string =>
    execFileSync("ps", ["-o", "sess=", "-p", String(of)], { encoding: "utf8" }).trim();
  expect(sessionOf(runner_pid)).toBe(String(runner_pid));
  expect(sessionOf(pid)).toBe(String(pid));
  process.kill(runner_pid, "SIGHUP");
  await home.ask(id, { method: "POST", path: "/input", body: "after the hang-up\r" });
  await home.waitForText(id, "after the hang-up");
});

test("kill -9 of the launching terminal leaves the session running", async () => {
  const home = new TestHome();
  // The launcher runs in a session itself, so that the test can close its terminal.
  const inner = new TestHome();
  const launcher = join(home.home, "launch.mjs");
  writeFileSync(
    launcher,
    `import { spawn } from "node:child_process"; import { mkdirSync, writeFileSync } from "node:fs";
     const dir = ${JSON.stringify(join(inner.home, "sessions", "sess-launched"))}; mkdirSync(dir, { recursive: true });
     writeFileSync(dir + "/launch.json", JSON.stringify({ id: "sess-launched", command: ["cat"], cwd: "/", created_at: "2026-01-01T00:00:00Z" }));
     spawn(process.execPath, [${JSON.stringify(runnerBundle)}, "--shim", "sess-launched"], { detached: true, stdio: "ignore", env: { ...process.env, AMUX_HOME: ${JSON.stringify(inner.home)}, AMUX_SOCKET_DIR: ${JSON.stringify(join(inner.home, "sockets"))} } }).unref();
     setInterval(() => undefined, 1e6);`,
  );
  const outer = await home.client.spawn({ command: [process.execPath, launcher], cwd: home.home });
  await waitFor("the inner session", async () => (await inner.client.list()).includes("sess-launched"));
  const { runner_pid, pid } = await home.meta(outer);
  process.kill(runner_pid, "SIGKILL");
  await waitFor("the launcher to go", () => !isRunning(pid));
  expect((await inner.meta("sess-launched")).alive).toBe(true);
  await home.client.removeOrphans();
});

test("kill -9 of one runner affects nothing else; its session is listed with its last screen", async () => {
  const home = new TestHome();
  const [victim, other] = [await home.spawn("echo last words; exec cat"), await home.spawn("exec cat")];
  await home.waitForText(victim, "last words");
  const { runner_pid } = await home.meta(victim);
  const record = join(home.client.files(victim).directory, "pty-1.ansi");
  await waitFor("the record", () => existsSync(record) && readFileSync(record, "utf8").includes("last words"));
  process.kill(runner_pid, "SIGKILL");
  await home.waitUntilGone(victim);
  expect(await home.client.list()).toEqual([other]);
  const [head = "", ...rest] = readFileSync(record, "utf8").split("\n");
  const { cols, rows } = JSON.parse(head) as { cols: number; rows: number };
  const emulator = createEmulator(cols, rows, 1000);
  emulator.core._inputHandler.parse(Buffer.from(rest.join("\n")));
  expect(emulator.terminal.buffer.active.getLine(0)?.translateToString(true)).toBe("last words");
  expect(home.storedMeta(victim)).toMatchObject({ alive: true, command: ["sh", "-c", "echo last words; exec cat"] });
  // It can be used again: same id, new process.
  expect(existsSync(home.client.files(victim).socket)).toBe(true);
  await home.spawn("echo second life; exec cat", { id: victim });
  await home.waitForText(victim, "second life");
});

test("orphans are removed, running sessions are not", async () => {
  const home = new TestHome();
  const [dead, alive] = [await home.spawn("exec cat"), await home.spawn("exec cat")];
  const { runner_pid } = await home.meta(dead);
  process.kill(runner_pid, "SIGKILL");
  await home.waitUntilGone(dead);
  expect(await home.client.removeOrphans()).toEqual([dead]);
  expect(await home.client.removeOrphans()).toEqual([]);
  expect(await home.client.list()).toEqual([alive]);
  expect(readdirSync(join(home.home, "sockets")).sort()).toEqual([`${alive}.lock`, `${alive}.sock`].sort());
});

test("racing clean-ups, starts and ends remove dead sessions once, and no others", async () => {
  const home = new TestHome();
  const dead = await Promise.all(Array.from({ length: 3 }, () => home.spawn("exec cat")));
  const alive = await home.spawn("exec cat");
  for (const id of dead) process.kill((await home.meta(id)).runner_pid, "SIGKILL");
  await Promise.all(dead.map((id) => home.waitUntilGone(id)));
  // Each with its own client, like separate commands.
  const cleanUps = Array.from({ length: 8 }, () =>
    new ShimClient({ home: home.home, runner: runnerBundle }).removeOrphans(),
  );
  const reborn = home.spawn("echo second life; exec cat", { id: dead[0] as string });
  const removed = (await Promise.all(cleanUps)).flat();
  await home.waitForText(await reborn, "second life");
  expect(new Set(removed).size).toBe(removed.length);
  expect(removed).not.toContain(alive);
  await home.client.removeOrphans();
  const left = [alive, dead[0] as string].flatMap((id) => [`${id}.lock`, `${id}.sock`]);
  expect(readdirSync(join(home.home, "sockets")).sort()).toEqual(left.sort());
});

test("two runners never own one session", async () => {
  const home = new TestHome();
  const id = await home.spawn("exec cat");
  const { incarnation } = await home.meta(id);
  await expect(home.spawn("exec cat", { id })).rejects.toThrow(`Session ${id} is already running.`);
  const env = { ...process.env, AMUX_HOME: home.home, AMUX_SOCKET_DIR: join(home.home, "sockets") };
  const second = spawnSync(process.execPath, [runnerBundle, "--shim", id], { env, encoding: "utf8" });
  expect(second).toMatchObject({ status: 1, stderr: `Session ${id} is already running.\n` });
  expect(await home.meta(id)).toMatchObject({ incarnation });
});

test("a session starts even if a clean-up holds its lock for a moment", async () => {
  const home = new TestHome();
  const id = await home.spawn("exec cat");
  await home.client.kill(id);
  await home.waitForEnd(id);
  const { lock: path } = home.client.files(id);
  const lock = acquireLock(path)!;
  // It tries for two seconds. After the first try it stands still, however late this process looks.
  const [halt, tried] = [join(home.home, "halt.cjs"), join(home.home, "tried")];
  writeFileSync(
    halt,
    `const fs = require("node:fs"); const { linkSync } = fs;
     fs.linkSync = (from, to) => {
       try { return linkSync(from, to); }
       catch (error) {
         if (to === ${JSON.stringify(path)} && !fs.existsSync(${JSON.stringify(tried)})) {
           fs.writeFileSync(${JSON.stringify(tried)}, "");
           process.kill(process.pid, "SIGSTOP");
         }
         throw error;
       }
     };`,
  );
  const places = { AMUX_HOME: home.home, AMUX_SOCKET_DIR: join(home.home, "sockets") };
  const env = { ...process.env, ...places, NODE_OPTIONS: `--require ${halt}` };
  const runner = spawn(process.execPath, [runnerBundle, "--shim", id], { env, stdio: "ignore" });
  home.beforeRemoval(() => runner.kill("SIGKILL"));
  await waitFor("its try to take the lock", () => existsSync(tried) && processState(runner.pid!) === "T");
  expect(runner.exitCode).toBeNull();
  lock.release();
  process.kill(runner.pid!, "SIGCONT");
  await waitFor("the session", async () => (await home.client.list()).includes(id));
});

test("of five runners started at once for one session, one lives", async () => {
  const home = new TestHome();
  const id = await home.spawn("exec cat");
  await home.client.kill(id);
  await home.waitForEnd(id);
  const env = { ...process.env, AMUX_HOME: home.home, AMUX_SOCKET_DIR: join(home.home, "sockets") };
  const runners = Array.from({ length: 5 }, () =>
    spawn(process.execPath, [runnerBundle, "--shim", id], { env, stdio: "ignore" }),
  );
  await waitFor("four to give up", () => runners.filter((runner) => runner.exitCode === 1).length === 4);
  // The one that has the lock may still be starting.
  await waitFor("the session", async () => (await home.client.list()).includes(id));
  expect((await home.meta(id)).alive).toBe(true);
});

test("a removed socket file is restored, and connected clients notice nothing", async () => {
  const home = new TestHome();
  const id = await home.spawn("exec cat");
  const { socket } = home.client.files(id);
  const connection = await openShimConnection(socket);
  rmSync(socket);
  // The file is there before somebody listens.
  await waitFor("the socket", () => socketAnswers(socket));
  expect((await home.meta(id)).alive).toBe(true);
  connection.input("pty-1", Buffer.from("still connected\r"));
  await home.waitForText(id, "still connected");
  expect(statSync(socket).mode & 0o777).toBe(0o600);
  connection.close();
});

test.each(["the lock", "the directory of all sockets"])("%s that somebody removed is restored", async (what) => {
  const home = new TestHome();
  const id = await home.spawn("exec cat");
  const { socket, lock } = home.client.files(id);
  // Its runner may write there during the removal.
  await removeTree(what === "the lock" ? lock : dirname(socket));
  await waitFor("what was removed", async () => existsSync(lock) && (await socketAnswers(socket)));
  expect(knownSessions({ home: home.home })).toMatchObject([{ meta: { id }, alive: true }]);
  expect((await home.meta(id)).alive).toBe(true);
  expect(statSync(dirname(socket)).mode & 0o777).toBe(0o700);
  expect(acquireLock(lock)).toBeUndefined();
});

test("the socket and the files are private to their owner", async () => {
  const home = new TestHome();
  const id = await home.spawn("exec cat");
  const { socket, directory, meta, launch } = home.client.files(id);
  expect(statSync(socket).mode & 0o777).toBe(0o600);
  expect(statSync(join(home.home, "sockets")).mode & 0o777).toBe(0o700);
  expect(statSync(directory).mode & 0o777).toBe(0o700);
  for (const file of [meta, launch]) expect(statSync(file).mode & 0o777).toBe(0o600);
});

test("a home with a path too long for a socket gets a short directory for its sockets", async () => {
  const home = new TestHome();
  const long = join(home.home, "a".repeat(90));
  const client = new ShimClient({ home: long, runner: runnerBundle });
  const id = await client.spawn({ command: ["cat"], cwd: "/" });
  expect(client.files(id).socket).toMatch(/^\/tmp\/amux-\d+-[0-9a-f]{16}\/sess-/);
  expect(await client.list()).toEqual([id]);
  await client.kill(id);
  await waitFor("the runner to leave", () => !existsSync(client.files(id).lock));
});

test("a link to another directory is not taken for our own", async () => {
  const home = new TestHome();
  symlinkSync("/tmp", join(home.home, "sockets"));
  const before = statSync("/tmp").mode;
  await expect(home.spawn("exec cat")).rejects.toThrow(/belongs to another user|others can enter; chmod 700 it first/);
  expect(statSync("/tmp").mode, "and is not closed to others").toBe(before);
});

test("another user's link is not followed, wherever it leads", needsRoot, async () => {
  const home = new TestHome();
  const [real, link] = [join(home.home, "real"), join(home.home, "link")];
  mkdirSync(real, { mode: 0o700 });
  symlinkSync(real, link);
  lchownSync(link, 65_534, 65_534);
  const client = new ShimClient({ home: link, runner: runnerBundle });
  await expect(client.spawn({ command: ["cat"], cwd: "/" })).rejects.toThrow("belongs to another user");
});

const LONG = "x".repeat(90);

test.each([
  ["real", "link"],
  [`real-${LONG}`, `link-${LONG}`],
  [`real-${LONG}`, "link"],
  ["real", `link-${LONG}`],
])("a home that is a link to our own directory is the same home: %s, %s", async (realName, linkName) => {
  const home = new TestHome();
  const [real, link] = [join(home.home, realName), join(home.home, linkName)];
  mkdirSync(real, { mode: 0o700 });
  symlinkSync(real, link);
  const [byLink, byName] = [link, real].map((path) => new ShimClient({ home: path, runner: runnerBundle }));
  const id = await byLink!.spawn({ command: ["cat"], cwd: "/" });
  expect(await byName!.list()).toEqual([id]);
  expect(knownSessions({ home: real })).toMatchObject([{ alive: true, meta: { id } }]);
  await byName!.kill(id);
  await byLink!.ended(id);
  expect(knownSessions({ home: link })).toMatchObject([{ alive: false, meta: { id } }]);
});

test("random bytes and random frames end the connection, and the runner lives", async () => {
  const home = new TestHome();
  const id = await home.spawn("exec cat");
  const { socket } = home.client.files(id);
  let seed = 12_345;
  const random = (below: number): number => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((seed / 2 ** 32) * below);
  };
  const tags = ["input", "resize", "create", "destroy", "hello", "attach", "detach", "focus", "history", "ping", "?"];
  const values: unknown[] = [0, -1, 1e308, "", "pty-1", "x".repeat(3000), null, true, [], {}, { a: [1] }, "../..", 80];
  const value = (): unknown => values[random(values.length)];
  const frame = (): Buffer =>
    encodeFrame({
      _tag: tags[random(tags.length)],
      ptyId: value(),
      cols: value(),
      rows: value(),
      data: value(),
      since: value(),
      lines: value(),
      version: value(),
    });
  await Promise.all(
    Array.from({ length: 150 }, async (_, at) => {
      const client = connect(socket);
      client.on("error", () => undefined);
      const bytes =
        at % 3 === 0
          ? Buffer.from(Array.from({ length: 1 + random(500) }, () => random(256)))
          : Buffer.concat(Array.from({ length: 1 + random(5) }, frame));
      client.end(at % 5 === 0 ? bytes.subarray(0, random(bytes.length)) : bytes);
      client.resume();
      await new Promise((resolve) => client.once("close", resolve));
    }),
  );
  await home.ask(id, { method: "POST", path: "/input", body: "alive and well\r" });
  await home.waitForText(id, "alive and well");
});

test("a malformed frame is answered with an error and ends the connection, an absurd size does not", async () => {
  const home = new TestHome();
  const id = await home.spawn("exec cat");
  const client = new RawClient(home.client.files(id).socket);
  client.send({ _tag: "hello", version: 1 });
  client.send({ _tag: "later-invention", x: 1 });
  client.send({ _tag: "resize", ptyId: "pty-1", cols: 0, rows: 0 });
  client.send({ _tag: "resize", ptyId: "pty-1", cols: 80, rows: 100_000 });
  client.send({ _tag: "create", cols: 1, rows: 24, cwd: "/", requestId: "r1" });
  client.send({ _tag: "ping", id: "still here" });
  client.send({ _tag: "resize", ptyId: "pty-1", cols: "wide", rows: 24 });
  await client.ended();
  expect(client.frames.map((frame) => frame._tag)).toEqual([
    ...["hello", "error", "error", "error", "error", "pong", "error", "bye"],
  ]);
  expect(client.all("error").map((frame) => frame.code)).toEqual([
    ...["unknown-tag", "bad-size", "bad-size", "create-failed", "malformed-frame"],
  ]);
  expect(await home.meta(id)).toMatchObject({ terminal_cols: 80, terminal_rows: 24 });
});

test("a full disk does not stop a session, and its record is complete when there is space again", async () => {
  const home = new TestHome();
  const sessions = join(home.home, "sessions");
  mkdirSync(sessions);
  const mounted = spawnSync("mount", ["-t", "tmpfs", "-o", "size=24k,mode=700", "tmpfs", sessions]).status === 0;
  home.beforeRemoval(() => mounted && spawnSync("umount", ["-l", sessions]));
  const id = await home.spawn("read go; seq 1 30000; echo THE END; read stop; exit 6");
  const { runner_pid } = await home.meta(id);
  // Without the right to mount, a file size limit makes the same writes fail.
  if (!mounted) execFileSync("prlimit", ["--pid", String(runner_pid), "--fsize=2000"]);
  const { directory } = home.client.files(id);
  await home.ask(id, { method: "POST", path: "/input", body: "\r" });
  await home.waitForText(id, "THE END");
  // What is shown was to be recorded first.
  const record = join(directory, "pty-1.ansi");
  expect(existsSync(record) ? readFileSync(record, "utf8") : "").not.toContain("THE END");
  expect(await home.meta(id)).toMatchObject({ alive: true });
  if (mounted) execFileSync("mount", ["-o", "remount,size=8m", sessions]);
  else execFileSync("prlimit", ["--pid", String(runner_pid), "--fsize=unlimited"]);
  await home.ask(id, { method: "POST", path: "/input", body: "\r" });
  expect(await home.waitForEnd(id)).toMatchObject({ alive: false, exit_code: 6 });
  expect(readFileSync(record, "utf8")).toContain("THE END");
});

test(
  "a session killed on a full disk has ended, not been lost, and its record has the last screen",
  needsSmallDisk(),
  async () => {
    const home = new TestHome();
    const sessions = join(home.home, "sessions");
    mkdirSync(sessions);
    expect(spawnSync("mount", ["-t", "tmpfs", "-o", "size=2m,mode=700", "tmpfs", sessions]).status).toBe(0);
    home.beforeRemoval(() => spawnSync("umount", ["-l", sessions]));
    const id = await home.spawn("read go; seq 1 60000; echo THE END; read stop");
    const filling = join(sessions, "filling");
    expect(() => {
      for (;;) appendFileSync(filling, Buffer.alloc(4096));
    }).toThrow("ENOSPC");
    await home.ask(id, { method: "POST", path: "/input", body: "\r" });
    await home.waitForText(id, "THE END");
    await home.client.kill(id);
    expect(await home.waitForEnd(id)).toMatchObject({ alive: false, exit_signal: expect.any(String) });
    const { directory } = home.client.files(id);
    expect(home.storedMeta(id)).toMatchObject({ alive: false });
    expect(readFileSync(join(directory, "pty-1.ansi"), "utf8")).toMatch(/59999[^]*60000[^]*THE END/);
    expect(readdirSync(directory)).not.toContain("reserve");
  },
);

test("a name that a full disk cannot store is refused, and the session keeps its old one", async () => {
  const home = new TestHome();
  const sessions = join(home.home, "sessions");
  mkdirSync(sessions);
  const mounted = spawnSync("mount", ["-t", "tmpfs", "-o", "size=64k,mode=700", "tmpfs", sessions]).status === 0;
  home.beforeRemoval(() => mounted && spawnSync("umount", ["-l", sessions]));
  const id = await home.spawn("exec cat");
  const { runner_pid, slug } = await home.meta(id);
  const rename = (name: string): Promise<void> => renameSession({ home: home.home }, id, name);
  await rename("first");
  const filling = join(sessions, "filling");
  const fill = (): void => {
    for (;;) appendFileSync(filling, Buffer.alloc(1024));
  };
  if (mounted) expect(fill).toThrow("ENOSPC");
  else execFileSync("prlimit", ["--pid", String(runner_pid), "--fsize=10"]);
  await expect(rename("second")).rejects.toThrow(/^The session keeps its name: (The disk is full|It cannot be saved)/);
  expect((await home.ask(id, { method: "PUT", path: "/slug", body: "dog" })).status).toBe(mounted ? 507 : 500);
  // The session answers the same as its file says.
  const kept = { name: "first", title: "first", slug };
  expect(await home.meta(id)).toMatchObject(kept);
  expect(home.storedMeta(id)).toMatchObject(kept);
  if (mounted) rmSync(filling);
  else execFileSync("prlimit", ["--pid", String(runner_pid), "--fsize=unlimited"]);
  await rename("third");
  expect(home.storedMeta(id)).toMatchObject({ name: "third" });
});

test("a program that becomes a daemon ends the session and lives on", async () => {
  const home = new TestHome();
  const id = await home.spawn(
    // As a daemon's starter does, it waits until the daemon runs.
    "setsid sh -c 'echo $$ > daemon.pid; exec sleep 300' >/dev/null 2>&1 & until test -s daemon.pid; do sleep 0.02; done; echo launched",
  );
  await home.waitForEnd(id);
  const pid = Number(readFileSync(join(home.home, "daemon.pid"), "utf8"));
  expect(isRunning(pid)).toBe(true);
  process.kill(pid, "SIGKILL");
});

test("killing a session takes its background jobs, and leaves no zombie", async () => {
  const home = new TestHome();
  const id = await home.client.spawn({
    command: [
      "bash",
      "-c",
      "set -m; sleep 301 & echo $! > job.pid; (trap '' HUP; exec sleep 302) & echo $! > deaf.pid; echo ready; wait",
    ],
    cwd: home.home,
  });
  await home.waitForText(id, "ready");
  const pids = ["job.pid", "deaf.pid"].map((name) => Number(readFileSync(join(home.home, name), "utf8")));
  const { runner_pid } = await home.meta(id);
  await home.client.kill(id);
  await home.waitForEnd(id);
  await waitFor("all of them to go", () => ![...pids, runner_pid].some(isRunning));
});
