/** A terminal that is lent to the runner: who has it when, and that nobody else ever writes to it or reads its keys. */
import { execFileSync } from "node:child_process";
import { constants, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { open } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { childrenOf, commandOf } from "../../src/lib/processes.ts";
import { startTmux } from "../status/support/tmux.ts";
import { AMUX } from "../support/run-cli.ts";
import { CliTerminal } from "./support/cli-terminal.ts";
import { TestHome } from "./support/sessions.ts";
import { waitFor } from "../support/wait-for.ts";
import { needs } from "../support/needs.ts";

const DETACH = "\x02d";
const FULL_RESTORE = "\x1b[?1049l";

const hasLoans = process.platform === "linux";

function openFiles(pid: number): string[] {
  return readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
    try {
      return [readlinkSync(`/proc/${pid}/fd/${fd}`)];
    } catch {
      return []; // Closed meanwhile.
    }
  });
}

function settings(device: string): string {
  return execFileSync("stty", ["-F", device, "-a"], { encoding: "utf8" });
}

async function attached(script: string): Promise<{
  home: TestHome;
  id: string;
  terminal: CliTerminal;
  device: string;
  runner: number;
  hasIt: () => boolean;
}> {
  const home = new TestHome();
  const id = await home.spawn(script);
  const { runner_pid: runner } = await home.meta(id);
  const terminal = new CliTerminal(["attach", id], home.home);
  const device = await waitFor(
    "its device",
    () => /^\/dev\/.*/.exec(readlinkSync(`/proc/${terminal.pty.pid}/fd/0`))?.[0],
  );
  const hasIt = (): boolean => openFiles(runner).includes(device);
  await waitFor("the runner to have the terminal", hasIt);
  return { home, id, terminal, device, runner, hasIt };
}

/** As a shell reads it, that has the terminal again. */
async function firstLineAt(device: string): Promise<string> {
  const file = await open(device, constants.O_RDONLY | constants.O_NOCTTY);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(100));
    return buffer.toString("utf8", 0, bytesRead);
  } finally {
    await file.close();
  }
}

