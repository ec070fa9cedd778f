import { describe, expect, it } from "vitest";
import { tempHome } from "../../../test/support/temp-home.ts";
import type { CostBreakdown, CostSummary } from "../../core/cost.ts";
import type { AgentMuxClient } from "../../index.ts";
import { clientOf, madeAgent, tokens, usage, type MadeSession } from "../../../test/support/made-agent.ts";

const PRICES = JSON.stringify({ "made-model": { input: 3, output: 15 }, "other-model": { input: 1, output: 1 } });

function client(...sessions: MadeSession[]): AgentMuxClient {
  const home = tempHome();
  home.write(".agent-mux/prices.json", PRICES);
  return clientOf(home.path, madeAgent("made", sessions));
}

function runLine(fields: Record<string, unknown>): string {
  return JSON.stringify({ v: 1, agent: "made", timestamp: "2026-06-01T12:00:00Z", ...fields });
}

/** Group key to dollars, nested. */
function dollars(breakdowns: Record<string, CostBreakdown> | undefined): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(breakdowns ?? {}).map(([key, group]) => [
      key,
      group.breakdowns ? dollars(group.breakdowns) : group.totalUsd,
    ]),
  );
}

const AT = (time: string): number => Date.parse(time);

const SESSIONS: MadeSession[] = [
  {
    id: "one",
    head: { cwd: "/home/user/shop", branch: "main" },
    usage: [
      usage("a", { at: AT("2026-06-01T23:30:00Z") }),
      usage("b", { at: AT("2026-06-02T00:30:00Z"), model: "other-model" }),
      usage("c", { at: AT("2026-06-02T01:30:00Z"), branch: "dev", cwd: "/home/user/shop/api" }),
    ],
  },
  {
    id: "two",
    head: { cwd: "/home/user/blog" },
    usage: [
      usage("d", { at: AT("2026-06-03T12:00:00Z"), model: "nobody-knows-9" }),
      usage("e", { at: undefined as never }),
    ],
  },
];

describe("a cost report", () => {
  it("of nothing has zero everywhere", async () => {
    const report = await client().sessions.totalCost({ groupBy: "model" });
    expect(report).toMatchObject({ totalUsd: 0, sessionCount: 0, requestCount: 0, runCount: 0, breakdowns: {} });
  });

  it("states how much of the total is of which kind, and the prices used", async () => {
    const report = await client(
      { id: "one", usage: [usage("a"), usage("b", { reportedMicroUsd: 5_000_000 }), usage("c", { lowerBound: true })] },
      { id: "two", usage: [usage("d", { model: "nobody-knows-9" })] },
      { id: "three", head: { usageUnknown: true } },
    ).sessions.totalCost();
    expect(report).toEqual({
      totalUsd: 5.006,
      inputTokens: 4000,
      outputTokens: 0,
      thinkingTokens: 0,
      cachedTokens: 0,
      cacheWriteTokens: 0,
      cacheWrite1hTokens: 0,
      sessionCount: 3,
      requestCount: 5,
      runCount: 0,
      kinds: {
        reported: { requests: 1, usd: 5 },
        computed: { requests: 1, usd: 0.003 },
        "lower-bound": { requests: 1, usd: 0.003 },
        unpriced: { requests: 1, usd: 0 },
        unknown: { requests: 1, usd: 0 },
      },
      skipped: 0,
      prices: { version: expect.stringMatching(/\+user$/), digest: expect.stringMatching(/^[0-9a-f]{16}$/) },
    } satisfies CostSummary);
  });

  it("counts the files it could not read", async () => {
    const report = await client(
      { id: "bad", broken: "garbage" },
      { id: "good", usage: [usage("a")] },
    ).sessions.totalCost();
    expect(report).toMatchObject({ skipped: 1, sessionCount: 1 });
  });
});

