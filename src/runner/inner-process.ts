/** Facts about a process inside a session: program, directory, start time. */
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
