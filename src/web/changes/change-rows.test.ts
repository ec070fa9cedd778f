import { describe, expect, it } from "vitest";
import type { ChangeLine } from "../../core/changes.ts";
import type { ReviewComment } from "../../protocol/review.ts";
import { quoted, rowsOf } from "./change-rows.ts";
import { wordMarks } from "./word-marks.ts";

const removed = (text: string, oldLine = 1): ChangeLine => ({ kind: "removed", text, oldLine });
const added = (text: string, newLine = 1): ChangeLine => ({ kind: "added", text, newLine });
const hunkOf = (lines: ChangeLine[]) => ({
  oldStart: 1,
  oldLines: 1,
  newStart: 1,
  newLines: 1,
  lines,
  origin: { tier: "none" as const, reason: "" },
});

describe("changed words", () => {
  it("are those that the line's counterpart does not have", () => {
    const hunk = hunkOf([removed("run npm test now"), removed("gone"), added("run npm check now")]);
    expect(wordMarks(hunk, 0)).toEqual([{ start: 8, end: 12 }]);
    expect(wordMarks(hunk, 2)).toEqual([{ start: 8, end: 13 }]);
    expect(wordMarks(hunk, 1), "without a counterpart").toEqual([]);
  });

  it("are not marked in lines that have nothing in common", () => {
    const hunk = hunkOf([removed("alpha beta gamma"), added("one two three")]);
    expect(wordMarks(hunk, 0)).toEqual([]);
  });
});

describe("a comment", () => {
  it("is about the lines as they are now, and about removed ones only if there is nothing else", () => {
    const hunk = hunkOf([removed("old", 7), added("new", 8), added("more", 9)]);
    expect(quoted({ hunk, from: 0, to: 2 })).toEqual({ side: "new", line: 8, end_line: 9, quote: ["new", "more"] });
    expect(quoted({ hunk, from: 0, to: 0 })).toEqual({ side: "old", line: 7, end_line: 7, quote: ["old"] });
  });

  it("is below its last line, unless its code is gone", () => {
    const file = { path: "a", state: "modified", isBinary: false, added: 1, removed: 0 } as const;
    const hunk = hunkOf([added("x", 1), added("y", 2)]);
    const comment: ReviewComment = {
      id: 1,
      root: "/",
      file: "a",
      side: "new",
      line: 1,
      end_line: 1,
      place: "same",
      quote: ["x"],
      text: "?",
      state: "draft",
      created_at: "",
    };
    const kinds = (place: ReviewComment["place"]): string[] =>
      rowsOf([{ ...file, hunks: [hunk] }], new Set(), [{ ...comment, place }], null).map(({ kind }) => kind);
    expect(kinds("same")).toEqual(["file", "hunk", "line", "comment", "line"]);
    expect(kinds("gone")).toEqual(["file", "hunk", "line", "line"]);
  });
});