describe("grouping", () => {
  it.each([
    ["agent", { made: 0.01 }],
    ["model", { "made-model": 0.009, "nobody-knows-9": 0, "other-model": 0.001 }],
    ["session", { "made:one": 0.007, "made:two": 0.003 }],
    ["project", { "/home/user/blog": 0.003, "/home/user/shop": 0.004, "/home/user/shop/api": 0.003 }],
    ["branch", { "(no branch)": 0.003, dev: 0.003, main: 0.004 }],
    ["tag", { "(untagged)": 0.01 }],
  ] as const)("by %s gives flat breakdowns", async (groupBy, expected) => {
    const report = await client(...SESSIONS).sessions.totalCost({ groupBy });
    expect(dollars(report.breakdowns)).toEqual(expected);
    expect(report.groupBy).toEqual([groupBy]);
    expect(report.totalUsd).toBe(0.01);
  });

  it("puts a request on its own day in the chosen zone, not on the session's", async () => {
    const { sessions } = client(...SESSIONS);
    const utc = await sessions.totalCost({ groupBy: "day", timeZone: "UTC" });
    expect(dollars(utc.breakdowns)).toEqual({
      "(no date)": 0.003,
      "2026-06-01": 0.003,
      "2026-06-02": 0.004,
      "2026-06-03": 0,
    });
    expect(utc.timeZone).toBe("UTC");
    const tokyo = await sessions.totalCost({ groupBy: "day", timeZone: "Asia/Tokyo" });
    expect(dollars(tokyo.breakdowns)).toMatchObject({ "2026-06-02": 0.007 });
    const honolulu = await sessions.totalCost({ groupBy: "day", timeZone: "Pacific/Honolulu" });
    expect(dollars(honolulu.breakdowns)).toMatchObject({ "2026-06-01": 0.007 });
  });

  it("by several nests one in the other, each level with its sum", async () => {
    const report = await client(...SESSIONS).sessions.totalCost({
      groupBy: ["day", "model", "branch"],
      timeZone: "UTC",
    });
    expect(dollars(report.breakdowns)).toEqual({
      "(no date)": { "made-model": { "(no branch)": 0.003 } },
      "2026-06-01": { "made-model": { main: 0.003 } },
      "2026-06-02": { "made-model": { dev: 0.003 }, "other-model": { main: 0.001 } },
      "2026-06-03": { "nobody-knows-9": { "(no branch)": 0 } },
    });
    expect(report.breakdowns!["2026-06-02"]).toMatchObject({
      key: "2026-06-02",
      totalUsd: 0.004,
      requestCount: 2,
      sessionCount: 1,
      kind: "computed",
    });
    expect(report.breakdowns!["2026-06-03"]!.kind).toBe("unpriced");
  });

  it("accepts a list of one like the name alone", async () => {
    const { sessions } = client(...SESSIONS);
    expect(await sessions.totalCost({ groupBy: ["model"] })).toEqual(await sessions.totalCost({ groupBy: "model" }));
  });

  it("is safe from names of built-in object properties", async () => {
    const report = await client({ id: "s", usage: [usage("a", { cwd: "__proto__" })] }).sessions.totalCost({
      groupBy: "project",
    });
    expect(Object.keys(report.breakdowns!)).toEqual(["__proto__"]);
  });

  it.each([
    [
      { groupBy: "weather" as never },
      'Costs are grouped by agent, model, hour, day, week, month, tag, session, project, branch, not by "weather".',
    ],
    [{ groupBy: ["day", "day"] as never }, '"day,day" names a grouping twice.'],
    [{ timeZone: "Middle/Earth" }, '"Middle/Earth" is not a time zone; names are like Europe/Berlin or UTC.'],
  ])("by %j is refused", async (options, message) => {
    await expect(client().sessions.totalCost(options)).rejects.toMatchObject({ code: "VALIDATION_ERROR", message });
  });
});

describe("filters", () => {
  it.each([
    [{ since: new Date("2026-06-02T00:30:00Z") }, ["b", "c", "d"]],
    [{ until: new Date("2026-06-02T00:30:00Z") }, ["a", "b"]],
    [{ since: new Date("2026-06-02"), until: new Date("2026-06-03") }, ["b", "c"]],
    [{ model: "other-model" }, ["b"]],
    [{ model: "other" }, []],
    [{ tags: [] }, ["a", "b", "c", "d", "e"]],
    [{ tags: ["ci"] }, []],
  ])("%j keep the requests that match", async (options, keys) => {
    const { requests, summary } = await client(...SESSIONS).sessions.explainCost(options);
    expect(requests.map((request) => request.key)).toEqual(keys);
    expect(summary.requestCount).toBe(keys.length);
    expect(await client(...SESSIONS).sessions.totalCost(options)).toMatchObject({ totalUsd: summary.totalUsd });
  });
});

describe("recomputed figures", () => {
  const made: MadeSession = {
    id: "s",
    usage: [
      usage("wrong", { reportedMicroUsd: 1, tokens: tokens({ input: 1000 }) }),
      usage("unpriced", { reportedMicroUsd: 20, model: "nobody-knows-9" }),
      usage("uncounted", { reportedMicroUsd: 300, tokens: tokens() }),
    ],
    reportedTotals: [{ covers: 3, byModel: { "made-model": 5000, "nobody-knows-9": 20 } }],
  };

  it("replace the agent's own by tokens times price, where both are known", async () => {
    const { sessions } = client(made);
    const kinds = async (recompute: boolean): Promise<unknown> => {
      const { summary, requests } = await sessions.explainCost({ recompute });
      // In sums and one by one, whatever the cache holds.
      for (const index of ["fill", "use", "none"] as const)
        expect(await sessions.totalCost({ recompute, index })).toEqual(summary);
      return requests.map(({ key, kind, usd }) => [key, kind, Math.round(usd * 1e6)]);
    };
    const reported = await kinds(false);
    expect(await kinds(true)).toEqual([
      ["wrong", "computed", 3000],
      ["unpriced", "reported", 20],
      ["uncounted", "reported", 300],
    ]);
    expect(await kinds(false)).toEqual(reported);
    expect(reported).toEqual([
      ["wrong", "reported", 1],
      ["unpriced", "reported", 20],
      ["uncounted", "reported", 300],
      ["s#total:made-model", "reported", 4699],
    ]);
  });
});

