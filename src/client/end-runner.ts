/** Ending a session whose process cannot be asked to: it stands still, or nobody can reach it. */
import { lockHolder } from "../lib/process/process-lock.ts";
import { childrenOf, processesOfSession } from "../lib/process/processes.ts";

/** A program has two seconds to hang up before it is killed, as when its own process ends it. */
const GRACE_MS = 2000;

/** For a process that nobody can reach but that works: it ends its programs, and says goodbye to everyone. */
const LEAVE_WITHIN_MS = 6000;

const POLL_MS = 20;

/** One that was stopped cannot act on anything until it is continued. */
export function wake(lock: string): void {
  const runner = lockHolder(lock);
  if (runner !== undefined) signal([runner], "SIGCONT");
}

/** Resolves when the lock's holder and all that runs in its terminals is gone. One that is mute is not asked again. */
export async function endFromOutside(lock: string, isMute: boolean): Promise<void> {
  const runner = lockHolder(lock);
  if (runner === undefined) return;
  const isGone = (): boolean => lockHolder(lock) !== runner;
  if (!isMute) {
    signal([runner], "SIGTERM");
    if (await within(LEAVE_WITHIN_MS, isGone)) return;
  }
  // Each leads the session of its own terminal.
  const programs = (): number[] => childrenOf(runner).flatMap(processesOfSession);
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
        // It ended in between, which is what is wanted.
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
