import { describe, expect, it } from "vitest";
import type { RunError } from "../core/run-result.ts";
import { DEFAULT_RETRY, delayBeforeRetry } from "./retry.ts";

const error = (fields: Partial<RunError> = {}): RunError => ({
  code: "RATE_LIMITED",
  message: "busy",
  stderr: "",
  recoverable: true,
  ...fields,
});
const middle = (): number => 0.5;

describe("the delay", () => {
  it("doubles up to the limit", () => {
    const policy = { ...DEFAULT_RETRY, maxAttempts: 9 };
    const delays = [1, 2, 3, 6].map((number) =>
      delayBeforeRetry(policy, { number, error: error(), hasActed: false }, middle),
    );
    expect(delays).toEqual([1000, 2000, 4000, 30_000]);
  });

  it("varies by the jitter", () => {
    const attempt = { number: 1, error: error(), hasActed: false };
    expect([0, 1].map((random) => delayBeforeRetry(DEFAULT_RETRY, attempt, () => random))).toEqual([900, 1100]);
  });

  it("is at least what the service asked for", () => {
    const attempt = { number: 1, error: error(), hasActed: false, retryAfterMs: 7000 };
    expect(delayBeforeRetry(DEFAULT_RETRY, attempt, middle)).toBe(7000);
  });
});

describe("there is no further attempt", () => {
  it.each([
    ["after the last one", { number: 3, error: error(), hasActed: false }],
    ["when the agent has acted", { number: 1, error: error(), hasActed: true }],
    ["for an error that stays", { number: 1, error: error({ recoverable: false }), hasActed: false }],
    ["for a code that is not listed", { number: 1, error: error({ code: "AUTH_ERROR" }), hasActed: false }],
    [
      "when the service wants more patience than there is",
      { number: 1, error: error(), hasActed: false, retryAfterMs: 3_600_000 },
    ],
  ])("%s", (_when, attempt) => {
    expect(delayBeforeRetry(DEFAULT_RETRY, attempt, middle)).toBeUndefined();
  });
});
