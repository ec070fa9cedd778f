import { afterEach, expect, it, vi } from "vitest";
import { Deadlines } from "./deadlines.ts";

afterEach(() => {
  vi.useRealTimers();
});

it("a limit of thirty days does not fire every millisecond", () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  const begun = performance.now();
  const onMissed = vi.fn();
  const deadlines = new Deadlines(30 * 86_400_000, 0, onMissed);
  deadlines.start();
  vi.advanceTimersToNextTimer();
  expect([performance.now() - begun, onMissed.mock.calls]).toEqual([2 ** 31 - 1, []]);
  vi.advanceTimersToNextTimer();
  expect([performance.now() - begun, onMissed.mock.calls]).toEqual([30 * 86_400_000, [["run"]]]);
  deadlines.close();
});