describe("runs of amux", () => {
  it("give sessions their tags, and count once however many requests they made", async () => {
    const home = tempHome();
    home.write(".agent-mux/prices.json", PRICES);
    home.write(
      ".agent-mux/run-index.jsonl",
      [
        runLine({ runId: "r1", sessionId: "one", tags: ["ci", "nightly"] }),
        runLine({ runId: "r2", sessionId: "one", tags: ["ci"] }),
        runLine({
          runId: "r3",
          sessionId: "gone",
          tags: ["lost"],
          cost: { totalUsd: 2, inputTokens: 7, outputTokens: 1 },
        }),
        runLine({ runId: "r4", sessionId: "gone-too", tags: ["lost"] }),
      ].join("\n"),
    );
    const { sessions } = clientOf(home.path, madeAgent("made", SESSIONS));
    const report = await sessions.totalCost({ groupBy: "tag" });
    expect(dollars(report.breakdowns)).toEqual({ "(untagged)": 0.003, ci: 0.007, lost: 2, nightly: 0.007 });
    expect(report).toMatchObject({ totalUsd: 2.01, runCount: 4, sessionCount: 3 });
    expect(await sessions.totalCost({ tags: ["ci"] })).toMatchObject({ totalUsd: 0.007, runCount: 2, sessionCount: 1 });
    expect(await sessions.totalCost({ tags: ["lost"] })).toMatchObject({ totalUsd: 2, runCount: 2, inputTokens: 7 });
  });

  it("do not add their cost to what the agent's own files say", async () => {
    const home = tempHome();
    home.write(".agent-mux/prices.json", PRICES);
    home.write(
      ".agent-mux/run-index.jsonl",
      runLine({ runId: "r1", sessionId: "one", tags: [], cost: { totalUsd: 9, inputTokens: 1, outputTokens: 1 } }),
    );
    const { sessions } = clientOf(home.path, madeAgent("made", [SESSIONS[0]!]));
    expect(await sessions.totalCost()).toMatchObject({ totalUsd: 0.007, runCount: 1 });
  });
});

describe("an explanation", () => {
  it("lists the requests of the total, with price, tier, multiplier and kind", async () => {
    const { sessions } = client({
      id: "one",
      head: { cwd: "/w" },
      usage: [usage("a", { tokens: tokens({ input: 1000, output: 10, thinking: 4 }), subagent: "helper" })],
    });
    const { requests, dropped, summary } = await sessions.explainCost();
    expect(requests).toEqual([
      {
        agent: "made",
        session: "made:one",
        key: "a",
        timestamp: new Date("2026-06-01T12:00:00Z"),
        model: "made-model",
        cwd: "/w",
        subagent: "helper",
        inputTokens: 1000,
        outputTokens: 10,
        thinkingTokens: 4,
        cachedTokens: 0,
        cacheWriteTokens: 0,
        cacheWrite1hTokens: 0,
        usd: 0.00315,
        kind: "computed",
        price: { model: "made-model", vendor: "user", input: 3, output: 15, multiplier: 1 },
      },
    ]);
    expect(dropped).toEqual([]);
    expect(summary.totalUsd).toBe(0.00315);
  });

  it("shows dropped copies with the session that owns them, also for one session alone", async () => {
    const { sessions } = client(
      { id: "parent", usage: [usage("a"), usage("b")] },
      { id: "fork", head: { forkedFrom: "parent" }, usage: [usage("a", { copied: true }), usage("c")] },
      { id: "other", usage: [usage("z")] },
      { id: "helper", head: { parentId: "fork" }, usage: [usage("h")] },
    );
    const copy = {
      agent: "made",
      session: "made:fork",
      key: "a",
      timestamp: new Date("2026-06-01T12:00:00Z"),
      model: "made-model",
      owner: "made:parent",
    };
    const all = await sessions.explainCost();
    expect(all.dropped).toEqual([copy]);
    const one = await sessions.explainCost({ agent: "made", sessionId: "fork" });
    expect(one.requests.map((request) => request.key)).toEqual(["c", "h"]);
    expect(one.dropped).toEqual([copy]);
    expect(one.summary).toMatchObject({ totalUsd: 0.006, sessionCount: 2 });
    await expect(sessions.explainCost({ agent: "made", sessionId: "nope" })).rejects.toMatchObject({
      code: "SESSION_NOT_FOUND",
    });
  });
});
