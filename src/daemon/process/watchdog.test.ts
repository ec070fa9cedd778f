import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { Log } from "./log.ts";
import { startWatchdog } from "./watchdog.ts";
import { completeLines } from "../../../test/support/complete-lines.ts";
import { DEADLINE_MS } from "../../../test/support/deadline.ts";

it("the log says when the daemon blocks, where, and when it continues", async () => {
  const directory = mkdtempSync(join(tmpdir(), "amux-watchdog-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const path = join(directory, "amuxd.log");
  const lines = (): string[] => completeLines(path);
  const watchdog = startWatchdog(new Log(path), 100);
  onTestFinished(() => watchdog.close());
  await new Promise((resolve) => setTimeout(resolve, 100));
  // This thread blocks until the watchdog has noticed; only the log shows it.
  const clock = new Int32Array(new SharedArrayBuffer(4));
  const giveUp = performance.now() + DEADLINE_MS;
  while (lines().length === 0 && performance.now() < giveUp) Atomics.wait(clock, 0, 0, 20);
  // On a busy machine it may block again: more lines follow.
  await vi.waitUntil(() => lines().length > 1, { timeout: DEADLINE_MS });
  const [still, again] = lines().map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(still).toMatchObject({ level: "warn", what: "daemon blocked", pid: process.pid, for_ms: 100 });
  expect(again).toMatchObject({ what: "daemon continues" });
});
