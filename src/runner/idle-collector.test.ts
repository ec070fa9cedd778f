import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { IdleCollector } from "./idle-collector.ts";

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("gc", vi.fn());
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test("memory is returned a while after the output has stopped", () => {
  new IdleCollector(() => true).calm();
  expect(globalThis.gc).not.toHaveBeenCalled();
  vi.runAllTimers();
  expect(globalThis.gc).toHaveBeenCalledOnce();
});

test("memory is not returned while somebody types, but afterwards", () => {
  let isCalm = false;
  const collector = new IdleCollector(() => isCalm);
  collector.calm();
  vi.runAllTimers();
  expect(globalThis.gc).not.toHaveBeenCalled();
  isCalm = true;
  collector.calm();
  vi.runAllTimers();
  expect(globalThis.gc).toHaveBeenCalledOnce();
});
