import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { Looking } from "./looking.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it("the daemon hears that somebody looks while keys come and something waits", () => {
  let [waiting, told] = [0, 0];
  const looking = new Looking(
    () => waiting > 0,
    () => told++,
  );
  looking.input();
  vi.advanceTimersByTime(10_000);
  expect(told).toBe(0);
  waiting = 1;
  vi.advanceTimersByTime(6000);
  expect(told).toBe(2);
  // Nobody has pressed a key for a minute.
  vi.advanceTimersByTime(60_000);
  const before = told;
  vi.advanceTimersByTime(60_000);
  expect([told, vi.getTimerCount()]).toEqual([before, 0]);
  looking.input();
  vi.advanceTimersByTime(3000);
  expect(told).toBe(before + 1);
  looking.close();
  expect(vi.getTimerCount()).toBe(0);
});