describe("a terminal that is lent", needs(hasLoans, "Linux"), () => {
  test("is the runner's from attaching to detaching, and no note of it stays", async () => {
    const { home, id, terminal, hasIt } = await attached("echo ready; exec cat");
    await terminal.sees("ready");
    terminal.type("through\r");
    await terminal.sees("through");
    terminal.type(`last${DETACH}`);
    expect(await terminal.ended()).toBe(0);
    expect(hasIt()).toBe(false);
    // What was typed before leaving is not lost.
    await home.waitForText(id, "last");
    expect((await home.meta(id)).viewers).toBe(0);
    expect(readdirSync(home.client.files(id).directory).filter((name) => name.startsWith("terminal-"))).toEqual([]);
  });

  test.each([DETACH, "SIGTERM", "SIGHUP"])("hears nothing of a flood after it was given back: %j", async (leave) => {
    const { terminal, hasIt } = await attached("exec yes flood");
    await terminal.sees("flood");
    if (leave === DETACH) terminal.type(leave);
    else process.kill(terminal.pty.pid, leave);
    await terminal.ended();
    const after = terminal.written.slice(terminal.written.lastIndexOf(FULL_RESTORE));
    expect(after).not.toContain("flood");
    expect(hasIt()).toBe(false);
  });

  test("is let go when the client is killed, and the session goes on", async () => {
    const { home, id, terminal, hasIt } = await attached("echo ready; exec cat");
    await terminal.sees("ready");
    process.kill(terminal.pty.pid, "SIGKILL");
    await waitFor("the runner to let go", () => !hasIt());
    await home.ask(id, { method: "POST", path: "/input", body: "later\r" });
    await home.waitForText(id, "later");
    expect(terminal.written).not.toContain("later");
  });

  test.each(["is quiet", "pours output"])(
    "is put right when the client is killed while the program %s",
    async (when) => {
      const home = new TestHome();
      const goesOn = when === "is quiet" ? "exec cat" : "while :; do printf '\\033[2;2Hx'; done";
      const id = await home.spawn(`printf '\\033[?1049h\\033[?1003h\\033[?25linside'; ${goesOn}`);
      const tmux = startTmux();
      // As from a shell: the terminal is not the client's own, and is there after it.
      const attach = `HOME=${home.home} AMUX_HOME=${home.home} ${process.execPath} ${AMUX} attach ${id}`;
      tmux.run("new-session", "-d", "-s", "t", "-x", "80", "-y", "24", `sh -c '${attach}; exec cat'`);
      const shows = (text: string): Promise<boolean> =>
        waitFor(`"${text}"`, () => tmux.run("capture-pane", "-p", "-t", "t").includes(text));
      const state = (): string =>
        tmux.run("display-message", "-p", "-t", "t", "#{alternate_on}#{mouse_any_flag}#{cursor_flag}");
      await shows("inside");
      await waitFor("the program's modes", () => state() === "110");
      const shell = Number(tmux.run("display-message", "-p", "-t", "t", "#{pane_pid}"));
      const client = childrenOf(shell).find((pid) => commandOf(pid).includes("attach"));
      process.kill(client!, "SIGKILL");
      await waitFor("its own modes", () => state() === "001");
      tmux.run("send-keys", "-t", "t", "typed after it", "Enter");
      await shows("typed after it");
      expect(tmux.run("capture-pane", "-p", "-t", "t")).not.toContain("inside");
    },
  );

  test("is put right when the client is killed, also if it takes nothing just then", async () => {
    const home = new TestHome();
    const id = await home.spawn("exec yes flood");
    // It is not the client's own, and is there after it.
    const shell = ["sh", "-c", '"$@"; exec cat', "sh"];
    const terminal = new CliTerminal(["attach", id], home.home, undefined, {}, shell);
    await terminal.sees("flood");
    terminal.pty.pause();
    const written = async (): Promise<number> => (await home.client.connect(id)).ptys()[0]?.seq ?? 0;
    const before = await written();
    await waitFor("more than a terminal holds", async () => {
      home.client.disconnect(id);
      return (await written()) > before + 1024 * 1024;
    });
    const client = childrenOf(terminal.pty.pid).find((pid) => commandOf(pid).includes("attach"));
    process.kill(client!, "SIGKILL");
    await waitFor("the session to be left", async () => (await home.meta(id)).viewers === 0);
    terminal.pty.resume();
    await waitFor("the session to be off the terminal", () => {
      return terminal.written.lastIndexOf(FULL_RESTORE) > terminal.written.lastIndexOf("flood");
    });
    terminal.type("typed after it\r");
    await terminal.sees("typed after it");
  });

  test("is restored by the client when the runner stands still, and let go when it goes on", async () => {
    const { home, id, terminal, runner, hasIt } = await attached("echo ready; exec cat");
    await terminal.sees("ready");
    process.kill(runner, "SIGSTOP");
    process.kill(terminal.pty.pid, "SIGTERM");
    expect(await terminal.ended()).toBe(143);
    expect(terminal.written).toContain("\x1b[<9u");
    process.kill(runner, "SIGCONT");
    await waitFor("the runner to let go", () => !hasIt());
    expect((await home.meta(id)).alive).toBe(true);
  });

  test("leaves nothing behind, however often it comes and goes", async () => {
    const { home, id, terminal, runner } = await attached("echo ready; exec cat");
    await terminal.sees("ready");
    const usual = openFiles(runner).length;
    for (let time = 0; time < 10; time++) {
      process.kill(terminal.pty.pid, "SIGCONT");
      terminal.type(`${time}-times\r`);
      await home.waitForText(id, `${time}-times`);
    }
    await waitFor("no more files than before", () => openFiles(runner).length <= usual);
    await waitFor("one viewer", async () => (await home.meta(id)).viewers === 1);
    terminal.type(DETACH);
    expect(await terminal.ended()).toBe(0);
  });

  test("is let go when its window is closed", async () => {
    const { home, id, terminal, hasIt } = await attached("echo ready; exec cat");
    await terminal.sees("ready");
    terminal.pty.hangUp();
    await waitFor("the runner to let go", () => !hasIt());
    await waitFor("nobody to look", async () => (await home.meta(id)).viewers === 0);
    await home.ask(id, { method: "POST", path: "/input", body: "later\r" });
    await home.waitForText(id, "later");
  });

  test("belongs to whoever has it when the client is stopped: no key reaches the session, no output the terminal", async () => {
    const { home, id, terminal, hasIt } = await attached("echo ready; exec cat");
    await terminal.sees("ready");
    process.kill(terminal.pty.pid, "SIGSTOP");
    await waitFor("the client to stand still", () => stateOf(terminal.pty.pid) === "T");
    terminal.type("not for the session\r");
    await waitFor("the runner to let go", () => !hasIt());
    await home.ask(id, { method: "POST", path: "/input", body: "behind its back\r" });
    await home.waitForText(id, "behind its back");
    expect(await home.text(id)).not.toContain("not for");
    expect(terminal.written).not.toContain("behind");
    process.kill(terminal.pty.pid, "SIGCONT");
    await terminal.sees("behind its back");
    terminal.type("typed again\r");
    await terminal.sees("typed again");
    terminal.type(DETACH);
    expect(await terminal.ended()).toBe(0);
  });

  test.each([
    { when: "while it is typed into", typed: "k" },
    { when: "and nobody types", typed: "" },
  ])("is the shell's again before somebody types there, when the client is stopped $when", async ({ typed }) => {
    const { home, id, terminal, device, hasIt } = await attached("echo ready; exec cat");
    await terminal.sees("ready");
    terminal.type(typed);
    await terminal.sees(typed);
    process.kill(terminal.pty.pid, "SIGSTOP");
    await waitFor("the runner to let go, without a key", () => !hasIt());
    // What a shell does when it finds its job stopped.
    execFileSync("stty", ["-F", device, "sane"]);
    terminal.type("for the shell\r");
    expect(await firstLineAt(device)).toBe("for the shell\n");
    expect(await home.text(id)).not.toContain("shell");
    process.kill(terminal.pty.pid, "SIGKILL");
  });

  test("is given back before the client stops when it is asked to, and taken again when it goes on", async () => {
    const { terminal, device, hasIt } = await attached("printf '\\033[?1049h\\033[?1003hinside'; exec cat");
    await terminal.sees("inside");
    expect(settings(device)).toContain("-icanon");
    process.kill(terminal.pty.pid, "SIGTSTP");
    await waitFor("the client to stand still", () => stateOf(terminal.pty.pid) === "T");
    expect(hasIt()).toBe(false);
    expect(settings(device)).not.toContain("-icanon");
    await waitFor("the normal screen", () => terminal.emulator.terminal.buffer.active.type === "normal");
    expect(terminal.emulator.terminal.modes.mouseTrackingMode).toBe("none");
    process.kill(terminal.pty.pid, "SIGCONT");
    await waitFor("the runner to have it again", hasIt);
    await terminal.sees("inside");
    expect(settings(device)).toContain("-icanon");
    expect(terminal.emulator.terminal.modes.mouseTrackingMode).toBe("any");
    terminal.type(DETACH);
    expect(await terminal.ended()).toBe(0);
  });

  test("that takes nothing holds nobody up, and shows the last of it when it does again", async () => {
    const { home, id, terminal, runner } = await attached("read x; seq 1 400000; echo the end; exec cat");
    terminal.pty.pause();
    terminal.type("\r");
    await home.waitForText(id, "the end");
    expect(memoryOf(runner)).toBeLessThan(150);
    terminal.pty.resume();
    await terminal.sees("the end");
    terminal.type(DETACH);
    expect(await terminal.ended()).toBe(0);
  });

  test("gets all of the output of a program that has ended, however slowly it takes it", async () => {
    const { home, id, terminal } = await attached("read x; seq 1 20000; echo the end; exit 9");
    terminal.pty.pause();
    terminal.type("\r");
    await waitFor("the program's end", () => !home.storedMeta(id).alive);
    terminal.pty.resume();
    expect(await terminal.ended()).toBe(9);
    await terminal.sees("the end");
    expect(terminal.written).toMatch(/\D19999\s+20000\s+the end\s/);
  });

  test("tells its size also to a session that it only looks at", async () => {
    const home = new TestHome();
    const id = await home.spawn("echo look; exec cat", { cols: 90, rows: 20 });
    const terminal = new CliTerminal(["attach", "-r", id], home.home, { cols: 60, rows: 20 });
    await terminal.sees("The session is shown elsewhere in 90 x 20.");
    terminal.emulator.terminal.resize(95, 20);
    terminal.pty.resize(95, 20);
    await terminal.sees("look");
    expect((await home.meta(id)).terminal_cols).toBe(90);
    terminal.type(DETACH);
    await terminal.ended();
  });
});

