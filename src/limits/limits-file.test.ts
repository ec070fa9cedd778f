import { readFileSync, statSync, writeFileSync } from "node:fs";
import { expect, it } from "vitest";
import { tempHome } from "../../test/support/temp-home.ts";
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
