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

  it("is the highest figure of the latest window, whatever an idle process repeats later", () => {
    const old = {
      ...told(2.5, 99),
      windows: [{ window: "5h", minutes: 300, usedPercent: 99, resetsAt: RESET - 5 * HOUR }],
    };
    const [standing] = limitStandings([told(1, 10), told(2, 50), told(2.4, 10), old], START + 3 * HOUR);
    expect(standing).toMatchObject({ usedPercent: 50, at: START + 2 * HOUR, resetsAt: RESET });
  });

  it("has a pace up to its figure, not up to now", () => {
    const [standing] = limitStandings([told(1, 20), told(2, 50)], START + 4 * HOUR);
    expect(standing!.pace).toBeCloseTo(1.25);
  });

  it("is forecast by the time between its figures, however uneven", () => {
    // 40 points in the 2.5 hours between the two, not in the last hour.
    const [standing] = limitStandings([told(0.5, 10), told(3, 50)], START + 3 * HOUR);
    const [average, lately] = [50 / 3, 40 / 2.5];
    expect(standing!.forecast!.percent[0]).toBeCloseTo(50 + 2 * lately);
    expect(standing!.forecast!.percent[1]).toBeCloseTo(50 + 2 * average);
  });

  it("is forecast although the time of the reset differs by milliseconds", () => {
    const early = { ...told(1, 10), windows: [{ window: "5h", minutes: 300, usedPercent: 10, resetsAt: RESET - 800 }] };
    const [standing] = limitStandings([early, told(3, 70)], START + 3 * HOUR);
    expect(standing!.forecast!.percent[1]).toBeCloseTo(70 + 2 * 30);
  });

  it("leaves out figures of the future", () => {
    expect(limitStandings([told(2, 50)], START + HOUR)).toEqual([]);
  });
});
