/** One test for each way to add up sessions wrongly. */
import { describe, expect, it } from "vitest";
import { createPriceTable } from "../../models/price-table.ts";
import { talliesOf, tokens, usage, type MadeSession } from "../../../test/support/made-agent.ts";
import { settle, type Ledger, type LedgerEntry } from "./ledger.ts";

const JUNE = Date.parse("2026-06-01T12:00:00Z");
const prices = createPriceTable({
  "made-model": {
    input: 3,
    output: 15,
    cacheRead: 0.3,
    cacheWrite: 3.75,
    cacheWrite1h: 6,
    tiers: [{ above: 200_000, input: 6, output: 22.5 }],
    multipliers: { fast: 6 },
  },
  "dated-model": [
    { from: "2026-01-01", input: 10, output: 10 },
    { from: "2026-06-01", input: 1, output: 1 },
  ],
});

function settled(...sessions: MadeSession[]): Ledger {
  return settle("made", talliesOf(...sessions), prices, Date.parse("2026-11-15"));
}

function only(...usages: Parameters<typeof usage>[]): LedgerEntry[] {
  return settled({ id: "s", usage: usages.map((each) => usage(...each)) }).entries;
}

function owners({ entries, dropped }: Ledger): Record<string, unknown> {
  return {
    billed: Object.fromEntries(entries.map(({ key, sessionId }) => [key, sessionId])),
    dropped: dropped.map(({ key, sessionId, owner }) => `${sessionId}: ${key} is ${owner}'s`),
  };
}

describe("a figure", () => {
  it("has a kind, and without a price it is not $0 but unpriced", () => {
    const entries = only(
      ["reported", { reportedMicroUsd: 12.5 }],
      ["computed"],
      ["lower-bound", { lowerBound: true }],
      ["unpriced", { model: "nobody-knows-9" }],
      ["no model", { model: undefined as never }],
      ["unknown", { unknown: true, tokens: tokens() }],
    );
    expect(entries.map(({ key, kind, nanoUsd, note }) => [key, kind, nanoUsd, note])).toEqual([
      ["reported", "reported", 12_500, undefined],
      ["computed", "computed", 3_000_000, undefined],
      ["lower-bound", "lower-bound", 3_000_000, "the final count was never written"],
      ["unpriced", "unpriced", 0, "no price is known for this model and mode"],
      ["no model", "unpriced", 0, "no model is named"],
      ["unknown", "unknown", 0, "the agent wrote no token counts"],
    ]);
  });

  it("that the agent reported replaces the estimate instead of adding to it", () => {
    const [entry] = only(["a", { reportedMicroUsd: 7, tokens: tokens({ input: 1_000_000 }) }]);
    expect(entry).toMatchObject({ nanoUsd: 7000, kind: "reported" });
  });

  it("reported for a whole session adds the difference to its requests as an entry of its own", () => {
    const { entries } = settled({
      id: "s",
      usage: [usage("a"), usage("b"), usage("later")],
      reportedTotals: [{ at: JUNE, covers: 2, byModel: { "made-model": 10_000, "side-model": 500 } }],
    });
    expect(entries.map(({ key, nanoUsd, kind, requests }) => [key, nanoUsd, kind, requests])).toEqual([
      ["a", 3_000_000, "reported", 1],
      ["b", 3_000_000, "reported", 1],
      ["later", 3_000_000, "computed", 1],
      ["s#total:made-model", 4_000_000, "reported", 0],
      ["s#total:side-model", 500_000, "reported", 0],
    ]);
  });

  it("is computed per request: two of 150,000 tokens are not one of 300,000", () => {
    const [two, large] = [
      only(["a", { tokens: tokens({ input: 150_000 }) }], ["b", { tokens: tokens({ cached: 150_000 }) }]),
      only(["c", { tokens: tokens({ input: 150_000, cached: 150_000 }) }]),
    ];
    expect(two.map((entry) => entry.price?.tier)).toEqual([undefined, undefined]);
    expect(large[0]!.price?.tier).toBe(200_000);
    expect(large[0]!.nanoUsd).toBeGreaterThan(two[0]!.nanoUsd + two[1]!.nanoUsd);
  });

  it("uses the price of the day of the request", () => {
    const entries = only(
      ["before", { model: "dated-model", at: Date.parse("2026-05-31T23:59:59Z") }],
      ["after", { model: "dated-model", at: Date.parse("2026-06-01T00:00:00Z") }],
      ["too early", { model: "dated-model", at: Date.parse("2025-12-31T23:59:59Z") }],
    );
    expect(entries.map(({ nanoUsd, kind }) => [nanoUsd, kind])).toEqual([
      [10_000_000, "computed"],
      [1_000_000, "computed"],
      [0, "unpriced"],
    ]);
  });

  it("says which price, tier and multiplier made it", () => {
    const [entry] = only(["a", { modifiers: ["fast"], tokens: tokens({ input: 200_001 }) }]);
    expect(entry!.price).toMatchObject({ multiplier: 6, tier: 200_000, row: { model: "made-model" } });
    expect(entry!.nanoUsd).toBe(200_001 * 6000 * 6);
    expect(only(["b", { modifiers: ["warp"] }])[0]).toMatchObject({ kind: "unpriced", price: undefined });
  });

  it("keeps integers, so that a million small requests add up exactly", () => {
    const entries = only(
      ...Array.from({ length: 1000 }, (_, i) => [`k${i}`, { tokens: tokens({ cached: 1 }) }] as [string, object]),
    );
    const sum = entries.reduce((total, entry) => total + entry.nanoUsd, 0);
    expect(sum).toBe(300_000);
    expect(entries.every((entry) => Number.isInteger(entry.nanoUsd))).toBe(true);
  });
});

