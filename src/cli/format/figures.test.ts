import { expect, it } from "vitest";
import { age, columnDigits, costCell, duration } from "./figures.ts";

it.each([
  ["2026-01-01T00:00:30Z", "now"],
  ["2025-12-31T23:00:00Z", "1h"],
  ["2025-12-29T00:00:00Z", "3d"],
  ["2024-06-01T12:00:00Z", "2024-06-01"],
  ["+275761-01-01T00:00:00Z", "?"],
])("%s is %s ago", (date, expected) => {
  expect(age(new Date(date), Date.parse("2026-01-01T00:00:30Z"))).toBe(expected);
});

it("amounts in a column have the same number of decimals, so that larger ones look larger", () => {
  const costs = [0.29, 0.0531, 12].map((totalUsd) => ({ totalUsd, kind: "computed" as const }));
  const digits = columnDigits(costs.map(({ totalUsd }) => totalUsd));
  expect(costs.map((cost) => costCell(cost, digits))).toEqual(["$0.2900", "$0.0531", "$12.0000"]);
  expect(columnDigits([0.29, 0, undefined])).toBe(2);
});

it.each([
  [40_000, "40s"],
  [12 * 60_000, "12m"],
  [185 * 60_000, "3h 5m"],
  [52 * 3_600_000, "2d 4h"],
  [-1, "?"],
])("%d ms took %s", (ms, expected) => {
  expect(duration(ms)).toBe(expected);
});
