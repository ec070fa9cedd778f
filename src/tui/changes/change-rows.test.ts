import { expect, it } from "vitest";
import type { ChangeHunk, SessionChanges } from "../../core/changes.ts";
import type { ReviewComment } from "../../protocol/review.ts";
import { changeRows, commentPlace, originOf, type ChangeRow } from "./change-rows.ts";

const NONE = { tier: "none", reason: "Not by a session we know." } as const;
const PROVED = { tier: "proved", agent: "claude", sessionId: "s", messageIndex: 4, reason: "…" } as const;

const HUNK: ChangeHunk = {
  ...{ oldStart: 1, oldLines: 2, newStart: 1, newLines: 3, origin: NONE },
  lines: [
    { kind: "context", text: "one", oldLine: 1, newLine: 1 },
    { kind: "removed", text: "two", oldLine: 2 },
    { kind: "added", text: "second", newLine: 2 },
    { kind: "added", text: "third", newLine: 3 },
  ],
  ranges: [{ start: 2, end: 3, origin: PROVED }],
};
const CHANGES: SessionChanges = {
  ...{ root: "/r", base: { commit: "c", chosen: "head", sentence: "Compared with c." }, added: 2, removed: 1 },
  files: [{ path: "a.ts", state: "modified", isBinary: false, added: 2, removed: 1, hunks: [HUNK] }],
};
const comment = (more: Partial<ReviewComment>): ReviewComment => ({
  ...{ id: 1, root: "/r", file: "a.ts", side: "new", line: 2, end_line: 2, place: "same", quote: [""], text: "why?" },
  ...{ state: "draft", created_at: "" },
  ...more,
});
const rows = (comments: readonly ReviewComment[] = [], folded: string[] = []): ChangeRow[] =>
  changeRows(CHANGES, { comments, folded: new Set(folded), width: 60 });
const kinds = (all: readonly ChangeRow[]): string => all.map(({ kind }) => kind[0]).join("");

it("has a row for each file, hunk and line, and puts comments below their last line", () => {
  expect(kinds(rows())).toBe("nfhllll");
  expect(kinds(rows([comment({})]))).toBe("nfhlllcl");
  expect(kinds(rows([comment({ side: "old", end_line: 2 })]))).toBe("nfhllcll");
  expect(kinds(rows([comment({ end_line: 90, place: "gone" })]))).toBe("nfchllll");
  expect(kinds(rows([comment({ root: "/other" })]))).toBe("nfhllll");
  expect(kinds(rows([], ["a.ts"]))).toBe("nf");
});

it("a line has the origin of its range, if its hunk has several", () => {
  const all = rows();
  expect(originOf(all[5])).toBe(PROVED);
  expect(originOf(all[6])).toBe(NONE);
  expect(originOf(all[1])).toBeUndefined();
});

it("a comment quotes the lines it is about, on the side where they are", () => {
  const all = rows();
  expect(commentPlace(all.slice(3, 7))).toEqual({
    ...{ file: "a.ts", line: 1, end_line: 3, side: "new", quote: ["one", "second", "third"] },
  });
  expect(commentPlace([all[4]!])).toEqual({ file: "a.ts", line: 2, end_line: 2, side: "old", quote: ["two"] });
  expect(commentPlace([all[1]!])).toContain("Move to a changed line");
});
