/** What a runner asks for before it opens somebody's terminal. */
import { mkdtempSync, readdirSync, readlinkSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { loanNote } from "../../src/protocol/session-files.ts";
import { Pty } from "../../src/runner/pty.ts";
import { openLoan } from "../../src/runner/terminal-loan.ts";
import { waitFor } from "../support/wait-for.ts";
import { needsLinux } from "../support/needs.ts";

const NOTE = "0123456789abcdef".repeat(2);

let directory = "";
let programs: Pty[] = [];

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "amux-loan-"));
  programs = [];
});
afterEach(() => {
  for (const { pid } of programs) process.kill(pid, "SIGKILL");
  rmSync(directory, { recursive: true });
});

async function program(script: string): Promise<Pty & { said(): string }> {
  let said = "";
  const options = { command: ["sh", "-c", script], cwd: "/", env: { PATH: process.env["PATH"] ?? "" } };
  const pty = new Pty(
    { ...options, cols: 80, rows: 24 },
    { onData: (data) => (said += data.toString()), onExit: () => undefined },
  );
  programs.push(pty);
  await waitFor("its terminal", () => deviceOf(pty.pid).startsWith("/dev/pts/"));
  return Object.assign(pty, { said: () => said });
}

const deviceOf = (pid: number): string => readlinkSync(`/proc/${pid}/fd/0`);

function note(text: string): void {
  writeFileSync(loanNote(directory, NOTE), text);
}

const claim = (pid: number, forbidden?: number): ReturnType<typeof openLoan> =>
  openLoan(directory, { pid, note: NOTE }, (device) => device === forbidden);

describe("a terminal is lent", needsLinux, () => {
  test("by the process that sits on it, once for every note", async () => {
    const { pid } = await program("exec sleep 100");
    note(deviceOf(pid));
    const loan = claim(pid);
    expect(loan?.isInFront()).toBe(true);
    expect(readdirSync(directory)).toEqual([]);
    expect(claim(pid)).toBeUndefined();
    loan?.end();
  });

  test("by nobody who has left no note, or one that says something else", async () => {
    const { pid } = await program("exec sleep 100");
    const other = await program("exec sleep 100");
    expect(claim(pid)).toBeUndefined();
    for (const text of ["", "/dev/null", "/etc/passwd", "/dev/tty", deviceOf(other.pid), `${deviceOf(pid)}\n`]) {
      note(text);
      expect(claim(pid)).toBeUndefined();
    }
    expect(readdirSync(directory)).toEqual([]);
  });

  test("by no other process, and by none that is gone", async () => {
    const { pid } = await program("exec sleep 100");
    for (const claimant of [process.pid, 2 ** 22 - 1]) {
      note(deviceOf(pid));
      expect(claim(claimant)).toBeUndefined();
    }
  });

  test("not to the session that runs in it", async () => {
    const { pid, device } = await program("exec sleep 100");
    note(deviceOf(pid));
    expect(statSync(deviceOf(pid)).rdev).toBe(device);
    expect(claim(pid, device)).toBeUndefined();
  });

  test("not by a job in the background, and only as long as it is in front", async () => {
    const shell = await program("set -m; sleep 100 < /dev/tty & echo $!; exec sleep 100");
    const job = Number(await waitFor("the job", () => /\d+/.exec(shell.said())?.[0]));
    await waitFor("its terminal", () => deviceOf(job).startsWith("/dev/"));
    note(deviceOf(shell.pid));
    expect(claim(job)).toBeUndefined();
    note(deviceOf(shell.pid));
    const loan = claim(shell.pid);
    expect(loan?.isInFront()).toBe(true);
    process.kill(shell.pid, "SIGSTOP");
    await waitFor("it to stand still", () => loan?.isInFront() === false);
    process.kill(shell.pid, "SIGCONT");
    await waitFor("it to go on", () => loan?.isInFront() === true);
    process.kill(shell.pid, "SIGKILL");
    await waitFor("its end", () => loan?.isInFront() === false);
    loan?.end();
    programs = [];
  });
});
