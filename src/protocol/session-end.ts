/** How a session's program ended, and whether that was a failure. */

export interface ProgramEnd {
  exit_code?: number | null | undefined;
  exit_signal?: string | undefined;
  killed?: boolean | undefined;
}

/** Signals with which people and the system ask a program to leave; any other is the end of a broken one. */
const REQUESTS: ReadonlySet<string> = new Set(["SIGHUP", "SIGINT", "SIGTERM"]);

/** It was told to end; its exit code then says nothing about its work. */
export function wasKilled({ killed, exit_signal }: ProgramEnd): boolean {
  return killed === true || (exit_signal !== undefined && REQUESTS.has(exit_signal));
}

export function endedInError(end: ProgramEnd): boolean {
  return (end.exit_code ?? 0) !== 0 && !wasKilled(end);
}

/** In a word or two. */
export function endOf(end: ProgramEnd): string {
  return endedInError(end) ? `exited (${end.exit_code})` : "ended";
}
