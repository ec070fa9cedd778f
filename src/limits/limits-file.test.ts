import { readFileSync, statSync, writeFileSync } from "node:fs";
import { expect, it } from "vitest";
import { tempHome } from "../../test/support/temp-home.ts";
import type { LimitReading } from "../core/limits.ts";
import { knownLimits } from "./known-limits.ts";
import { limitsPath, recordedLimits, recordLimits } from "./limits-file.ts";

const NOW = Date.UTC(2026, 10, 17);

function record(home: string, at: number, usedPercent: number): void {
  const windows = [{ window: "5h", minutes: 300, usedPercent, resetsAt: NOW }];
  recordLimits(home, { at, agent: "claude", session: "s", windows }, () => "a@b");
}

it("a figure is written once, privately, and again when it changed", () => {
  const home = tempHome().path;
  for (const used of [10, 10, 10.2, 11, 11]) record(home, NOW, used);
  expect(recordedLimits(home, NOW).map(({ windows }) => windows[0]!.usedPercent)).toEqual([10, 11]);
  expect(recordedLimits(home, NOW)[0]).toMatchObject({ agent: "claude", account: "a@b", session: "s" });
  expect(statSync(limitsPath(home)).mode & 0o777).toBe(0o600);
});

it("the file stays bounded and keeps the newest", () => {
  const home = tempHome().path;
  const windows = [{ window: "5h", usedPercent: 1 }];
  const line = JSON.stringify({ at: NOW, agent: "claude", session: "s", windows });
  writeFileSync(limitsPath(home), `${line}\n`.repeat(Math.ceil((512 * 1024) / line.length)));
  record(home, NOW + 1, 50);
  expect(statSync(limitsPath(home)).size).toBeLessThan(300 * 1024);
  expect(recordedLimits(home, NOW + 2).at(-1)!.windows[0]!.usedPercent).toBe(50);
});

it("damaged lines, old ones and ones of the future are left out", () => {
  const home = tempHome().path;
  record(home, NOW - 40 * 86_400_000, 1);
  record(home, NOW + 1000, 2);
  record(home, NOW - 1000, 3);
  const text = readFileSync(limitsPath(home), "utf8");
  writeFileSync(
    limitsPath(home),
    `{"at":1,\n[]\n{"at":"x","agent":1}\n${text}{"at":${NOW},"agent":"claude","windows":7}`,
  );
  expect(recordedLimits(home, NOW).map(({ windows }) => windows.length)).toEqual([1, 0]);
});

it("a process that idles and repeats an older figure adds nothing", () => {
  const home = tempHome().path;
  const tell = (session: string, usedPercent: number, resetsAt = NOW): void =>
    recordLimits(
      home,
      { at: NOW - 1000, agent: "claude", session, windows: [{ window: "5h", usedPercent, resetsAt }] },
      () => "a@b",
    );
  for (let turn = 0; turn < 100; turn++) {
    tell("busy", 50);
    tell("idle", 10);
    tell("older", 90, NOW - 5 * 3_600_000);
  }
  expect(recordedLimits(home, NOW).map(({ windows }) => windows[0]!.usedPercent)).toEqual([50]);
});

it("the same figure of another account is kept", () => {
  const home = tempHome().path;
  for (const account of ["a@b", "c@d", "a@b", "c@d"]) {
    const windows = [
      { window: "5h", usedPercent: 10, resetsAt: NOW },
      { window: "7d", usedPercent: 10, resetsAt: NOW + (account === "a@b" ? 0 : 3_600_000) },
    ];
    recordLimits(home, { at: NOW, agent: "claude", windows }, () => account);
  }
  expect(recordedLimits(home, NOW).map(({ account }) => account)).toEqual(["a@b", "c@d"]);
});

it("a second account whose window resets earlier, or is used less, is kept", () => {
  const home = tempHome().path;
  const tell = (account: string, usedPercent: number, resetsAt: number): void =>
    recordLimits(home, { at: NOW, agent: "claude", windows: [{ window: "5h", usedPercent, resetsAt }] }, () => account);
  tell("a@b", 60, NOW + 3_600_000);
  tell("c@d", 80, NOW + 600_000);
  tell("e@f", 20, NOW + 3_600_000);
  expect(recordedLimits(home, NOW).map(({ account }) => account)).toEqual(["a@b", "c@d", "e@f"]);
});

it("whose figures they are is not asked when they repeat", () => {
  const home = tempHome().path;
  record(home, NOW, 10);
  const windows = [{ window: "5h", minutes: 300, usedPercent: 10.2, resetsAt: NOW }];
  recordLimits(home, { at: NOW, agent: "claude", windows }, () => expect.unreachable());
});

