/** How long the daemon waits for a silent history process. */
import type { ChildProcess } from "node:child_process";
import { EventEmitter } from "node:events";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { FileService } from "./file-service.ts";

const STANDING_STILL_MS = 20_000;

/** Processor time of the history process, and how much it uses in a second. */
const used = vi.hoisted(() => ({ ticks: 0, perSecond: 100 }));
const started = vi.hoisted(() => ({ next: (): unknown => undefined }));

vi.mock("../../lib/process/processes.ts", () => ({ mainThreadTicks: () => used.ticks }));
vi.mock("./history-process.ts", () => ({
  startHistoryProcess: () => started.next(),
  endHistoryProcess: async () => undefined,
  isRunning: () => true,
}));

/** Says nothing. */
class Silent extends EventEmitter {
  readonly pid = 1;
  readonly connected = true;
  ref = (): void => undefined;
  send = (): void => undefined;
  kill = (): void => void this.emit("close", null, "SIGKILL");
}

beforeEach(() => {
  vi.useFakeTimers();
  started.next = () => new Silent();
  setInterval(() => (used.ticks += used.perSecond), 1000);
});

afterEach(() => {
  vi.useRealTimers();
});

function service(): FileService {
  const env = { home: "/nowhere", platform: process.platform, vars: {} };
  const first = new Silent() as unknown as ChildProcess;
  return new FileService(env, { onNews: () => undefined, onProblem: () => undefined }, { first });
}

/** Seconds until a request to a silent process fails. */
async function secondsToFail(files: FileService): Promise<number> {
  const began = performance.now();
  const ends: number[] = [];
  const asked = files.read({ kind: "models" }).next();
  asked.catch(() => ends.push(performance.now()));
  while (ends.length === 0) await vi.advanceTimersByTimeAsync(STANDING_STILL_MS);
  return Math.round((ends[0]! - began) / 1000);
}

it("an endless computation is ended after minutes, also when it was ended before", async () => {
  used.perSecond = 100;
  const files = service();
  for (let times = 0; times < 5; times++) expect(await secondsToFail(files)).toBeLessThanOrEqual(240);
});

it("a blocked process gets more time after each end", async () => {
  used.perSecond = 0;
  const files = service();
  const seconds = [await secondsToFail(files), await secondsToFail(files), await secondsToFail(files)];
  expect(seconds[0]).toBeLessThanOrEqual(60);
  expect(seconds[2]).toBeGreaterThan(seconds[0]!);
});
