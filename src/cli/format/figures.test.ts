import { expect, it } from "vitest";
import { age, columnDigits, compact, costCell, count, duration, money } from "./figures.ts";

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

it.each([0, 0.00005, 0.0531, 1.005, 2.5, 99.995, 999.995, 1234.5, 12_345_678.9, 1e-7])(
  "formats %d as the locale does",
  (value) => {
    for (const digits of [0, 2, 4]) {
      const options = { minimumFractionDigits: digits, maximumFractionDigits: digits };
      expect(money(value, digits)).toBe(`$${value.toLocaleString("en-US", options)}`);
    }
  },
);

it.each([999, 1000, -1234, 10_000, 12_350, 999_949, 999_950, 53_000_000, 1_350_000_000, 2_000_000_000_000])(
  "counts %d as the locale does",
  (value) => {
    expect(count(value)).toBe(value.toLocaleString("en-US"));
    if (value < 10_000) return;
    const short = new Intl.NumberFormat("en-US", { notation: "compact", maximumFractionDigits: 1 });
    expect(compact(value)).toBe(short.format(value));
  },
);
