import { describe, expect, it } from "vitest";
import { commonPositions } from "./lcs.ts";

function longest(a: number[], b: number[]): number {
  const table = Array.from({ length: a.length + 1 }, () => Array.from({ length: b.length + 1 }, () => 0));
  for (let i = 1; i <= a.length; i++) {
    for (let j = 1; j <= b.length; j++) {
      table[i]![j] = a[i - 1] === b[j - 1] ? table[i - 1]![j - 1]! + 1 : Math.max(table[i - 1]![j]!, table[i]![j - 1]!);
    }
  }
  return table[a.length]![b.length]!;
}

/** A seeded generator, so that a failure can be repeated. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

describe("commonPositions", () => {
  it("finds a longest common subsequence of any two sequences", () => {
    const next = random(7);
    for (let round = 0; round < 1000; round++) {
      const alphabet = 1 + Math.floor(next() * 6);
      const sequence = (): number[] =>
        Array.from({ length: Math.floor(next() * 14) }, () => Math.floor(next() * alphabet));
      const a = sequence();
      const b = sequence();
      const pairs = commonPositions(a, b);
      expect(pairs.length, JSON.stringify({ a, b })).toBe(longest(a, b));
      const isCommon = pairs.every(([i, j], at) => {
        const [lastI, lastJ] = pairs[at - 1] ?? [-1, -1];
        return a[i] === b[j] && i > lastI && j > lastJ;
      });
      expect(isCommon, JSON.stringify({ a, b, pairs })).toBe(true);
    }
  });

  it("builds no table for long sequences that differ everywhere or nowhere", () => {
    const long = Array.from({ length: 50_000 }, (_, i) => i);
    expect(commonPositions(long, long)).toHaveLength(50_000);
    expect(
      commonPositions(
        long,
        long.map((value) => value + 1_000_000),
      ),
    ).toEqual([]);
    const inserted = [...long.slice(0, 25_000), -1, -2, ...long.slice(25_000)];
    expect(commonPositions(long, inserted)).toHaveLength(50_000);
  });
});
