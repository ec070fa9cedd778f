/**
 * Polls a daemon's health. What the daemon must not wait for, such as a dead disk, does not come back: a limit of some seconds finds
 * it as well as a short one, which a busy disk may exceed.
 */
import { existsSync, readFileSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { expect } from "vitest";
import { SECOND_MS } from "../../support/deadline.ts";
import type { TestDaemon } from "./test-daemon.ts";

const PAUSE_MS = 50;
const LIMIT_MS = 10 * SECOND_MS;

/** Call the result to stop; it resolves to the longest delay in milliseconds, without the time other processes took. */
export function watchHealth(machine: TestDaemon): () => Promise<number> {
  const took: number[] = [];
  const watch = { isOver: false };
  const ask = async (): Promise<void> => {
    while (!watch.isOver) {
      const begun = performance.now() - waitedMs(machine.pid) - waitedMs(process.pid);
      expect((await machine.ask("GET", "/v1/health")).status).toBe(200);
      took.push(performance.now() - waitedMs(machine.pid) - waitedMs(process.pid) - begun);
      await setTimeout(PAUSE_MS);
    }
  };
  const asking = ask();
  // Handled where it is awaited.
  asking.catch(() => undefined);
  return async () => {
    watch.isOver = true;
    await asking;
    const longest = Math.round(Math.max(...took));
    expect(longest, `the longest of ${took.length} answers of /v1/health, in ms`).toBeLessThanOrEqual(LIMIT_MS);
    return longest;
  };
}

/** How long a process was ready to run while the CPU served others. */
function waitedMs(pid: number): number {
  const file = `/proc/${pid}/task/${pid}/schedstat`;
  return existsSync(file) ? Number(readFileSync(file, "latin1").split(" ")[1]) / 1e6 : 0;
}
