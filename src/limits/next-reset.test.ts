import { expect, it } from "vitest";
import type { LimitReading } from "../core/limits.ts";
import { tempHome } from "../../test/support/temp-home.ts";
import { recordLimits } from "./limits-file.ts";
import { nextReset } from "./next-reset.ts";

const HOUR = 3_600_000;
const now = Date.now();
const [soon, late] = [now + HOUR, now + 72 * HOUR];

function recorded(...readings: Partial<LimitReading>[]): string {
  const home = tempHome().path;
  for (const [index, { account, ...reading }] of readings.entries())
    recordLimits(home, { at: now - (10 - index) * 60_000, agent: "claude", windows: [], ...reading }, () => account);
  return home;
}

const windows = (five: number, seven: number): LimitReading["windows"] => [
  { window: "5h", minutes: 300, usedPercent: five, resetsAt: soon },
  { window: "7d", minutes: 10_080, usedPercent: seven, resetsAt: late },
];

it("a prompt for the reset waits for the limit that is used up, not for the nearest reset", () => {
  expect(nextReset(recorded({ windows: windows(10, 100) }), "claude", undefined, now).at).toBe(late);
  expect(nextReset(recorded({ windows: windows(100, 40) }), "claude", undefined, now).at).toBe(soon);
  expect(nextReset(recorded({ windows: windows(10, 40) }), "claude", undefined, now).at).toBe(soon);
});

it("a refusal names the reset, also without figures, until figures say that it was lifted", () => {
  const refusal = { kind: "weekly", resetsAt: late };
  expect(nextReset(recorded({ refusal }), "claude", undefined, now).at).toBe(late);
  expect(nextReset(recorded({ windows: windows(10, 99) }, { refusal }), "claude", undefined, now).at).toBe(late);
  expect(nextReset(recorded({ refusal }, { windows: windows(2, 3) }), "claude", undefined, now).at).toBe(soon);
  expect(nextReset(recorded({ refusal: { kind: "weekly" } }), "claude", undefined, now).at).toBeUndefined();
});

it("another account's limit does not hold up this one", () => {
  const home = recorded({ account: "old", windows: windows(10, 100) }, { account: "new", windows: windows(100, 5) });
  expect(nextReset(home, "claude", undefined, now).at).toBe(soon);
  expect(nextReset(home, "codex", undefined, now).at).toBeUndefined();
});

it("is that of the session's own account, otherwise of the last used one", () => {
  const home = recorded(
    { account: "home", session: "a", windows: windows(100, 5) },
    { account: "work", session: "b", windows: windows(10, 100) },
  );
  expect(nextReset(home, "claude", "a", now)).toEqual({ at: soon, of: "claude home" });
  expect(nextReset(home, "claude", "b", now)).toEqual({ at: late, of: "claude work" });
  expect(nextReset(home, "claude", "c", now)).toEqual({ at: late, of: "claude work" });
  expect(nextReset(recorded({ windows: windows(10, 40) }), "claude", "a", now)).toEqual({ at: soon, of: "claude" });
});
