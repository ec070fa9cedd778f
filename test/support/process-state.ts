/** Processes of tests as Linux sees them. */
import { readFileSync } from "node:fs";

/** A letter, as in /proc/PID/stat; undefined if the process is gone. */
export function processState(pid: number): string | undefined {
  try {
    return /^\d+ \(.*\) (\S)/s.exec(readFileSync(`/proc/${pid}/stat`, "latin1"))?.[1];
  } catch {
    return undefined; // It may go at any moment.
  }
}

/** Neither gone nor a zombie. */
export function isRunning(pid: number): boolean {
  return !["Z", "X", undefined].includes(processState(pid));
}
