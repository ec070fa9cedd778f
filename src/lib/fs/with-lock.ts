/** Work for one process at a time, so short that blocking is acceptable. */
import { existsSync } from "node:fs";
import { acquireLock } from "../process/process-lock.ts";

/** Longest pause between two tries; randomized so that waiting processes do not collide. */
const PAUSE_MS = 2;

/** Checking the name is cheap; every so often the holder is checked too, in case it died. */
const LOOKS = 16;

/** Undefined if the lock was not free in time: nothing was done. */
export function withLock<T>(path: string, patienceMs: number, work: () => T): { result: T } | undefined {
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
