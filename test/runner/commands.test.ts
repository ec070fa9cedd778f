import { execFile, execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { ensureBrowser, NO_BROWSER } from "../../scripts/find-browser.mjs";
import { AMUX, runCli, type CliResult } from "../support/run-cli.ts";
import { warmCli } from "../support/warm-cli.ts";
import { TestHome } from "./support/sessions.ts";
import { waitFor } from "../support/wait-for.ts";

const CLAUDE_HOME = join(import.meta.dirname, "../../src/agents/claude/fixtures/home");

function amux(home: TestHome, ...args: string[]): Promise<CliResult> {
  return warmCli(args, { home: home.home, vars: { AMUX_HOME: home.home, SHELL: "/bin/sh" }, cwd: home.home });
}

/** The real thing, for one session from start to end. */
function ownProcess(home: TestHome, ...args: string[]): Promise<CliResult> {
  return runCli(args, { home: home.home, vars: { AMUX_HOME: home.home, SHELL: "/bin/sh" }, cwd: home.home });
}

interface Listed {
  id: string;
  alive: boolean;
  exit_code: number | null;
  title: string;
  name?: string;
}

async function list(home: TestHome): Promise<Listed[]> {
  return JSON.parse((await amux(home, "ls", "--json")).stdout) as Listed[];
}

test("run without a terminal prints the program's output and returns its exit code", async () => {
  const home = new TestHome();
  const result = await amux(home, "run", "--", "sh", "-c", "seq 1 2000; exit 9");
  expect(result.code).toBe(9);
  expect(result.stdout.split("\n").slice(0, 2000)).toEqual(Array.from({ length: 2000 }, (_, n) => String(n + 1)));
  expect(await list(home)).toMatchObject([{ alive: false, exit_code: 9 }]);
  expect((await amux(home, "ls", "--failed")).stdout).toContain("exited (9)");
});

test("run reads a pipe or a file to its end, like the command itself", () => {
  const home = new TestHome();
  const shell = (script: string): ReturnType<typeof spawnSync> =>
    spawnSync("bash", ["-c", script], {
      env: { PATH: process.env["PATH"], HOME: home.home, AMUX_HOME: home.home, AMUX: `${process.execPath} ${AMUX}` },
      encoding: "utf8",
    });
  expect(shell("echo hi | $AMUX run -- cat")).toMatchObject({ status: 0, stdout: "hi\n", stderr: "" });
  expect(shell("$AMUX run -- sh -c 'wc -c; exit 3' < <(seq 1 100000)")).toMatchObject({
    status: 3,
    stdout: "588895\n",
  });
  expect(shell("$AMUX run -- cmp - /bin/bash < /bin/bash")).toMatchObject({ status: 0, stdout: "" });
  // `head` stops reading, and the writer notices.
  expect(shell("yes | $AMUX run -- head -2; echo ${PIPESTATUS[@]}")).toMatchObject({ stdout: "y\ny\n141 0\n" });
  // Only the returns that the terminal adds are removed.
  expect(shell("$AMUX run -- printf 'a\\r\\nb\\r' < /dev/null")).toMatchObject({ stdout: "a\r\nb\r" });
  expect(shell("$AMUX run -- tty < /dev/null").stdout).toMatch(/^\/dev\//);
  expect(shell("echo hi | $AMUX run -- no-such-program")).toMatchObject({ status: 127 });
  const sessions = join(home.home, "sessions");
  expect(readdirSync(sessions).flatMap((id) => readdirSync(join(sessions, id)))).not.toContain("input.pipe");
  expect(readdirSync(sessions)).toHaveLength(6);
});

test("a session from start to end: run, list, send, wait, tail, capture, rename, kill, resume, restart, dismiss", async () => {
  const home = new TestHome();
  const { stdout } = await ownProcess(home, "run", "-d", "--name", "work", "--env", "WORD=blue", "--", "sh");
  const id = stdout.trim();
  expect(id).toMatch(/^sess-[a-z0-9]{8}$/);
  expect(await list(home)).toMatchObject([{ id, alive: true, name: "work" }]);
  // Until its prompt is there, the command would be echoed before it, and its output stand behind it.
  await home.waitForText(id, /[#$]/);
  expect((await amux(home, "send", "work", "printf '\\033[31m%s\\033[m\\n' $WORD")).code).toBe(0);
  expect((await ownProcess(home, "wait", id, "blue\\n", "--for", "regex", "--timeout", "5m")).code).toBe(0);
  expect((await amux(home, "tail", id, "-n", "3")).stdout).toContain("blue");
  expect((await amux(home, "capture", id)).stdout).toContain("\nblue\n");
  expect((await amux(home, "capture", id, "--format", "ansi")).stdout).toContain("\x1b[0;31mblue");
  expect((await amux(home, "capture", id, "--format", "html")).stdout).toContain(
    '<span style="color:#cd3131">blue</span>',
  );
  expect((await amux(home, "rename", "work", "other")).code).toBe(0);
  expect((await amux(home, "kill", "other")).code).toBe(0);
  await home.waitForEnd(id);
  expect(await list(home)).toMatchObject([{ id, alive: false, title: "other", killed: true }]);
  // The user ended it: nothing failed.
  expect((await ownProcess(home, "ls")).stdout).toMatch(
    /^SESSION +NAME +STATE +AGE +DIRECTORY\nsess-\w+ +other +ended /,
  );
  expect(await amux(home, "ls", "--failed")).toMatchObject({ stdout: "" });
  expect((await amux(home, "tail", id)).stdout).toContain("blue");
  expect((await ownProcess(home, "resume", id, "-d")).stdout.trim()).toBe(id);
  const [before] = await list(home);
  expect((await amux(home, "restart", id, "-d")).code).toBe(0);
  const [after] = await list(home);
  expect(after).toMatchObject({ id, alive: true, name: "other" });
  expect(after).not.toEqual(before);
  expect((await amux(home, "dismiss", id)).code).toBe(0);
  expect(await list(home)).toEqual([]);
  expect(existsSync(home.client.files(id).directory)).toBe(false);
});

test("ls and dismiss leave no socket and no lock of a killed runner, without a daemon, and keep those of a running one", async () => {
  const home = new TestHome();
  const [dead, alive] = [await home.spawn("exec sleep 1000"), await home.spawn("exec sleep 1000")];
  const { runner_pid: killed } = await home.meta(dead);
  const sockets = (): string[] => readdirSync(join(home.home, "sockets")).sort();
  process.kill(killed, "SIGKILL");
  await home.waitUntilGone(dead);
  const { stdout } = await amux(home, "ls");
  expect(stdout).toContain("lost");
  expect(sockets()).toEqual([`${alive}.lock`, `${alive}.sock`]);
  process.kill((await home.meta(alive)).runner_pid, "SIGKILL");
  await home.waitUntilGone(alive);
  expect((await amux(home, "dismiss", alive)).code).toBe(0);
  expect([...sockets(), existsSync(home.client.files(alive).directory)]).toEqual([false]);
});

test("dismiss --ended removes ended sessions and keeps running ones; kill says what it ended", async () => {
  const home = new TestHome();
  const [over, stays] = [await home.spawn("exit 3"), await home.spawn("exec cat", { name: "stays" })];
  await home.waitForEnd(over);
  expect(await amux(home, "dismiss", "--ended")).toMatchObject({ code: 0, stderr: "Dismissed 1.\n" });
  expect((await list(home)).map(({ id }) => id)).toEqual([stays]);
  expect(await amux(home, "dismiss", "--ended")).toMatchObject({ code: 0, stderr: "No ended sessions.\n" });
  expect((await amux(home, "dismiss")).code).toBe(2);
  expect((await amux(home, "dismiss", stays, "--ended")).code).toBe(2);
  expect(await amux(home, "kill", "stay")).toMatchObject({ code: 0, stderr: `Ended ${stays} (stays).\n` });
});

test("an empty name ends, shows and types into nothing, even with only one session", async () => {
  const home = new TestHome();
  await amux(home, "run", "-d", "--", "sleep", "1000");
  for (const args of [["kill"], ["dismiss"], ["tail"], ["send", "x"], ["restart", "-d"], ["explain"], ["details"]]) {
    const result = await amux(home, args[0]!, "", ...args.slice(1));
    expect({ args, code: result.code, stdout: result.stdout }).toEqual({ args, code: 2, stdout: "" });
    expect(result.stderr).toContain("The session name is empty.");
  }
  expect((await amux(home, "sessions", "show", "claude", "")).code).toBe(2);
  expect(await list(home)).toMatchObject([{ alive: true }]);
});

test("removing the name of an ended session restores its title", async () => {
  const home = new TestHome();
  const id = (await amux(home, "run", "-d", "--name", "build", "--", "true")).stdout.trim();
  await home.waitForEnd(id);
  expect((await amux(home, "rename", "build", "")).code).toBe(0);
  expect(await list(home)).toMatchObject([{ id, title: "true", name: "" }]);
});

test("an ended session's name is not taken for a numbered running one, and resume means the ended one", async () => {
  const home = new TestHome();
  for (let count = 0; count < 2; count++) await amux(home, "run", "-d", "--", "sleep", "1000");
  const [second, first] = (await list(home)).map(({ id }) => id);
  expect((await amux(home, "kill", "sleep")).code).toBe(0);
  await home.waitForEnd(first!);
  expect((await amux(home, "send", "sleep", "x")).stderr).toBe(
    `amux: Session ${first} is not running (sleep-2 is). See amux resume.\n`,
  );
  for (const args of [
    ["details", "sleep"],
    ["snooze", "sleep"],
    ["answer", "sleep", "allow"],
  ]) {
    expect((await amux(home, ...args)).stderr).toContain(`Session ${first} is not running (sleep-2 is).`);
  }
  expect((await amux(home, "explain", "sleep")).stdout, "the ended one is explained").toMatch(
    /ended[^]*which has ended/,
  );
  expect((await amux(home, "ls")).stdout).toMatch(/^SESSION +NAME .*\nsess-\w+ +sleep-2 .*\nsess-\w+ +sleep /);
  for (const id of [first, second]) await amux(home, "rename", id!, "mine");
  expect((await amux(home, "resume", "mine", "-d")).stdout.trim()).toBe(first);
});

test("sessions of the same name are told apart by how and when they went", async () => {
  const home = new TestHome();
  for (const code of ["0", "3"]) {
    const run = await amux(home, "run", "-d", "--name", "one", "--", "sh", "-c", `exit ${code}`);
    await home.waitForEnd(run.stdout.trim());
  }
  const started = String.raw`started \d+ \w+ \d\d:\d\d`;
  expect((await amux(home, "tail", "one")).stderr).toMatch(
    new RegExp(String.raw`"one" is ambiguous: sess-\w+ \(one, exited \(3\), ${started}\), sess-\w+ \(one, ended, `),
  );
});

test("a screen is written to a file, in the format of its ending", async () => {
  const home = new TestHome();
  const id = await home.spawn("printf '\\033[31mred\\033[m'; exec cat");
  await home.waitForText(id, "red");
  const file = (name: string): string => join(home.home, name);
  for (const name of ["a.txt", "a.ansi", "a.html"]) {
    expect(await amux(home, "capture", id, "-o", file(name))).toMatchObject({ code: 0, stdout: "" });
  }
  expect(readFileSync(file("a.txt"), "utf8").trim()).toBe("red");
  expect(readFileSync(file("a.ansi"), "utf8")).toMatch(/\u001b\[[\d;]*31mred/);
  expect(readFileSync(file("a.html"), "utf8")).toMatch(/^<!doctype html>/i);
  const refused = await amux(home, "capture", id, "-o", file("no/where.txt"));
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining("cannot be written (ENOENT)") as string });
});

test("a screen is rendered by a real browser; without one the missing program is named", async () => {
  const home = new TestHome();
  const id = await home.spawn("printf '\\033[41m%40s\\033[m\\n<b>&' ''; exec cat");
  await home.waitForText(id, "<b>&");
  const without = await warmCli(["capture", id, "--format", "png"], {
    home: home.home,
    vars: { AMUX_HOME: home.home, AMUX_BROWSER: join(home.home, "no-browser") },
  });
  expect(without).toMatchObject({ code: 6, stdout: "" });
  expect(without.stderr).toContain("Install one, name it with AMUX_BROWSER, or use --format html.");
  const browser = ensureBrowser();
  if (browser === undefined) throw new Error(NO_BROWSER);
  const env = { PATH: process.env["PATH"], HOME: home.home, AMUX_HOME: home.home, AMUX_BROWSER: browser };
  const png = execFileSync(process.execPath, [AMUX, "capture", id, "--format", "png"], { env, stdio: "pipe" });
  expect(png.subarray(1, 4).toString()).toBe("PNG");
  // 80 by 24 cells and the margin.
  expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([696, 436]);
});

test("an agent is recognised by its command, whatever its file is called", async () => {
  const home = new TestHome();
  const program = join(home.home, "bin", "cursor-agent");
  mkdirSync(join(home.home, "bin"));
  writeFileSync(program, "#!/bin/sh\nexec sleep 60\n", { mode: 0o755 });
  for (const command of [["cursor-agent"], [program, "--resume", "x"], ["sleep", "60"]]) {
    const vars = { AMUX_HOME: home.home, SHELL: "/bin/sh", PATH: `${home.home}/bin:${process.env["PATH"] ?? ""}` };
    const result = await warmCli(["run", "-d", "--", ...command], { home: home.home, vars, cwd: home.home });
    const { kind } = home.storedMeta(result.stdout.trim());
    expect([...command, kind]).toEqual([...command, command[0] === "sleep" ? "shell" : "cursor"]);
  }
});

test("tail -f prints text from the last lines on, nothing twice, and returns the program's exit code", async () => {
  const home = new TestHome();
  const script = `printf 'old\\n'; read x; printf '\\033]7777;{"working":true}\\007\\033[31mnew\\033[m %s\\n' "$x"; exit 4`;
  const id = await home.spawn(script);
  await home.waitForText(id, "old");
  const follows = amux(home, "tail", id, "-f");
  await waitFor("somebody to watch", async () => (await home.meta(id)).viewers);
  expect((await amux(home, "send", id, "line")).code).toBe(0);
  expect(await follows).toMatchObject({ code: 4, stdout: "old\nline\nnew line\n", stderr: "" });
  expect(await amux(home, "tail", id, "-f", "-n", "1")).toMatchObject({ code: 4, stdout: "new line\n", stderr: "" });
});

test("a script can set a session's state for everyone, but not an ended session's", async () => {
  const home = new TestHome();
  const id = await home.spawn("exec cat", { name: "asker" });
  expect((await amux(home, "status", "set", "asker", "permission", "--message", "may I?")).code).toBe(0);
  const one = JSON.parse((await amux(home, "status", "asker", "--json")).stdout) as object;
  expect(one).toMatchObject({ ref: id, state: "permission", message: "may I?" });
  expect((await amux(home, "ls")).stdout).toMatch(/permission +may I\?/);
  await amux(home, "status", "set", "asker", "working", "--message", "make all");
  expect((await amux(home, "ls")).stdout).toMatch(/working +make all/);
  expect(JSON.parse((await amux(home, "ls", "--json")).stdout)).toMatchObject([{ message: "make all" }]);
  await amux(home, "kill", id);
  await home.waitForEnd(id);
  expect((await amux(home, "status", id)).stdout).toContain("ended");
  expect((await amux(home, "status", "set", id, "idle")).code).toBe(8);
  expect((await amux(home, "status", "nobody")).code).toBe(8);
});

test("a runner for a session that was never launched creates nothing", async () => {
  const home = new TestHome();
  const options = { home: home.home, vars: { AMUX_HOME: home.home } };
  expect(await runCli(["--shim", "sess-abcdefgh"], options)).toMatchObject({
    code: 1,
    stderr: "There is no session sess-abcdefgh to start.\n",
  });
  expect(existsSync(join(home.home, "sessions"))).toBe(false);
});

test("wait returns the program's exit code, an early end, a timeout, or when the session says that it is idle", async () => {
  const home = new TestHome();
  const [ends, stays] = [await home.spawn("read x; exit 5"), await home.spawn("exec cat")];
  const waits = amux(home, "wait", ends);
  await home.ask(ends, { method: "POST", path: "/input", body: "\r" });
  expect((await waits).code).toBe(5);
  expect((await amux(home, "wait", ends, "never", "--for", "text")).code).toBe(1);
  const late = await amux(home, "wait", stays, "--timeout", "300ms");
  expect(late).toMatchObject({ code: 11, stderr: `amux: Timed out waiting for ${stays}.\n` });
  expect((await amux(home, "wait", stays, "--for", "idle", "--timeout", "5m")).code).toBe(0);

  await home.ask(stays, { method: "PUT", path: "/status", body: '{"working":true}' });
  const waiting = amux(home, "wait", stays, "--for", "idle", "--timeout", "5m");
  let isOver = false;
  void waiting.then(() => (isOver = true));
  // As long as another command takes.
  await amux(home, "ls");
  expect(isOver).toBe(false);
  await home.ask(stays, { method: "PUT", path: "/status", body: '{"working":false}' });
  expect((await waiting).code).toBe(0);
});

test("wait --for idle ignores a status from before the last input", async () => {
  const home = new TestHome();
  const say = (working: boolean): string => `printf '\\033]7777;{"working":${working}}\\007'`;
  const later = "for i in 1 2 3 4; do printf .; sleep 0.3; done";
  const id = await home.spawn(`${say(false)}; read x; ${later}; ${say(true)}; echo finished; ${say(false)}; exec cat`);
  await waitFor("the first word", async () => (await home.meta(id)).reports.length);
  expect((await amux(home, "wait", id, "--for", "idle")).code).toBe(0);
  await amux(home, "send", id, "go");
  expect((await amux(home, "wait", id, "--for", "idle")).code).toBe(0);
  expect(await home.text(id)).toContain("finished");
});

test("keys have names, an unknown name is refused, not typed, and a paste cannot end itself", async () => {
  const home = new TestHome();
  const id = await home.spawn("trap 'stty raw -echo; echo interrupted; exec cat -v' INT; echo ready; sleep 1000");
  await home.waitForText(id, "ready");
  expect((await amux(home, "send", id, "-k", "C-c")).code).toBe(0);
  await home.waitForText(id, "interrupted");
  const wrong = await amux(home, "send", id, "-k", "Hyper-x");
  expect(wrong.code).toBe(2);
  expect(wrong.stderr).toContain('There is no key "Hyper-x".');
  await amux(home, "send", id, "a\x1b[201~b", "--paste", "--no-enter");
  await home.waitForText(id, "^[[200~ab^[[201~");
  expect(await home.text(id)).not.toContain("Hyper");
});

test("references may be an id, its prefix or a name; none and several are errors with their own exit codes", async () => {
  const home = new TestHome();
  const [first, second] = [
    await home.spawn("exec cat", { name: "twin" }),
    await home.spawn("exec cat", { name: "twin" }),
  ];
  for (const ref of [first, first.slice(0, 11), first.slice(5)]) {
    expect((await amux(home, "tail", ref)).code).toBe(0);
  }
  const both = await amux(home, "kill", "twin");
  expect(both.code).toBe(2);
  expect(both.stderr).toContain(first);
  expect(both.stderr).toContain(second);
  expect(await amux(home, "kill", "nobody")).toMatchObject({
    code: 8,
    stderr: 'amux: No session is called "nobody". See amux ls.\n',
  });
  // With several names, none is ended unless all exist.
  expect((await amux(home, "kill", first, "nobody")).code).toBe(8);
  expect((await home.meta(first)).alive).toBe(true);
  const ended = await amux(home, "kill", first, second, "--json");
  expect(JSON.parse(ended.stdout)).toEqual([{ id: first }, { id: second }]);
});

test("a name is one line that fits into a list, however it was given", async () => {
  const home = new TestHome();
  for (const name of ["two\n\x1b[31mlines 😀", "x".repeat(4096)]) {
    expect((await amux(home, "run", "-d", "--name", name, "--", "cat")).code).toBe(0);
  }
  const [long, clean] = await list(home);
  expect(clean).toMatchObject({ name: "two [31mlines 😀", title: "two [31mlines 😀" });
  expect(long?.name).toBe(`${"x".repeat(199)}…`);
});

test("tmux sessions with a status file are listed too, and only attach accepts them", async () => {
  const home = new TestHome();
  const id = await home.spawn("exec cat");
  mkdirSync(join(home.home, ".claude-sessions"));
  const file = (name: string, fields: object): void =>
    writeFileSync(
      join(home.home, ".claude-sessions", `${name}.json`),
      JSON.stringify({ tmux_session: name, cwd: "/srv", timestamp: 1_790_000_000, ...fields }),
    );
  file("own", { status: "working", amux_session: id });
  expect(await list(home), "a file of one of amux's own is no session of tmux").toMatchObject([{ id }]);
  file("shop", { status: "permission", message: "may I?" });
  file("gone", { status: "offline", timestamp: 1_780_000_000 });
  expect(await list(home)).toMatchObject([
    { id },
    { ref: "shop", place: "tmux", alive: true, state: "permission", message: "may I?", cwd: "/srv" },
    { ref: "gone", place: "tmux", alive: false },
  ]);
  expect((await amux(home, "ls", "--alive")).stdout).toMatch(/^shop +permission +may I\? .* tmux +\/srv$/m);
  expect(await amux(home, "kill", "shop")).toMatchObject({
    code: 8,
    stderr: "amux: shop is a tmux session: use amux attach, or tmux itself.\n",
  });
});

test("a reader that leaves ends the command, not the program; an unwritable output is reported", async () => {
  const home = new TestHome();
  const env = { PATH: process.env["PATH"], HOME: home.home, AMUX_HOME: home.home, AMUX: `${process.execPath} ${AMUX}` };
  const shell = (script: string): ReturnType<typeof spawnSync> =>
    spawnSync("bash", ["-c", script], { env, stdio: ["ignore", "pipe", "pipe"], encoding: "utf8" });
  const left = shell('$AMUX run -- sh -c "seq 1 100000; exec cat" | head -1; echo ${PIPESTATUS[@]}');
  expect(left).toMatchObject({ stdout: "1\n141 0\n", stderr: "" });
  expect(await list(home)).toMatchObject([{ alive: true }]);
  const [{ id }] = (await list(home)) as [Listed];
  await home.waitForText(id, "100000");
  // One for each way of writing.
  const answers = ["--version", "run --help", "completion bash"];
  const looks = ["ls", "ls --json", `tail ${id} -f`, `capture ${id} --format html`];
  for (const args of [...answers, ...looks, 'mcp <<< \'{"jsonrpc":"2.0","id":1,"method":"ping"}\'']) {
    const { status, stderr } = shell(`$AMUX ${args} > /dev/full`);
    const said = "amux: The output cannot be written: ENOSPC: no space left on device, write.\n";
    expect([args, status, stderr]).toEqual([args, 1, said]);
  }
  expect(shell(`$AMUX tail ${id} -n 5000 | head -1`)).toMatchObject({ status: 0, stderr: "" });
  // It notices with the next write.
  const follow = promisify(execFile)("bash", ["-c", `$AMUX tail ${id} -n 2 -f | head -1; echo \${PIPESTATUS[@]}`], {
    env,
  });
  let isFollowed = true;
  void follow.finally(() => (isFollowed = false));
  await waitFor("its end", async () => {
    await home.ask(id, { method: "POST", path: "/input", body: "more\r" });
    return !isFollowed;
  });
  const followed = await follow;
  expect(followed).toMatchObject({ stdout: expect.stringMatching(/^\S+\n141 0\n$/) as string, stderr: "" });
  expect(await list(home)).toMatchObject([{ alive: true }]);
});

test("a session in a terminal leads to its conversation", async () => {
  const home = new TestHome();
  const conversation = "cda20652-4669-479f-8a58-63db24691728";
  await home.spawn("sleep 600", { kind: "claude", name: "shop", resume_key: conversation });
  await home.spawn("sleep 600", { name: "plain" });
  const options = { home: CLAUDE_HOME, vars: { AMUX_HOME: home.home } };
  const shown = await warmCli(["sessions", "show", "shop", "--json"], options);
  expect(JSON.parse(shown.stdout)).toMatchObject({ unifiedId: `claude:${conversation}` });
  expect(await warmCli(["sessions", "show", "plain"], options)).toMatchObject({
    code: 8,
    stderr: expect.stringMatching(/^amux: No conversation found for session sess-\w+\./) as string,
  });
});

test("a session whose runner was killed is listed as lost, shows its last screen, and can be resumed", async () => {
  const home = new TestHome();
  const id = await home.spawn("echo last words; exec cat");
  await home.waitForText(id, "last words");
  const record = `${home.client.files(id).directory}/pty-1.ansi`;
  await waitFor("the record", () => existsSync(record) && readFileSync(record, "utf8").includes("last words"));
  process.kill((await home.meta(id)).runner_pid, "SIGKILL");
  await waitFor("it to be noticed", async () => (await list(home))[0]?.alive === false);
  expect((await amux(home, "ls")).stdout).toMatch(/lost/);
  expect((await amux(home, "tail", id)).stdout).toBe("last words\n");
  expect((await amux(home, "resume", id, "-d")).code).toBe(0);
  expect(await list(home)).toMatchObject([{ id, alive: true }]);
});
