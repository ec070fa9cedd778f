/** Sums of sessions equal the sums of their requests. */
import { describe, expect, it } from "vitest";
import { randomFrom } from "../../../test/support/seeded-random.ts";
import type { SessionTally, UsageRecord } from "../../agents/adapter.ts";
import { createPriceTable } from "../../models/price-table.ts";
import { accountsOf } from "./account.ts";
import type { CostItem } from "./cost-item.ts";
import { settle } from "./ledger.ts";
import type { Spending } from "./spending.ts";

const NOW = Date.UTC(2026, 5, 1);
const PRICES = createPriceTable({
  "made-up-1": [
    { input: 3.1, output: 15.7, cacheRead: 0.31, cacheWrite: 3.9, cacheWrite1h: 6.2, webSearch: 10 },
    { from: "2026-02-01", input: 2.9, output: 14.3, tiers: [{ above: 200_000, input: 6, output: 22.5 }] },
  ],
  "made-up-2": [{ input: 0.07, output: 0.3, multipliers: { fast: 6 } }],
});
const MODELS = ["made-up-1", "made-up-2", "nobody-knows-it", undefined];
const ROUNDS = 40;

describe("sums of requests", () => {
  it("equal the sum of the single ones", () => {
    let copies = 0;
    for (let round = 1; round <= ROUNDS; round++) {
      const tallies = madeTallies(randomFrom(round));
      const { entries, dropped } = settle("made", tallies, PRICES, NOW);
      const accounts = accountsOf(tallies, PRICES, NOW);
      const sums = [...accounts].flatMap(([id, { spending }]) => itemsOf(id, spending));
      expect(summed(sums)).toEqual(summed(entries));
      copies += dropped.length;
    }
    expect(copies).toBeGreaterThan(ROUNDS);
  });

  it("list every model of a session, in the order of use", () => {
    const usage = ["b", "a", "b", "c"].map((model, index) => requestOf({ key: String(index), model }));
    const tally: SessionTally = { head: { title: "" }, messageCount: 1, turnCount: 1, usage };
    const { models } = accountsOf(new Map([["one", tally]]), PRICES, NOW).get("one")!;
    expect(models).toEqual(["b", "a", "c"]);
  });
});

function itemsOf(sessionId: string, spending: readonly Spending[]): CostItem[] {
  return spending.map((sum) => ({ ...sum, agent: "made", sessionId }));
}

/** By every field that separates sums, except the quarter hour. */
function summed(items: readonly CostItem[]): Record<string, number[]> {
  const sums: Record<string, number[]> = {};
  for (const item of items) {
    const { sessionId, model, cwd, branch, kind, tokens } = item;
    const key = JSON.stringify([sessionId, model, cwd, branch, kind, item.subagent !== undefined]);
    const sum = (sums[key] ??= Array.from({ length: 8 }, () => 0));
    [item.requests, item.nanoUsd, ...Object.values(tokens)].forEach((value, index) => (sum[index]! += value));
  }
  return sums;
}

function madeTallies(count: (below: number) => number): Map<string, SessionTally> {
  const pick = <T>(values: readonly T[]): T => values[count(values.length)]!;
  const random = (): number => count(1000) / 1000;
  const maybe = <T>(chance: number, value: T): T | undefined => (random() < chance ? value : undefined);
  const request = (): UsageRecord =>
    requestOf({
      key: `request-${count(60)}`,
      at: maybe(0.9, Date.UTC(2026, count(5), 1 + count(28), count(24), count(60))),
      model: pick(MODELS),
      tokens: {
        input: count(150_000),
        cached: count(150_000),
        cacheWrite: 5000 + count(5000),
        cacheWrite1h: count(5000),
        output: random() < 0.9 ? count(4000) : pick([1e13, -1, 1.5]),
        thinking: 0,
      },
      reportedMicroUsd: maybe(0.1, pick([random() * 1e6, -5, 0])),
      lowerBound: maybe(0.1, true),
      unknown: maybe(0.05, true),
      copied: maybe(0.2, true),
      subagent: maybe(0.2, "helper"),
      cwd: maybe(0.5, pick(["/a", "/b"])),
      branch: maybe(0.5, "main"),
      modifiers: maybe(0.2, ["fast"]),
      webSearches: maybe(0.1, 3),
    });
  return new Map(
    Array.from({ length: 1 + count(8) }, (_, index) => {
      const usage = Array.from({ length: count(30) }, request);
      const head = { title: "", cwd: "/own", ...(random() < 0.5 ? { startedMs: count(3), branch: "own" } : {}) };
      const total = { at: NOW - 5, covers: count(usage.length + 1), byModel: { "made-up-1": 7e5, other: 3.5 } };
      const tally: SessionTally = { head, messageCount: 1, turnCount: 1, usage };
      if (random() < 0.3) tally.reportedTotals = [total];
      return [`session-${index}`, tally];
    }),
  );
}

/** Drops undefined fields. */
function requestOf(fields: { [Field in keyof UsageRecord]?: UsageRecord[Field] | undefined }): UsageRecord {
  const tokens = { input: 1, cached: 0, cacheWrite: 0, cacheWrite1h: 0, output: 1, thinking: 0 };
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  return { key: "", tokens, ...Object.fromEntries(given) };
}
