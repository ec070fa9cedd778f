/**
 * A process that leads its own session, and its descendants. Signals go to its group; processes that left the group but not the
 * session are found at cleanup. A daemon with its own session is left alone.
 */
import { processesOfSession } from "../lib/process/processes.ts";

export function signalGroup(leader: number, signal: NodeJS.Signals): void {
  // Windows has no process groups; there only the leader is signalled.
  send(process.platform === "win32" ? leader : -leader, signal);
}

export function hasSurvivors(leader: number): boolean {
  return survivorsOf(leader).length > 0;
}

/** Signals every remaining process, in any group. */
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
    // ESRCH: it is gone, as wanted. EPERM: a group of zombies (macOS), or no longer our user's.
    if (code !== "ESRCH" && code !== "EPERM") throw error;
  }
}
