import { expect, it } from "vitest";
import type { ChangedFile } from "../../core/changes.ts";
import { bounded } from "./choose-hunks.ts";
import { UNKNOWN_ORIGIN } from "./parse-diff.ts";

function fileOf(path: string, lines: number, text = "x"): ChangedFile {
  const added = Array.from({ length: lines }, (_, at) => ({ kind: "added" as const, text, newLine: at + 1 }));
  const hunk = { oldStart: 0, oldLines: 0, newStart: 1, newLines: lines, lines: added, origin: UNKNOWN_ORIGIN };
  return { path, state: "added", isBinary: false, added: lines, removed: 0, hunks: [hunk] };
}

it("an answer is bounded, and says what it leaves out and how to get it", () => {
  const files = [fileOf("a", 40_000), fileOf("b", 40_000), fileOf("c", 40_000), fileOf("d", 60_000)];
  const { files: shown, truncated } = bounded(files, { hunks: true });
  expect(shown.map(({ path, hunks, omitted }) => [path, hunks?.length, omitted])).toEqual([
    ["a", 1, undefined],
    ["b", 1, undefined],
    ["c", undefined, "Left out: the answer is long. Ask for this file alone."],
    ["d", undefined, "60000 lines: too many to show."],
  ]);
  expect(truncated).toBe("The lines of 2 files are left out.");
});

it("a very long line is cut, and too many files are counted", () => {
  const [file] = bounded([fileOf("a", 1, "x".repeat(10_000))], { hunks: true }).files;
  expect(file!.hunks![0]!.lines[0]!.text).toHaveLength(4001);
  const many = Array.from({ length: 5003 }, (_, at) => fileOf(`file${at}`, 1));
  const { files, truncated } = bounded(many, {});
  expect([files.length, truncated, files[0]!.hunks]).toEqual([5000, "3 more files are left out.", undefined]);
});
