import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { Problem } from "../problem.ts";
import { SessionStore } from "../store/store.ts";
import { waitFor } from "./wait.ts";

const ID = "sess-abcd1234";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A store without listeners. */
function silentStore(): SessionStore {
  const store = new SessionStore();
  const created_at = "2026-03-14T10:00:00Z";
  store.upsert("runner", ID, { created_at, alive: true, command: ["cat"], kind: "shell", cwd: "/" });
  vi.spyOn(store, "onChange").mockReturnValue(() => undefined);
  return store;
}

const unknown = () => Promise.reject(new Problem("runner_unreachable", "Nobody is there."));

const wait = { for: "exit", timeoutMs: 60_000, signal: new AbortController().signal } as const;

it("an unreported end is found by polling", async () => {
  const store = silentStore();
  const waited = waitFor(store, unknown, ID, wait);
  await vi.advanceTimersByTimeAsync(5000);
  store.upsert("runner", ID, { alive: false, exit_code: 3 });
  await vi.advanceTimersByTimeAsync(1000);
  await expect(waited).resolves.toEqual({ reason: "died", exit_code: 3 });
  expect(vi.getTimerCount()).toBe(0);
});

it("a wait that times out says so, and stops polling", async () => {
  const refused = expect(waitFor(silentStore(), unknown, ID, wait)).rejects.toThrow("has not ended yet");
  await vi.advanceTimersByTimeAsync(60_000);
  await refused;
  expect(vi.getTimerCount()).toBe(0);
});
