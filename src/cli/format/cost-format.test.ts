import { describe, expect, it } from "vitest";
import type { CostBreakdown, CostSummary } from "../../core/cost.ts";
import { Output } from "../output.ts";
import { dayChart } from "./bar-chart.ts";
import { explanationCsv, reportCsv } from "../../sessions/cost/csv.ts";
import { explanationJson, explanationLines } from "./cost-explanation.ts";
import { reportLines } from "./cost-table.ts";

function terminal(columns: number, vars: NodeJS.ProcessEnv = { NO_COLOR: "1" }): Output {
  return new Output(false, { isTTY: true, columns } as typeof process.stdout, process.stderr, vars);
}

const pipe = new Output(false, { isTTY: false } as unknown as typeof process.stdout, process.stderr, {});

const NO_FIGURES = {
  inputTokens: 0,
  outputTokens: 0,
  thinkingTokens: 0,
  cachedTokens: 0,
  cacheWriteTokens: 0,
  cacheWrite1hTokens: 0,
  sessionCount: 1,
  requestCount: 1,
};

function group(key: string, totalUsd: number, more: Partial<CostBreakdown> = {}): [string, CostBreakdown] {
  return [key, { ...NO_FIGURES, key, totalUsd, kind: "computed", ...more }];
}

function summary(groupBy: string[], groups: [string, CostBreakdown][]): CostSummary {
  const none = { requests: 0, usd: 0 };
  return {
    ...NO_FIGURES,
    totalUsd: groups.reduce((sum, [, { totalUsd }]) => sum + totalUsd, 0),
    runCount: 0,
    kinds: { reported: none, computed: { requests: 1, usd: 1 }, "lower-bound": none, unpriced: none, unknown: none },
    groupBy,
    breakdowns: Object.fromEntries(groups),
    skipped: 0,
    prices: { version: "v1", digest: "0123456789abcdef" },
  };
}

describe("the chart of days", () => {
  const days = [group("2026-06-01", 4), group("2026-06-02", 8), group("2026-06-05", 1), group("(no date)", 99)];

  it("has a column for every day, scaled to the dearest", () => {
    expect(dayChart(summary(["day"], days), terminal(42))).toEqual([
      "   $8.00 │       █████",
      "         │       █████",
      "         │       █████",
      "         │       █████",
      "   $4.00 │ █████ █████",
      "         │ █████ █████",
      "         │ █████ █████",
      "         │ █████ █████             █████",
      "           2026-06-01        2026-06-04",
      "",
    ]);
  });

  it("never is wider than the terminal, however many days there are", () => {
    const year = Array.from({ length: 365 }, (_, index) =>
      group(new Date(Date.UTC(2026, 0, 1 + index)).toISOString().slice(0, 10), index),
    );
    for (const width of [30, 80, 200]) {
      const lines = dayChart(summary(["day"], year), terminal(width));
      expect(Math.max(...lines.slice(0, 8).map((line) => line.length))).toBeLessThanOrEqual(width);
      expect(lines.at(-2)).toMatch(/days each/);
    }
  });

  it("shows small days too, by eighths", () => {
    const lines = dayChart(summary(["day"], [group("2026-06-01", 0.02), group("2026-06-02", 1)]), terminal(40));
    expect(lines[7]).toContain("▁▁▁▁▁ █████");
  });

  it.each([
    ["in a pipe", summary(["day"], days), pipe],
    ["of something else than days", summary(["model", "day"], days), terminal(80)],
    ["of one day", summary(["day"], [group("2026-06-01", 1)]), terminal(80)],
    ["of days that cost nothing", summary(["day"], [group("2026-06-01", 0), group("2026-06-02", 0)]), terminal(80)],
  ])("is not drawn %s", (_, report, output) => {
    expect(dayChart(report, output)).toEqual([]);
  });

  it("has colours only where they are wanted", () => {
    expect(dayChart(summary(["day"], days), terminal(40, {})).join("")).toContain("\u001b[36m");
    expect(dayChart(summary(["day"], days), terminal(40)).join("")).not.toContain("\u001b");
  });
});

describe("the table", () => {
  const nested = summary(
    ["day", "model"],
    [
      group("2026-06-02", 3, { breakdowns: Object.fromEntries([group("cheap", 1), group("dear", 2)]) }),
      group("2026-06-03", 0, {
        kind: "unpriced",
        breakdowns: Object.fromEntries([group("odd", 0, { kind: "unpriced" })]),
      }),
    ],
  );

  it("indents groups in groups, dearest first, and never shows an unknown price as $0", () => {
    const lines = reportLines(nested, pipe).map((line) => line.split(/ {2,}/).slice(0, 3).join("|"));
    expect(lines.slice(0, 7)).toEqual([
      "DAY / MODEL|COST|REQUESTS",
      "2026-06-02|$3.00|1",
      "|dear|$2.00",
      "|cheap|$1.00",
      "2026-06-03|no price|1",
      "|odd|no price",
      "total|$3.00|1",
    ]);
  });

  it("says where the figures come from", () => {
    const lines = reportLines(nested, pipe);
    expect(lines.slice(-2)).toEqual([
      "$1.00  computed from tokens (1 requests)",
      "API value at list prices v1 (0123456789abcdef)",
    ]);
  });

  it("fits a narrow terminal", () => {
    const long = summary(["project"], [group(`/home/user/${"x".repeat(90)}`, 1)]);
    for (const line of reportLines(long, terminal(60)).slice(0, 3)) expect(line.length).toBeLessThanOrEqual(60);
  });
});

