/** Ends a process identified by pid and start time, so that a reused pid is safe. */
import { isRunning } from "../lib/process/processes.ts";

const ASKED_FOR_MS = 3000;
const LOOK_EVERY_MS = 50;

/** SIGTERM first, then SIGKILL. False if it is still there, e.g. blocked in a system call. */
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
