import { expect, it } from "vitest";
import type { CostBreakdown } from "../../core/cost.ts";
import { periodsOf, rangeOf, scaleOf } from "./periods.ts";

function row(key: string, usd: Record<string, number>): CostBreakdown {
  const breakdowns = Object.fromEntries(Object.entries(usd).map(([name, totalUsd]) => [name, { totalUsd }]));
  const totalUsd = Object.values(usd).reduce((sum, value) => sum + value, 0);
  return { key, totalUsd, breakdowns } as unknown as CostBreakdown;
}

it("days without cost have a place, from the first day of the time to today", () => {
  const [unit, periods] = periodsOf([row("2026-11-15", { claude: 2, codex: 1 })], "2026-11-14", "2026-11-16");
  expect(unit).toBe("day");
  expect(periods.map(({ key, totalUsd }) => [key, totalUsd])).toEqual([
    ["2026-11-14", 0],
    ["2026-11-15", 3],
    ["2026-11-16", 0],
  ]);
  expect(periods[1]!.usd.get("claude")).toBe(2);
});

it("many days become weeks, and many weeks months, and nothing is lost", () => {
  const rows = [row("2026-01-01", { claude: 1 }), row("2026-01-04", { claude: 2 }), row("2026-11-17", { pi: 4 })];
  const [unit, weeks] = periodsOf(rows, undefined, "2026-11-17");
  expect([unit, weeks[0]!.key, weeks[0]!.totalUsd, weeks.at(-1)!.key]).toEqual(["week", "2025-12-29", 3, "2026-11-16"]);
  const [long, months] = periodsOf([row("2023-02-03", { pi: 1 }), ...rows], undefined, "2026-11-17");
  expect([long, months[0]!.key, months.length]).toEqual(["month", "2023-02", 46]);
  expect(months.reduce((sum, { totalUsd }) => sum + totalUsd, 0)).toBe(8);
});

it("rows without a day, and no rows at all, are no bars", () => {
  expect(periodsOf([row("(unknown day)", { pi: 1 })], undefined, "2026-11-17")).toEqual(["day", []]);
});

it("a period is from its first moment to the next one's", () => {
  const days = (key: string, unit: "day" | "week" | "month"): number => {
    const { from, to } = rangeOf(key, unit)!;
    return Math.round((to.getTime() - from.getTime()) / 86_400_000);
  };
  expect([days("2026-11-17", "day"), days("2026-11-16", "week"), days("2026-11", "month")]).toEqual([1, 7, 30]);
  expect(rangeOf("nonsense", "day")).toBeUndefined();
});

it.each([
  [0, [0, 1]],
  [3.2, [0, 1, 2, 3, 4]],
  [0.05, [0, 0.02, 0.04, 0.06]],
  [100, [0, 25, 50, 75, 100]],
])("the lines for %d reach the highest bar", (most, lines) => {
  expect(scaleOf(most).map((value) => Math.round(value * 1000) / 1000)).toEqual(lines);
});