describe("an impossible value", () => {
  it.each([
    ["a negative count", { input: -5 }, "left out: -5 tokens is impossible"],
    ["NaN", { output: Number.NaN }, "left out: NaN tokens is impossible"],
    ["1.33e179 tokens", { cached: 1.33e179 }, "left out: 1.33e+179 tokens is impossible"],
    ["half a token", { thinking: 0.5 }, "left out: 0.5 tokens is impossible"],
  ])("%s is kept out of the sums, and reported", (_, counts, note) => {
    const [entry] = only(["a", { tokens: tokens(counts), reportedMicroUsd: 5 }]);
    expect(entry).toMatchObject({ kind: "unknown", nanoUsd: 0, tokens: tokens(), note, requests: 1 });
  });

  it.each([
    [Date.parse("2022-12-31T23:59:59Z"), "counted without a date: 2022-12-31T23:59:59.000Z is impossible"],
    [Date.parse("2026-11-17"), "counted without a date: 2026-11-17T00:00:00.000Z is impossible"],
    [Number.NaN, "counted without a date: NaN is impossible"],
    [1e300, "counted without a date: 1e+300 is impossible"],
  ])("a request at %d counts, but on no day", (at, note) => {
    expect(only(["a", { at }])[0]).toMatchObject({ at: undefined, nanoUsd: 3_000_000, kind: "computed", note });
  });

  it.each([Number.NaN, -1, 1e300])("a reported cost of %d is ignored", (reportedMicroUsd) => {
    expect(only(["a", { reportedMicroUsd }])[0]).toMatchObject({ kind: "computed", nanoUsd: 3_000_000 });
  });
});

