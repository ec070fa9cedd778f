import { expect, it } from "vitest";
import type { BlameReport } from "../../changes/blame/blame-report.ts";
import { Output } from "../output.ts";
import { blameLines } from "./blame-table.ts";

it("an experimental agent is marked in its row and among the sessions", () => {
  const session = { agent: "goose", sessionId: "20261118_1", title: "Totals", unifiedId: "goose:20261118_1" };
  const report: BlameReport = {
    root: "/w",
    target: { kind: "file", path: "a.ts", start: 1, end: 2 },
    lines: { proved: 2, near: 0, none: 0 },
    ranges: [
      {
        ...{ path: "a.ts", start: 1, end: 2, change: "added", evidence: "proved by this edit" },
        origin: { tier: "proved", reason: "its edit", agent: session.agent, sessionId: session.sessionId },
      },
    ],
    sessions: [{ ...session, proved: 2, near: 0 }],
    notes: [],
  };
  const pipe = new Output(false, { isTTY: false } as unknown as typeof process.stdout, process.stderr, {});
  const marked = [...blameLines(report, pipe)].filter((line) => line.includes("(experimental)"));
  expect(marked).toHaveLength(2);
});
