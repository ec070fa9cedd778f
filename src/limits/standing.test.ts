import { describe, expect, it } from "vitest";
import type { LimitReading } from "../core/limits.ts";
import { limitStandings } from "./standing.ts";

const HOUR = 3_600_000;
const START = Date.UTC(2026, 10, 17, 10);
const RESET = START + 5 * HOUR;

function told(hours: number, usedPercent: number, more: Partial<LimitReading> = {}): LimitReading {
  const windows = [{ window: "5h", minutes: 300, usedPercent, resetsAt: RESET }];
  return { at: START + hours * HOUR, agent: "claude", account: "a@b", windows, ...more };
}

describe("the standing of an account", () => {
  it("is the newest figure, with the pace against the elapsed time", () => {
    const [standing] = limitStandings([told(2, 50), told(1, 10)], START + 2 * HOUR);
    expect(standing).toMatchObject({ usedPercent: 50, at: START + 2 * HOUR, isReset: false, startedAt: START });
    expect(standing!.pace).toBeCloseTo(1.25);
  });

  it("is forecast between the pace of the whole window and the recent pace", () => {
    const [standing] = limitStandings([told(1, 10), told(2, 20), told(3, 50)], START + 3 * HOUR);
    // 50% in three hours, and 30 points in the last one.
    expect(standing!.forecast!.percent[0]).toBeCloseTo(50 + (2 * 50) / 3);
    expect(standing!.forecast!.percent[1]).toBeCloseTo(110);
    expect(standing!.forecast!.fullAt).toHaveLength(1);
    expect(standing!.forecast!.fullAt![0]).toBeCloseTo(START + 3 * HOUR + (50 / 30) * HOUR, -3);
  });

  it("has no forecast when the window has just begun", () => {
    const [standing] = limitStandings([told(0.1, 1)], START + 0.1 * HOUR);
    expect(standing).not.toHaveProperty("forecast");
  });

  it("is unknown after a reset, and without a reset time has no pace", () => {
    expect(limitStandings([told(1, 90)], RESET)[0]).toMatchObject({ isReset: true });
    expect(limitStandings([told(1, 90)], RESET)[0]).not.toHaveProperty("pace");
    const unclear = { ...told(1, 90), windows: [{ window: "5h", usedPercent: 90 }] };
    expect(limitStandings([unclear], START + HOUR)[0]).toMatchObject({ usedPercent: 90, isReset: false });
  });

  it("keeps accounts and agents apart", () => {
    const readings = [told(1, 10), told(1, 20, { account: "c@d" }), told(1, 30, { agent: "codex" })];
    expect(limitStandings(readings, START + HOUR).map(({ usedPercent }) => usedPercent)).toEqual([10, 20, 30]);
  });
});
