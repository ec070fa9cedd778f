/**
 * Starting the thread that reads agents' files. It begins at once and tells what it found when somebody listens, so that it
 * can be started before the daemon's own code is loaded.
 */
import { Worker } from "node:worker_threads";
import type { AgentEnv } from "../../agents/adapter.ts";
import { builtFile } from "../process/built-file.ts";

/** `file`: the thread's program. What it is given holds no secret of the daemon. */
export function startHistoryThread({ home, platform, vars }: AgentEnv, file = builtFile("history-worker.cjs")): Worker {
  const { AMUX_TOKEN: _, ...shown } = vars;
  const thread = new Worker(file, { workerData: { home, platform, vars: shown }, env: shown });
  // It holds nobody up who has ended before listening; whoever listens then finds it dead, should it have failed.
  thread.unref();
  thread.on("error", () => undefined);
  return thread;
}
