/** Ending a terminal's program: asked first, forced when it does not listen. */
import { processesOfSession } from "../lib/processes.ts";
import type { Terminal } from "./terminal.ts";

/** What a program gets to save its work before it is killed. */
const HANG_UP_GRACE_MS = 2000;

/** Resolves when the program is gone. */
export async function endProgram(terminal: Terminal): Promise<void> {
  if (terminal.exit !== undefined) return;
  const leader = terminal.pty.pid;
  signalAll(leader, "SIGHUP");
  // A stopped program cannot act on anything until it is continued.
  signalAll(leader, "SIGCONT");
  const force = setTimeout(() => signalAll(leader, "SIGKILL"), HANG_UP_GRACE_MS);
  await terminal.exited;
  clearTimeout(force);
}

/** To every process of the terminal's session, so that background jobs go too; programs that left it are not ours. */
function signalAll(leader: number, signal: NodeJS.Signals): void {
  for (const pid of processesOfSession(leader)) {
    try {
      process.kill(pid, signal);
    } catch {
      // It ended in between, which is what we want.
    }
  }
}
