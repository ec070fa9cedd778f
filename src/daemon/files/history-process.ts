/**
 * Starts and ends the history process. A thread blocked on a dead disk cannot be ended; a process can. It starts before the
 * daemon's own code is loaded.
 */
import { fork, type ChildProcess } from "node:child_process";
import type { Socket } from "node:net";
import type { AgentEnv } from "../../agents/adapter.ts";
import { externalEnv } from "../../lib/process/external-env.ts";
import { builtFile } from "../process/built-file.ts";

/** A process blocked on a dead disk never sees the request to exit. */
const PATIENCE_MS = 2000;

/** `file`: the process's program. It gets no secrets of the daemon. */
export function startHistoryProcess({ home, vars }: AgentEnv, file = builtFile("history-worker.cjs")): ChildProcess {
  const child = fork(file, {
    // Its own process group: Ctrl-C is for the daemon. Its own session: it gets its own share of the CPU.
    detached: true,
    env: { ...externalEnv(vars), HOME: home },
    // Costs no time, and saves a third of its memory at rest.
    execArgv: ["--max-semi-space-size=2"],
    // Requests contain dates.
    serialization: "advanced",
    // What it says at a crash.
    stdio: ["ignore", "ignore", "pipe", "ipc"],
  });
  // It must not keep an early exit waiting.
  child.unref();
  child.channel?.unref();
  (child.stderr as Socket | null)?.unref();
  child.on("error", () => undefined);
  return child;
}

/** Resolves when it has ended, or was killed. */
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
    // It exits when the channel closes.
    if (child.connected) child.disconnect();
  });
}

export function isRunning({ pid, exitCode, signalCode }: ChildProcess): boolean {
  return pid !== undefined && exitCode === null && signalCode === null;
}
