/** Ends a session whose process does not respond. */
import { lockHolder } from "../lib/process/process-lock.ts";
import { childrenOf, processesOfSession } from "../lib/process/processes.ts";

/** A program gets two seconds after SIGHUP before it is killed, as when its own runner ends it. */
const GRACE_MS = 2000;

/** For a runner that works but cannot be reached: it ends its programs and says goodbye to its clients. */
const LEAVE_WITHIN_MS = 6000;

const POLL_MS = 20;

/** A stopped process cannot act until it is continued. */
export function continueProcess(lock: string): void {
  const runner = lockHolder(lock);
  if (runner !== undefined) signal([runner], "SIGCONT");
}

/** Resolves when the lock's holder and everything in its terminals is gone. An unresponsive holder is not asked first. */
export async function endFromOutside(lock: string, isMute: boolean): Promise<void> {
  const runner = lockHolder(lock);
  if (runner === undefined) return;
  const isGone = (): boolean => lockHolder(lock) !== runner;
  if (!isMute) {
    signal([runner], "SIGTERM");
    if (await within(LEAVE_WITHIN_MS, isGone)) return;
  }
  // Each one leads the process session of its own terminal.
  const programs = (): number[] => processesOfSession(...childrenOf(runner));
  signal(programs(), "SIGHUP", "SIGCONT");
  await within(GRACE_MS, () => isGone() || programs().length === 0);
  signal(isGone() ? [] : [...programs(), runner], "SIGKILL");
  await within(GRACE_MS, isGone);
}

function signal(pids: readonly number[], ...signals: NodeJS.Signals[]): void {
  for (const name of signals) {
    for (const pid of pids) {
      try {
        process.kill(pid, name);
      } catch {
        // It ended meanwhile, as wanted.
      }
    }
  }
}

async function within(ms: number, isSo: () => boolean): Promise<boolean> {
  for (const deadline = performance.now() + ms; !isSo();) {
    if (performance.now() > deadline) return false;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  return true;
}
