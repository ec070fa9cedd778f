/** Ends a terminal's program: SIGHUP first, SIGKILL if it does not exit. */
import { processesOfSession } from "../lib/process/processes.ts";
import type { Terminal } from "./terminal.ts";

/** Time for a program to save its work before it is killed. */
const HANG_UP_GRACE_MS = 2000;

/** The kernel needs a moment to end a killed program, or forever if a dead disk holds it. */
const KILLED_WITHIN_MS = 1000;

/** Interval between checks for survivors. */
const POLL_MS = 50;

/** Resolves when the program and everything it started in its terminal is gone. */
export async function endProgram(terminal: Terminal): Promise<void> {
  if (terminal.exit !== undefined) return;
  const leader = terminal.pty.pid;
  const deadline = performance.now() + HANG_UP_GRACE_MS;
  // A stopped program cannot act until it is continued.
  signalAll(processesOfSession(leader), "SIGHUP", "SIGCONT");
  const force = setTimeout(() => signalAll(processesOfSession(leader), "SIGKILL"), HANG_UP_GRACE_MS);
  await terminal.exited;
  // Background jobs may have missed or ignored the signal.
  const left = await survivors(leader, deadline);
  clearTimeout(force);
  if (left.length === 0) return;
  signalAll(left, "SIGKILL");
  await survivors(leader, performance.now() + KILLED_WITHIN_MS);
}

/** Those that are left at the deadline; earlier if there are none. */
async function survivors(leader: number, deadline: number): Promise<readonly number[]> {
  for (;;) {
    const left = processesOfSession(leader);
    if (left.length === 0 || performance.now() >= deadline) return left;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

/** Signals every process of the terminal's session, including background jobs; programs that left it are not ours. */
function signalAll(pids: readonly number[], ...signals: NodeJS.Signals[]): void {
  for (const signal of signals) for (const pid of pids) send(pid, signal);
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It ended meanwhile, as wanted.
  }
}