test("a terminal that cannot be lent is used by the client itself", async () => {
  const home = new TestHome();
  const id = await home.spawn("echo ready; exec cat");
  // In a process session of its own it has no claim to the terminal.
  const terminal = new CliTerminal(["attach", id], home.home, undefined, {}, ["setsid", "-w"]);
  await terminal.sees("ready");
  expect(openFiles((await home.meta(id)).runner_pid).filter((path) => path.startsWith("/dev/pts/"))).toHaveLength(1);
  terminal.type("typed\r");
  await terminal.sees("typed");
  terminal.type(DETACH);
  expect(await terminal.ended()).toBe(0);
  expect(readdirSync(home.client.files(id).directory).filter((name) => name.startsWith("terminal-"))).toEqual([]);
});

function stateOf(pid: number): string | undefined {
  return /\) (\w)/.exec(readFileSync(`/proc/${pid}/stat`, "latin1"))?.[1];
}

/** Megabytes. */
function memoryOf(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "latin1"))?.[1]) / 1024;
}

test("the size of a client that only looks does not count, also when it is told after the terminal was given back", async () => {
  const home = new TestHome();
  const id = await home.spawn("exec cat");
  const connection = await home.client.connect(id);
  const answered = new Promise((resolve) => connection.subscribe((event) => event._tag === "pong" && resolve(event)));
  const size = { cols: 120, rows: 40 };
  connection.send({ _tag: "lend", ptyId: "pty-1", pid: process.pid, note: "0".repeat(32), ...size, readOnly: true });
  connection.send({ _tag: "resize", ptyId: "pty-1", ...size });
  connection.send({ _tag: "ping" });
  await answered;
  expect((await home.meta(id)).terminal_cols).toBe(80);
});