it("figures are kept after the clock was ahead and set back", () => {
  const home = tempHome().path;
  const windows = [{ window: "5h", usedPercent: 10, resetsAt: NOW + 3_600_000 }];
  for (const at of [NOW + 20 * 86_400_000, NOW]) recordLimits(home, { at, agent: "claude", windows }, () => "a@b");
  expect(recordedLimits(home, NOW)).toHaveLength(1);
});

it("a file of many megabytes is read at its end, and becomes short again", () => {
  const home = tempHome().path;
  writeFileSync(limitsPath(home), `${"x".repeat(1000)}\n`.repeat(5000));
  record(home, NOW - 1, 50);
  expect(recordedLimits(home, NOW)).toHaveLength(1);
  expect(statSync(limitsPath(home)).size).toBeLessThan(10_000);
});

it("a path without end is not kept", () => {
  const home = tempHome().path;
  const windows = [{ window: "5h", usedPercent: 1, resetsAt: NOW }];
  recordLimits(home, { at: NOW, agent: "claude", session: "s", cwd: "/x".repeat(9000), windows }, () => undefined);
  expect(recordedLimits(home, NOW)).toMatchObject([{ session: "s", windows }]);
  expect(statSync(limitsPath(home)).size).toBeLessThan(300);
});

it("damaged times are left out instead of breaking every limit", () => {
  const home = tempHome().path;
  const line = (window: object): string =>
    `${JSON.stringify({ at: NOW, agent: "claude", windows: [{ window: "5h", usedPercent: 1, ...window }] })}\n`;
  writeFileSync(limitsPath(home), line({ resetsAt: 1e300 }) + line({ resetsAt: NOW * 2 }) + line({ minutes: 1e300 }));
  expect(recordedLimits(home, NOW).flatMap(({ windows }) => windows)).toEqual([]);
});

it("figures of agents' files are kept once, however often the files are read, and outlive them", () => {
  const home = tempHome().path;
  const reading = (minutes: number, usedPercent: number, more: Partial<LimitReading> = {}): LimitReading => ({
    at: NOW - 600_000 + minutes * 60_000,
    agent: "codex",
    plan: "pro",
    session: "s",
    windows: [{ window: "7d", minutes: 10_080, usedPercent }],
    ...more,
  });
  const readings = [reading(2, 20), reading(1, 10), reading(3, 5, { account: "other" })];
  for (let look = 0; look < 3; look++) knownLimits(home, { readings, hints: [] }, NOW);
  knownLimits(home, { readings: [...readings, reading(4, 30)], hints: [] }, NOW);
  expect(recordedLimits(home, NOW).map(({ account, windows }) => [account, windows[0]!.usedPercent])).toEqual([
    [undefined, 10],
    [undefined, 20],
    ["other", 5],
    [undefined, 30],
  ]);
  const { standings } = knownLimits(home, { readings: [], hints: [] }, NOW);
  expect(standings.map(({ account, plan, usedPercent }) => [account, plan, usedPercent])).toEqual([
    [undefined, "pro", 30],
    ["other", "pro", 5],
  ]);
});

it("a refusal is one entry with its account, told by a hook and by a transcript, until its reset", () => {
  const home = tempHome().path;
  const resetsAt = NOW + 3_600_000;
  const told = { at: NOW - 1000, agent: "claude", session: "s", windows: [] };
  recordLimits(home, { ...told, refusal: { kind: "5h", resetsAt: resetsAt - 180_000 } }, () => "a@b");
  const read = { ...told, at: NOW - 1500, refusal: { kind: "5h", resetsAt } };
  const again = { ...told, at: NOW - 500, refusal: { kind: "5h", resetsAt } };
  const looks = [1, 2].map(() => knownLimits(home, { readings: [read, again], hints: [] }, NOW));
  expect(looks[1]!.refusals).toEqual([
    { at: NOW - 500, agent: "claude", account: "a@b", session: "s", kind: "5h", resetsAt },
  ]);
  expect(recordedLimits(home, NOW)).toHaveLength(1);
  expect(knownLimits(home, { readings: [], hints: [] }, NOW).refusals).toMatchObject([{ account: "a@b", kind: "5h" }]);
  expect(knownLimits(home, { readings: [], hints: [] }, resetsAt).refusals).toEqual([]);
});

it("without a time of the reset, a refusal is shown for some hours", () => {
  const home = tempHome().path;
  recordLimits(home, { at: NOW, agent: "claude", windows: [], refusal: {} }, () => undefined);
  const shown = (hours: number): number =>
    knownLimits(home, { readings: [], hints: [] }, NOW + hours * 3_600_000).refusals.length;
  expect([shown(1), shown(6)]).toEqual([1, 0]);
});
