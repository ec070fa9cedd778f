/**
 * Ending a thread. One that is stopped from outside in the middle of a call into SQLite takes the whole process with it, so
 * it is asked to leave by itself first.
 */
import type { MessagePort, Worker } from "node:worker_threads";

const LEAVE = "amux:leave";

/** One that hangs in a file of a dead disk never hears that it should leave. */
const PATIENCE_MS = 5000;

/** Resolves when it has ended. Its program must have called `leaveWhenAsked`. */
export async function endThread(worker: Worker): Promise<void> {
  // The number of one that has ended is taken away.
  if (worker.threadId < 0) return;
  const gone = new Promise<void>((resolve) => {
    worker.once("exit", () => resolve());
  });
  worker.postMessage(LEAVE);
  const timer = setTimeout(() => void worker.terminate(), PATIENCE_MS);
  await gone;
  clearTimeout(timer);
}

/** In the thread, before anything else listens. */
export function leaveWhenAsked(port: MessagePort): void {
  port.on("message", (message) => {
    if (message === LEAVE) process.exit();
  });
}
