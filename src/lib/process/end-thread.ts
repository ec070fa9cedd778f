/** Ends a worker thread. Terminating one inside an SQLite call crashes the whole process, so it is first asked to exit. */
import type { MessagePort, Worker } from "node:worker_threads";

const LEAVE = "amux:leave";

/** A thread blocked on a dead disk never sees the request. */
const PATIENCE_MS = 5000;

/** Resolves when it has ended. The worker must have called `exitOnRequest`. */
export async function endThread(worker: Worker): Promise<void> {
  // An ended worker has no thread id.
  if (worker.threadId < 0) return;
  const gone = new Promise<void>((resolve) => {
    worker.once("exit", () => resolve());
  });
  worker.postMessage(LEAVE);
  const timer = setTimeout(() => void worker.terminate(), PATIENCE_MS);
  await gone;
  clearTimeout(timer);
}

/** Call this in the worker before anything else listens. */
export function exitOnRequest(port: MessagePort): void {
  port.on("message", (message) => {
    if (message === LEAVE) process.exit();
  });
}
