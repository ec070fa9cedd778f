/**
 * Starting and ending the process that reads agents' files. A thread that waits for a dead disk cannot be ended; a process
 * can. It begins at once, so it can be started before the daemon's own code is loaded.
 */
import { fork, type ChildProcess } from "node:child_process";
import type { AgentEnv } from "../../agents/adapter.ts";
import { builtFile } from "../process/built-file.ts";

/** One that hangs in a file of a dead disk never hears that it should leave. */
const PATIENCE_MS = 2000;

/** `file`: the process's program. What it is given holds no secret of the daemon. */
export function startHistoryProcess({ home, vars }: AgentEnv, file = builtFile("history-worker.cjs")): ChildProcess {
  const { AMUX_TOKEN: _, ...shown } = vars;
  const child = fork(file, {
    // Its own group: Ctrl-C is for the daemon. Its own session: the system gives it a share of the processor of its own.
    detached: true,
    env: { ...shown, HOME: home },
    execArgv: [],
    // Questions hold dates.
    serialization: "advanced",
    stdio: ["ignore", "ignore", "ignore", "ipc"],
  });
  // It holds nobody up who has ended before listening.
  child.unref();
  child.channel?.unref();
  child.on("error", () => undefined);
  return child;
}

/** Resolves when it has ended, or was told to in a way that it cannot refuse. */
export async function endHistoryProcess(child: ChildProcess): Promise<void> {
  if (!isRunning(child)) return;
  await new Promise<void>((resolve) => {
    const timer = setTimeout(() => {
      child.kill("SIGKILL");
      child.unref();
      resolve();
    }, PATIENCE_MS);
    child.once("exit", () => {
      clearTimeout(timer);
      resolve();
    });
    // It leaves when nobody listens any more.
    if (child.connected) child.disconnect();
  });
}

export function isRunning({ pid, exitCode, signalCode }: ChildProcess): boolean {
  return pid !== undefined && exitCode === null && signalCode === null;
}
