/** Ends a process that is told apart by its start time, so that a pid that was used again harms nobody. */
import { isRunning } from "../lib/process/processes.ts";

const ASKED_FOR_MS = 3000;
const LOOK_EVERY_MS = 50;

/** Asks first. False when it is still there, as one that the kernel holds in a system call. */
export async function endProcess(pid: number, startTime: string): Promise<boolean> {
  for (const signal of ["SIGTERM", "SIGKILL"] as const) {
    if (!isRunning(pid, startTime)) return true;
    process.kill(pid, signal);
    if (await hasEnded(pid, startTime, ASKED_FOR_MS)) return true;
  }
  return false;
}

export async function hasEnded(pid: number, startTime: string, withinMs: number): Promise<boolean> {
  const deadline = performance.now() + withinMs;
  while (isRunning(pid, startTime)) {
    if (performance.now() > deadline) return false;
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
  return true;
}
