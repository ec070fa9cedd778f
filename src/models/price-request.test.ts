import { describe, expect, test } from "vitest";
import type { TokenCounts } from "../core/cost.ts";
import { priceUsage, type BilledUsage } from "./price-request.ts";
import { createPriceTable } from "./price-table.ts";

const tokens = (counts: Partial<TokenCounts>): TokenCounts => ({
  input: 0,
  cached: 0,
  cacheWrite: 0,
  cacheWrite1h: 0,
  output: 0,
  thinking: 0,
  ...counts,
});
const price = (model: string, counts: Partial<TokenCounts>, more: Partial<BilledUsage> = {}) =>
  priceUsage({ model, at: Date.parse("2026-11-15"), tokens: tokens(counts), ...more });
const MILLION = 1_000_000;

describe("kinds", () => {
  test("reported dollars win over everything and are rounded once", () => {
    const usage = { reportedMicroUsd: 1234.5678, unknown: true, lowerBound: true };
    expect(price("claude-opus-5", { input: MILLION }, usage)).toEqual({
      nanoUsd: 1_234_568,
      kind: "reported",
      multiplier: 1,
    });
  });

  test("a broken report is no report", () => {
    expect(price("claude-opus-5", { input: 1 }, { reportedMicroUsd: Number.NaN })).toMatchObject({ kind: "computed" });
    expect(price("claude-opus-5", { input: 1 }, { reportedMicroUsd: -1 })).toMatchObject({ kind: "computed" });
  });

  test("without token counts a request is unknown", () => {
    expect(price("claude-opus-5", {}, { unknown: true })).toEqual({ nanoUsd: 0, kind: "unknown", multiplier: 1 });
  });

  test("without a model, or with an unpriced one, a request is unpriced", () => {
    const unpriced = { nanoUsd: 0, kind: "unpriced", multiplier: 1 };
    expect(price("unpriced-model", { input: 5 }, { lowerBound: true })).toEqual(unpriced);
    expect(priceUsage({ tokens: tokens({ input: 5 }) })).toEqual(unpriced);
  });

  test("without its final usage a request is a lower bound", () => {
    expect(price("claude-opus-5", { input: 100 }, { lowerBound: true })).toMatchObject({
      nanoUsd: 500_000,
      kind: "lower-bound",
    });
  });
});

describe("Claude", () => {
  test("each kind of token has its own price, 1-hour cache writes twice that of input", () => {
    const counts = { input: 1, cached: 10, cacheWrite: 300, cacheWrite1h: 200, output: 1000, thinking: 900 };
    // 1 * 5 + 10 * 0.5 + 100 * 6.25 + 200 * 10 + 1000 * 25
    expect(price("claude-opus-5", counts).nanoUsd / 1000).toBe(27_635);
  });

  test("above 200k the whole request has the higher price, and the cache counts towards it", () => {
    const at200k = price("claude-sonnet-4-5-20250929", { input: 10, cached: 199_990, output: 100 });
    expect(at200k.nanoUsd / 1000).toBe(30 + 59_997 + 1500);
    expect(at200k.tier).toBeUndefined();
    const above = price("claude-sonnet-4-5-20250929", { input: 11, cached: 100_000, cacheWrite: 99_990, output: 100 });
    expect(above.nanoUsd / 1000).toBe(66 + 60_000 + 749_925 + 2250);
    expect(above.tier).toBe(200_000);
  });

  test("Sonnet 4 has that price too, newer models do not, 4.6 until 2026-03-13", () => {
    const long = { input: 300_000 };
    const on = (model: string, date: string) => price(model, long, { at: Date.parse(date) }).nanoUsd / 1000;
    expect(on("claude-sonnet-4-20250514", "2025-09-01")).toBe(1_800_000);
    expect(on("claude-sonnet-4-6", "2026-03-12")).toBe(1_800_000);
    expect(on("claude-sonnet-4-6", "2026-03-13")).toBe(900_000);
    expect(on("claude-opus-4-6", "2026-03-12")).toBe(3_000_000);
    expect(on("claude-opus-5[1m]", "2026-11-01")).toBe(1_500_000);
  });

  test.each([
    ["claude-opus-4-6", 6],
    ["claude-opus-4-7", 6],
    ["claude-opus-4-8", 2],
    ["claude-opus-5", 2],
    ["claude-opus-5-5", 2],
  ])("fast mode on %s is %d times the price", (model, factor) => {
    const counts = { input: 1000, cached: 2000, output: 3000 };
    const fast = price(model, counts, { modifiers: ["fast"] });
    expect(fast).toMatchObject({ nanoUsd: price(model, counts).nanoUsd * factor, multiplier: factor });
    expect(price(`${model}-fast`, counts)).toEqual(fast);
  });

  test("fast mode without a price is unpriced, not normal", () => {
    expect(price("claude-sonnet-4-5", { input: 1000 }, { modifiers: ["fast"] }).kind).toBe("unpriced");
  });

  test("inference in the US costs a tenth more, also in fast mode", () => {
    expect(price("claude-opus-5", { output: 1000 }, { modifiers: ["geo:us"] }).nanoUsd / 1000).toBe(27_500);
    expect(price("claude-opus-5", { output: 1000 }, { modifiers: ["geo:us", "fast"] }).nanoUsd / 1000).toBe(55_000);
  });

  test("web searches are ten dollars a thousand and not multiplied", () => {
    expect(price("claude-opus-5", { output: 1000 }, { webSearches: 3 }).nanoUsd / 1000).toBe(55_000);
    expect(price("claude-opus-5", { output: 1000 }, { webSearches: 3, modifiers: ["fast"] }).nanoUsd / 1000).toBe(
      80_000,
    );
  });

  test("cache reads are not always a tenth of input", () => {
    expect(price("claude-opus-5-5", { cached: MILLION }).nanoUsd / 1000).toBe(200_000);
    expect(price("claude-fable-5-1", { cached: MILLION }).nanoUsd / 1000).toBe(250_000);
  });
});

