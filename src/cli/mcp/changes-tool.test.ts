import { expect, it } from "vitest";
import type { ChangedFile, SessionChanges } from "../../core/changes.ts";
import { withinBudget } from "./changes-tool.ts";

function fileOf(path: string, lines: number): ChangedFile {
  const added = Array.from({ length: lines }, (_, at) => ({
    kind: "added" as const,
    text: `line ${at}`,
    newLine: at + 1,
  }));
  const origin = { tier: "none" as const, reason: "Not by a session we know." };
  const hunk = { oldStart: 0, oldLines: 0, newStart: 1, newLines: lines, lines: added, origin };
  return { path, state: "added", isBinary: false, added: lines, removed: 0, hunks: [hunk] };
}

function changesOf(files: ChangedFile[]): SessionChanges {
  const base = { commit: "0".repeat(40), chosen: "head" as const, sentence: "Compared with the last commit." };
  return { root: "/shop", base, files, added: 1, removed: 0 };
}

it("an agent gets as many lines as fit, and the names of the rest", () => {
  const files = [fileOf("a.txt", 2), fileOf("large.txt", 1000), fileOf("b.txt", 2)];
  const answer = withinBudget(changesOf(files), 800) as { files: { file: string; diff?: string; omitted?: string }[] };
  expect(answer.files.map(({ file, diff, omitted }) => [file, diff !== undefined, omitted])).toEqual([
    ["a.txt  added  +2 −0", true, undefined],
    ["large.txt  added  +1000 −0", false, "Does not fit: name this path."],
    ["b.txt  added  +2 −0", true, undefined],
  ]);
  expect(answer.files[0]!.diff).toBe("@@ -0,0 +1,2 @@  not by a session we know\n+line 0\n+line 1");
});

it("a thousand files stay within the budget", () => {
  const files = Array.from({ length: 1000 }, (_, at) => fileOf(`src/some/long/place/file${at}.txt`, 3));
  const answer = withinBudget(changesOf(files), 4000) as { moreFiles: number; files: object[] };
  expect(JSON.stringify(answer).length).toBeLessThan(6000);
  expect(answer.moreFiles).toBe(1000 - answer.files.length);
});
