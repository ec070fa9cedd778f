import { describe, expect, it } from "vitest";
import type { SessionSummary } from "../core/session.ts";
import { listTextOf, rowsIn } from "./list-text.ts";

const ROW: SessionSummary = {
  agent: "claude",
  sessionId: "a",
  unifiedId: "claude:a",
  title: 'He said "no\\yes"\n\tthen…',
  createdAt: new Date("2026-05-01T10:00:00.123Z"),
  updatedAt: new Date("2026-05-02T10:00:00.000Z"),
  turnCount: 3,
  messageCount: 0,
  tags: [],
};
const ROWS: SessionSummary[] = [
  ROW,
  { ...ROW, tags: ["x", "y\n"], partial: true, cwd: "/ä/語" },
  { ...ROW, cost: { totalUsd: 0.000001, inputTokens: 12, outputTokens: 1e21, kind: "computed" } },
];

describe("the text of a list", () => {
  it.each([[[]], [[ROW]], [ROWS]])("can be read again", (rows: SessionSummary[]) => {
    expect(rowsIn(listTextOf(rows))).toEqual(rows);
  });

  it("moves no cursor", () => {
    expect(listTextOf([{ ...ROW, title: "a\u009bb" }])).toContain("a\\u009bb");
  });
});