describe("a request that several sessions hold", () => {
  it("is billed once, to the session it was not copied into", () => {
    const ledger = settled(
      { id: "fork", usage: [usage("a", { copied: true }), usage("b")] },
      { id: "parent", usage: [usage("a"), usage("c")] },
    );
    expect(owners(ledger)).toEqual({
      billed: { a: "parent", b: "fork", c: "parent" },
      dropped: ["fork: a is parent's"],
    });
  });

  it("is billed to the earliest copy when none is marked as one", () => {
    const ledger = settled(
      { id: "resumed", usage: [usage("a", { at: JUNE + 1 })] },
      { id: "original", usage: [usage("a", { at: JUNE })] },
    );
    expect(owners(ledger)).toEqual({ billed: { a: "original" }, dropped: ["resumed: a is original's"] });
  });

  it("is billed to the file begun first when copies kept its date", () => {
    const sessions: MadeSession[] = [
      { id: "a-later-file", head: { startedMs: JUNE + 50 }, usage: [usage("x")] },
      { id: "b-first-file", head: { startedMs: JUNE }, usage: [usage("x")] },
    ];
    for (const order of [sessions, sessions.toReversed()])
      expect(owners(settled(...order))).toMatchObject({ billed: { x: "b-first-file" } });
  });

  it("is billed to the same one of equals, whatever the reading order", () => {
    const sessions = ["m", "z", "a"].map((id) => ({ id, usage: [usage("x")] }));
    for (const order of [sessions, sessions.toReversed()])
      expect(owners(settled(...order))).toMatchObject({ billed: { x: "a" } });
  });

  it("is billed once when a fork of a fork and a copy in another home hold it too", () => {
    const ledger = settled(
      { id: "grandchild", usage: [usage("a", { copied: true }), usage("b", { copied: true }), usage("c")] },
      { id: "child", usage: [usage("a", { copied: true }), usage("b")] },
      { id: "copy-of-parent", head: { startedMs: JUNE }, usage: [usage("a")] },
      { id: "parent", head: { startedMs: JUNE - 1 }, usage: [usage("a")] },
    );
    expect(owners(ledger)).toEqual({
      billed: { a: "parent", b: "child", c: "grandchild" },
      dropped: [
        "grandchild: a is parent's",
        "grandchild: b is child's",
        "child: a is parent's",
        "copy-of-parent: a is parent's",
      ],
    });
  });

  it("is billed to a copy when the original is gone", () => {
    const ledger = settled({ id: "fork", usage: [usage("a", { copied: true })] });
    expect(owners(ledger)).toEqual({ billed: { a: "fork" }, dropped: [] });
  });

  it("is not part of a copying session's own total", () => {
    const { entries } = settled(
      { id: "parent", usage: [usage("a")] },
      {
        id: "fork",
        usage: [usage("a", { copied: true }), usage("b")],
        reportedTotals: [{ covers: 2, byModel: { "made-model": 3000 } }],
      },
    );
    expect(entries.map(({ sessionId, nanoUsd }) => [sessionId, nanoUsd])).toEqual([
      ["parent", 3_000_000],
      ["fork", 3_000_000],
    ]);
  });
});

describe("a copy of a whole transcript", () => {
  it("does not bill the agent's own total again", () => {
    const total = { at: JUNE, covers: 2, byModel: { "made-model": 10_000 } };
    const [original, copy] = ["original", "same"].map((id) => ({
      id,
      usage: [usage("a"), usage("b")],
      reportedTotals: [total],
    }));
    const { entries } = settled(original!, copy!);
    expect(entries.map(({ sessionId, nanoUsd }) => [sessionId, nanoUsd])).toEqual([
      ["original", 3_000_000],
      ["original", 3_000_000],
      ["original", 4_000_000],
    ]);
  });
});

describe("an impossible total from an agent", () => {
  it.each([1e305, -5e6, Number.NaN])("is ignored (%d)", (microUsd) => {
    const reportedTotals = [{ at: JUNE, covers: 1, byModel: { "made-model": microUsd } }];
    const { entries } = settled({ id: "s", usage: [usage("a")], reportedTotals });
    expect(entries.map(({ nanoUsd, kind }) => [nanoUsd, kind])).toEqual([[3_000_000, "computed"]]);
  });
});

describe("the directory and branch of a request", () => {
  it("come from its own record before the session's head", () => {
    const head = { cwd: "/work", branch: "main" };
    const { entries } = settled({
      id: "s",
      head,
      usage: [usage("a"), usage("b", { cwd: "/work/sub", branch: "dev" })],
    });
    expect(entries.map(({ cwd, branch }) => [cwd, branch])).toEqual([
      ["/work", "main"],
      ["/work/sub", "dev"],
    ]);
  });
});

describe("a session whose agent writes no token counts", () => {
  it("is unknown, not free", () => {
    expect(settled({ id: "s", head: { usageUnknown: true } })).toEqual({
      entries: [],
      dropped: [],
      unknownSessions: ["s"],
    });
  });
});
