import { expect, test } from "vitest";
import { estimateCost } from "./estimate.ts";
import { createPriceTable } from "./price-table.ts";

test("prices one request without a cache", () => {
  expect(estimateCost("claude", "claude-opus-5", 1_000_000, 100_000)).toBe(7.5);
});

test("prices a long one at the long-context rate", () => {
  expect(estimateCost("gemini", "gemini-2.5-pro", 300_000, 0)).toBe(0.75);
});

test("an unknown model has no estimate, least of all $0", () => {
  expect(estimateCost("cursor", "composer-2", 1000, 1000)).toBeUndefined();
});

test("takes the user's prices", () => {
  const table = createPriceTable({ "composer-2": { input: 1, output: 10 } });
  expect(estimateCost("cursor", "composer-2", 1000, 1000, table)).toBe(0.011);
});