describe("CSV", () => {
  it("has a line for each innermost group, with a column for each grouping", () => {
    const nested = [group("2026-06-02", 3, { breakdowns: Object.fromEntries([group("a,b", 1), group('say "x"', 2)]) })];
    expect(
      [...reportCsv(summary(["day", "tag"], nested))].map((line) => line.split(",").slice(0, 4).join(",")),
    ).toEqual(["day,tag,usd,kind", '2026-06-02,"say ""x""",2,computed', '2026-06-02,"a,b",1']);
  });

  it("has one line when nothing is grouped", () => {
    const { groupBy: _, breakdowns: __, ...plain } = summary([], [group("x", 1.5)]);
    expect([...reportCsv(plain)]).toEqual([
      "usd,kind,requests,sessions,input_tokens,cache_read_tokens,cache_write_tokens,cache_write_1h_tokens,output_tokens,thinking_tokens\r\n",
      "1.5,computed,1,1,0,0,0,0,0,0\r\n",
    ]);
  });

  it("moves no cursor of a terminal it is printed on", () => {
    const [, line] = reportCsv(summary(["branch"], [group("\u001b]0;x\u0007\u009b31m\u0000=1\u202e", 1)]));
    expect(line).toMatch(/^\]0;x31m=1,1,/);
    const [, formula] = reportCsv(summary(["branch"], [group("\u0000=1\r\n", 1)]));
    expect(formula).toMatch(/^"'=1\n",1,/);
  });

  it("holds no formula a spreadsheet would run", () => {
    const lines = [
      ...reportCsv(
        summary(
          ["tag"],
          ["=1+1", "+1", "-1", "@x"].map((key) => group(key, 1)),
        ),
      ),
    ];
    expect(lines.slice(1).map((line) => line[0])).toEqual(["'", "'", "'", "'"]);
  });
});

describe("an explanation", () => {
  const at = new Date("2026-06-01T12:00:00Z");
  const explanation = {
    summary: summary([], [group("x", 1)]),
    requests: [
      {
        agent: "made",
        session: "made:one",
        key: "msg_1",
        timestamp: at,
        model: "made-model",
        subagent: "helper",
        inputTokens: 12_345,
        outputTokens: 10,
        thinkingTokens: 0,
        cachedTokens: 5,
        cacheWriteTokens: 30,
        cacheWrite1hTokens: 20,
        usd: 1,
        kind: "computed" as const,
        price: {
          model: "made-model",
          vendor: "x",
          input: 3,
          output: 15,
          cacheRead: 0.3,
          tier: 200_000,
          multiplier: 6,
          modifiers: ["fast"],
        },
        note: "so it is\u001b[2J",
      },
    ],
    dropped: [{ agent: "made", session: "made:two", key: "msg_1", timestamp: at, owner: "made:one" }],
  };

  it("names session, time, tokens, price row, tier, multiplier, kind and note, and whose copies are", () => {
    const text = [...explanationLines(explanation, pipe, "Asia/Tokyo")].join("");
    for (const part of [
      "made:one  $1.00  1 entry",
      "2026-06-01 21:00:00  made-model ↳helper  12.3K",
      "30 (20 1h)",
      "computed  made-model 3/15, cache 0.3/–/–, above 200K, ×6 fast  so it is[2J",
      "made:two  copies only, counted where they were made\n1 copied, billed to made:one  msg_1",
    ])
      expect(text).toContain(part);
    expect(text).not.toContain("\u001b");
    expect(text).not.toContain("$0");
  });

  it("does not show as $0 what has no price", () => {
    const [request] = explanation.requests;
    const unpriced = { ...request!, usd: 0, kind: "unpriced" as const };
    const first = (...requests: (typeof request | typeof unpriced)[]): string => {
      return explanationLines({ ...explanation, requests: requests.map((one) => one!) }, pipe, "UTC").next()
        .value as string;
    };
    expect(first(unpriced)).toBe("made:one  no price  1 entry\n");
    expect(first(unpriced, request)).toBe("made:one  ≥$1.00  2 entries\n");
  });

  it("is whole JSON", () => {
    expect(JSON.parse([...explanationJson(explanation)].join(""))).toEqual(JSON.parse(JSON.stringify(explanation)));
    const nothing = { ...explanation, requests: [], dropped: [] };
    expect(JSON.parse([...explanationJson(nothing)].join(""))).toMatchObject({ requests: [], dropped: [] });
  });

  it("is CSV with the copies at the end", () => {
    const [head, request, copy] = [...explanationCsv(explanation)].map((line) => line.trimEnd().split(","));
    const cell = (row: string[] | undefined, name: string): string | undefined => row![head!.indexOf(name)];
    expect([cell(request, "usd"), cell(request, "tier"), cell(request, "billed_to")]).toEqual([
      "1",
      "200000",
      "made:one",
    ]);
    expect([cell(copy, "session"), cell(copy, "kind"), cell(copy, "billed_to")]).toEqual([
      "made:two",
      "dropped",
      "made:one",
    ]);
    expect(new Set([head, request, copy].map((row) => row!.length)).size).toBe(1);
  });
});
