import { expect, it } from "vitest";
import type { ChangedFile } from "../../core/changes.ts";
import type { ReviewComment } from "../../protocol/review.ts";
import { commentedLines } from "./commented-lines.ts";

const FILE: ChangedFile = {
  path: "a.ts",
  state: "modified",
  isBinary: false,
  added: 1,
  removed: 1,
  hunks: [
    {
      oldStart: 1,
      oldLines: 2,
      newStart: 1,
      newLines: 2,
      lines: [
        { kind: "context", text: "one", oldLine: 1, newLine: 1 },
        { kind: "removed", text: "two", oldLine: 2 },
        { kind: "added", text: "zwei", newLine: 2 },
      ],
      origin: { tier: "none", reason: "" },
    },
  ],
};

function comment(fields: Partial<ReviewComment>): ReviewComment {
  return {
    ...{ id: 1, root: "/r", file: "a.ts", side: "new", line: 2, end_line: 2, place: "same", quote: ["zwei"] },
    ...{ text: "Why?", state: "draft", created_at: "2026-01-01T00:00:00Z" },
    ...fields,
  };
}

it("each comment is below its line, removed or new, and others follow with their code", () => {
  const comments = [
    comment({ text: "In German?" }),
    comment({ id: 2, side: "old", place: "removed", quote: ["two"], text: "Keep it." }),
    comment({ id: 3, file: "b.ts", place: "gone", quote: ["x\u001b[2J"], text: "Where is it?", state: "sending" }),
  ];
  const texts = [...commentedLines([FILE], comments)].map(({ text }) => text.trimEnd());
  expect(texts).toEqual([
    "",
    "a.ts  modified  +1 −1",
    "@@ -1,2 +1,2 @@  not by a session we know",
    " one",
    "-two",
    "# 2  draft  a.ts:2 (removed lines)",
    "Keep it.",
    "+zwei",
    "# 1  draft  a.ts:2",
    "In German?",
    "",
    "# 3  sent? (no receipt)  b.ts:2 (gone)",
    "| x\\u001b[2J",
    "Where is it?",
  ]);
});
