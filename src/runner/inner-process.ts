/** What can be told of a process that somebody started inside a session: what it is, where it works, since when. */
import { commandOf, directoryOf, startMomentOf } from "../lib/process/processes.ts";
import type { InnerProcess } from "../protocol/runner-api.ts";

export function innerProcess(pid: number): InnerProcess {
  const cwd = directoryOf(pid);
  const startedMs = startMomentOf(pid);
  return {
    pid,
    command: commandOf(pid),
    ...(cwd === undefined ? {} : { cwd }),
    ...(startedMs === undefined ? {} : { started_at: new Date(startedMs).toISOString() }),
  };
}
