/** Work that only one process at a time may do, for stretches so short that waiting on the spot is right. */
import { existsSync } from "node:fs";
import { acquireLock } from "../process/process-lock.ts";

/** Longest pause between two tries; a random part of it, so that many who wait do not all come at once. */
const PAUSE_MS = 2;

/** A look at the name is cheap; every so many looks the holder is examined, who may have died. */
const LOOKS = 16;

/** Undefined when the lock could not be had in time: nothing was done. */
export function locked<T>(path: string, patienceMs: number, work: () => T): { result: T } | undefined {
  const deadline = performance.now() + patienceMs;
  for (let look = 0; ; look++) {
    const lock = look % LOOKS > 0 && existsSync(path) ? undefined : acquireLock(path);
    if (lock !== undefined) {
      try {
        return { result: work() };
      } finally {
        lock.release();
      }
    }
    if (performance.now() >= deadline) return undefined;
    sleep(Math.random() * PAUSE_MS);
  }
}

function sleep(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
