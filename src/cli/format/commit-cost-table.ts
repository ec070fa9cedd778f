/** What commits cost, for people: each commit with its sessions below it. */
import type { CommitCosts } from "../../changes/blame/commit-cost.ts";
import type { CostShare } from "../../changes/blame/divide-cost.ts";
import type { CostKind } from "../../core/cost.ts";
import { weaker } from "../../history/cost/cost-item.ts";
import { localTime } from "../../lib/text/local-time.ts";
import { oneLine } from "../../lib/text/text.ts";
import type { Output } from "../output.ts";
import { columnDigits, costCell, counted } from "./figures.ts";
import { table, type Column } from "./table.ts";

interface Row {
  label: string;
  level: 0 | 1;
  totalUsd: number;
  kind: CostKind;
  at?: string;
  lines?: { proved: number; near: number };
}

export function* commitCostLines(costs: CommitCosts, output: Output): Generator<string> {
  const { commits, rest, totalUsd, otherCommits, notes, pullRequest } = costs;
  const rows: Row[] = [
    ...commits.flatMap(({ commit, subject, at, sessions, ...figures }) => [
      {
        label: `${commit.slice(0, 10)} ${oneLine(subject)}`,
        level: 0 as const,
        at,
        ...figures,
        lines: linesOf(sessions),
      },
      ...sessions.map((share) => ({ ...rowOf(share), lines: share })),
    ]),
    ...(rest.sessions.length === 0
      ? []
      : [{ label: restLabel(pullRequest), level: 0 as const, totalUsd: rest.totalUsd, kind: rest.kind }]),
    ...rest.sessions.map(rowOf),
    { label: "total", level: 0, totalUsd, kind: commits.reduce((kind, one) => weaker(kind, one.kind), rest.kind) },
  ];
  const digits = columnDigits(rows.map((row) => row.totalUsd));
  const columns: Column<Row>[] = [
    { title: "COMMIT", value: ({ label }) => label, indent: ({ level }) => 2 * level, min: 28 },
    { title: "WHEN", value: ({ at }) => (at === undefined ? "" : localTime(new Date(at))), dispensable: 1 },
    { title: "COST", value: (row) => costCell(row, digits), align: "right" },
    { title: "PROVED", value: ({ lines }) => (lines === undefined ? "" : String(lines.proved)), align: "right" },
    { title: "NEAR", value: ({ lines }) => (lines === undefined ? "" : String(lines.near)), align: "right" },
  ];
  const [heading, ...lines] = table(rows, columns, output.width, (text) => output.style("bold", text));
  yield `${heading!}\n`;
  for (const [index, line] of lines.entries())
    yield `${rows[index]!.level === 0 ? output.style("bold", line) : line}\n`;
  yield "\n";
  if (otherCommits > 0)
    yield `${output.style("dim", `${counted(otherCommits, "other commit")} without lines of a session that is known here`)}\n`;
  for (const note of notes) yield `${output.style("dim", oneLine(note))}\n`;
}

function restLabel(pullRequest: number | undefined): string {
  return pullRequest === undefined ? "in none of these commits" : "other commits of these sessions";
}

function rowOf({ title, unifiedId, totalUsd, kind }: CostShare): Row {
  return { label: title === "" ? oneLine(unifiedId) : oneLine(title), level: 1, totalUsd, kind };
}

function linesOf(sessions: readonly CostShare[]): { proved: number; near: number } {
  return sessions.reduce((sum, { proved, near }) => ({ proved: sum.proved + proved, near: sum.near + near }), {
    proved: 0,
    near: 0,
  });
}
