/**
 * A process that leads its own session, and all it started. Signals go to its group, as a terminal's would; whoever left
 * the group but not the session is found when it is time to clean up. A program that began a session of its own (a
 * daemon) meant to outlive us and is left alone.
 */
import { processesOfSession } from "../lib/process/processes.ts";

export function signalGroup(leader: number, signal: NodeJS.Signals): void {
  // Windows has no process groups; there the leader stands for all.
  send(process.platform === "win32" ? leader : -leader, signal);
}

export function hasSurvivors(leader: number): boolean {
  return survivorsOf(leader).length > 0;
}

/** To every process that is left, in whatever group. */
export function signalSurvivors(leader: number, signal: NodeJS.Signals): void {
  for (const pid of survivorsOf(leader)) send(pid, signal);
}

function survivorsOf(leader: number): number[] {
  return process.platform === "win32" ? [] : processesOfSession(leader);
}

function send(target: number, signal: NodeJS.Signals): void {
  try {
    process.kill(target, signal);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // ESRCH: it is gone, which is what a signal is for. EPERM: a group of zombies (macOS), or no longer our user's.
    if (code !== "ESRCH" && code !== "EPERM") throw error;
  }
}
