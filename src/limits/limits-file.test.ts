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
