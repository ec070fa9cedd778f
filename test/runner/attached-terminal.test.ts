/** The terminal of an attached client: who owns it when, and that it is always restored. */
import { execFileSync } from "node:child_process";
import { constants, readFileSync, readdirSync, readlinkSync } from "node:fs";
import { open } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { CliTerminal } from "./support/cli-terminal.ts";
import { TestHome } from "./support/sessions.ts";
import { processState } from "../support/process-state.ts";
import { waitFor } from "../support/wait-for.ts";
import { needs } from "../support/needs.ts";

const DETACH = "\x02d";
const FULL_RESTORE = "\x1b[?1049l";

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
}> {
  const home = new TestHome();
  const id = await home.spawn(script);
  const { runner_pid: runner } = await home.meta(id);
  const terminal = new CliTerminal(["attach", id], home.home);
  const device = await waitFor(
    "its device",
    () => /^\/dev\/.*/.exec(readlinkSync(`/proc/${terminal.pty.pid}/fd/0`))?.[0],
  );
  await waitFor("the session to be shown", async () => (await home.meta(id)).viewers === 1);
  return { home, id, terminal, device, runner };
}

/** As the shell reads it that has the terminal again. */
async function firstLineAt(device: string): Promise<string> {
  const file = await open(device, constants.O_RDONLY | constants.O_NOCTTY);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(100));
    return buffer.toString("utf8", 0, bytesRead);
  } finally {
    await file.close();
  }
}

describe("an attached terminal", needs(process.platform === "linux", "Linux"), () => {
  test("passes everything typed before detaching to the session", async () => {
    const { home, id, terminal } = await attached("echo ready; exec cat");
    await terminal.sees("ready");
    terminal.type("through\r");
    await terminal.sees("through");
    terminal.type(`last${DETACH}`);
    expect(await terminal.ended()).toBe(0);
    // Text typed before detaching is not lost.
    await home.waitForText(id, "last");
    await waitFor("nobody to look", async () => (await home.meta(id)).viewers === 0);
  });

  test.each([DETACH, "SIGTERM", "SIGHUP"])("gets nothing of a flood after detaching: %j", async (leave) => {
    const { terminal } = await attached("exec yes flood");
    await terminal.sees("flood");
    if (leave === DETACH) terminal.type(leave);
    else process.kill(terminal.pty.pid, leave);
    await terminal.ended();
    const after = terminal.written.slice(terminal.written.lastIndexOf(FULL_RESTORE));
    expect(after).not.toContain("flood");
  });

  test("is restored when the runner is stopped", async () => {
    const { home, id, terminal, runner } = await attached("echo ready; exec cat");
    await terminal.sees("ready");
    process.kill(runner, "SIGSTOP");
    process.kill(terminal.pty.pid, "SIGTERM");
    expect(await terminal.ended()).toBe(143);
    expect(terminal.written).toContain("\x1b[<9u");
    process.kill(runner, "SIGCONT");
    expect((await home.meta(id)).alive).toBe(true);
  });

  test("leaves nothing behind, however often it attaches and detaches", async () => {
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

  test("is detached when its window is closed", async () => {
    const { home, id, terminal } = await attached("echo ready; exec cat");
    await terminal.sees("ready");
    terminal.pty.hangUp();
    await waitFor("nobody to look", async () => (await home.meta(id)).viewers === 0);
    await home.ask(id, { method: "POST", path: "/input", body: "later\r" });
    await home.waitForText(id, "later");
  });

  test("belongs to the shell while the client is stopped: no key reaches the session, no output the terminal", async () => {
    const { home, id, terminal } = await attached("echo ready; exec cat");
    await terminal.sees("ready");
    process.kill(terminal.pty.pid, "SIGSTOP");
    await waitFor("the client to stand still", () => processState(terminal.pty.pid) === "T");
    terminal.type("not for the session\r");
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
    const { home, id, terminal, device } = await attached("echo ready; exec cat");
    await terminal.sees("ready");
    terminal.type(typed);
    await terminal.sees(typed);
    process.kill(terminal.pty.pid, "SIGSTOP");
    await waitFor("the client to stand still", () => processState(terminal.pty.pid) === "T");
    // What a shell does when its job stops.
    execFileSync("stty", ["-F", device, "sane"]);
    terminal.type("for the shell\r");
    expect(await firstLineAt(device)).toBe("for the shell\n");
    expect(await home.text(id)).not.toContain("shell");
    process.kill(terminal.pty.pid, "SIGKILL");
  });

  test("is restored before the client stops on request, and taken again when it continues", async () => {
    const { terminal, device } = await attached("printf '\\033[?1049h\\033[?1003hinside'; exec cat");
    await terminal.sees("inside");
    expect(settings(device)).toContain("-icanon");
    process.kill(terminal.pty.pid, "SIGTSTP");
    await waitFor("the client to stand still", () => processState(terminal.pty.pid) === "T");
    expect(settings(device)).not.toContain("-icanon");
    await waitFor("the normal screen", () => terminal.emulator.terminal.buffer.active.type === "normal");
    expect(terminal.emulator.terminal.modes.mouseTrackingMode).toBe("none");
    process.kill(terminal.pty.pid, "SIGCONT");
    await terminal.sees("inside");
    expect(settings(device)).toContain("-icanon");
    expect(terminal.emulator.terminal.modes.mouseTrackingMode).toBe("any");
    terminal.type(DETACH);
    expect(await terminal.ended()).toBe(0);
  });

  test("that reads nothing blocks nobody, and shows the last of it when it reads again", async () => {
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

  test("gets all the output of an ended program, however slowly it reads", async () => {
    const { home, id, terminal } = await attached("read x; seq 1 20000; echo the end; exit 9");
    terminal.pty.pause();
    terminal.type("\r");
    await waitFor("the program's end", () => !home.storedMeta(id).alive);
    terminal.pty.resume();
    expect(await terminal.ended()).toBe(9);
    await terminal.sees("the end");
    expect(terminal.written).toMatch(/\D19999\s+20000\s+the end\s/);
  });

  test("that only watches says when the session does not fit, and leaves its size alone", async () => {
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

/** Megabytes. */
function memoryOf(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "latin1"))?.[1]) / 1024;
}
