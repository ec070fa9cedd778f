import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { DEADLINE_MS, TEST_DEADLINE_MS } from "./deadline.ts";
import { askOnFailure, waitFor } from "./wait-for.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] }));
afterEach(() => void vi.useRealTimers());

it("a wait that times out reports all that is known", async () => {
  askOnFailure(async () => Promise.resolve("The screen is empty."));
  askOnFailure(() => {
    throw new Error("no log");
  });
  const told = waitFor("the end of days", () => false).catch((error: unknown) => String(error));
  await vi.advanceTimersByTimeAsync(DEADLINE_MS + 1000);
  expect(await told).toMatch(
    /^Error: Waited in vain for the end of days, for \d+ s\.\n\nThe screen is empty\.\n\n\(not to be known: Error: no log\)$/,
  );
});

it("a late event is awaited, and a wait ends before its test", async () => {
  let isThere = false;
  const found = waitFor("a late thing", () => isThere && "found");
  await vi.advanceTimersByTimeAsync(DEADLINE_MS - 2000);
  isThere = true;
  await vi.advanceTimersByTimeAsync(1000);
  expect(await found).toBe("found");
  expect(DEADLINE_MS).toBeGreaterThanOrEqual(60_000);
  expect(TEST_DEADLINE_MS).toBeGreaterThan(2 * DEADLINE_MS);
});