describe("other vendors", () => {
  test.each([
    ["gpt-5.5", 2.5],
    ["gpt-5.4", 2],
    ["gpt-5-codex", 2],
    ["gpt-6.1-sol", 2],
  ])("priority on %s is %d times the price", (model, factor) => {
    const counts = { input: 1000, cached: 2000, output: 3000 };
    const standard = price(model, counts).nanoUsd / 1000;
    expect(price(model, counts, { modifiers: ["priority"] }).nanoUsd / 1000).toBe(standard * factor);
    expect(price(model, counts, { modifiers: ["fast"] }).nanoUsd / 1000).toBe(standard * factor);
  });

  test("OpenAI's long context: twice for input, one and a half for output, from 272k on", () => {
    expect(price("gpt-5.4", { input: 271_999, output: 1000 })).toMatchObject({ nanoUsd: 679_997_500 + 15_000_000 });
    expect(price("gpt-5.4", { input: 272_000, output: 1000 })).toMatchObject({
      nanoUsd: 1000 * (1_360_000 + 22_500),
      tier: 271_999,
    });
  });

  test("cache writes have a separate price only where there is one", () => {
    expect(price("gpt-6-sol", { cacheWrite: 100_000 }).nanoUsd / 1000).toBe(250_000);
    expect(price("gpt-5", { cacheWrite: 100_000 }).nanoUsd / 1000).toBe(125_000);
  });

  test("reads from a cache without its own price cost what input costs", () => {
    expect(price("gpt-5-pro", { cached: 1000 }).nanoUsd / 1000).toBe(15_000);
  });

  test("Gemini's long context starts above 200k and prices the whole request", () => {
    expect(price("gemini-2.5-pro", { input: 200_000, output: 100 }).nanoUsd / 1000).toBe(251_000);
    expect(price("gemini-2.5-pro", { input: 200_001, output: 100 }).nanoUsd / 1000).toBe(501_502.5);
  });

  test("searches without a known price make the figure a lower bound", () => {
    expect(price("gemini-2.5-pro", { output: 100 }, { webSearches: 1 })).toMatchObject({
      nanoUsd: 1_000_000,
      kind: "lower-bound",
    });
  });
});

test("rounding happens once, after exact sums", () => {
  // 0.1 + 0.2 + 0.7 of a nano-dollar is one, although 0.1 + 0.2 in binary is more than 0.3.
  const table = createPriceTable({ exact: { input: 0.0001, output: 0.0007, cacheRead: 0.0002 } });
  const usage = { model: "exact", tokens: tokens({ input: 1, cached: 1, output: 1 }) };
  expect(priceUsage(usage, table).nanoUsd).toBe(1);
  expect(priceUsage({ ...usage, tokens: tokens({ input: 5 }) }, table).nanoUsd).toBe(1);
  expect(priceUsage({ ...usage, tokens: tokens({ input: 4 }) }, table).nanoUsd).toBe(0);
});
