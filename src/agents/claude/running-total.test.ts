import { describe, expect, it } from "vitest";
import { tempHome, type TempHome } from "../../../test/support/temp-home.ts";
import { ID, readerOf, reply, usageOf, write } from "../../../test/support/agents/claude-session.ts";

describe("the running total the program writes", () => {
  const state = (usd: number, startTime?: string): string =>
    JSON.stringify({
      type: "cost-state",
      sessionId: ID,
      totalCostUSD: usd,
      ...(startTime === undefined ? {} : { startTime: Date.parse(startTime) }),
      modelUsage: usd === 0 ? {} : { "claude-opus-5": { costUSD: usd } },
      hasUnknownModelCost: false,
    });
  const totalsOf = (home: TempHome) => readerOf(home).reportedTotals?.();
  const usage = { input_tokens: 1, output_tokens: 1 };

  it("is the last one written, and includes the requests before it", () => {
    const home = tempHome();
    write(home, [
      reply({ id: "msg_1", usage }),
      state(0.5),
      reply({ id: "msg_2", usage }),
      state(0.75),
      reply({ id: "msg_3", usage }),
    ]);
    expect(totalsOf(home)).toEqual([expect.objectContaining({ covers: 2, byModel: { "claude-opus-5": 750_000 } })]);
  });

  it("does not make the requests before a crash free", () => {
    const home = tempHome();
    const before = [
      reply({ id: "msg_1", usage, timestamp: "2026-05-01T10:00:00Z" }),
      reply({ id: "msg_2", usage, timestamp: "2026-05-01T10:01:00Z" }),
    ];
    write(home, [...before, state(0, "2026-05-01T11:00:00Z")]);
    expect(totalsOf(home)).toBeUndefined();
    write(home, [
      ...before,
      state(0, "2026-05-01T11:00:00Z"),
      reply({ id: "msg_3", usage, timestamp: "2026-05-01T11:01:00Z" }),
      state(0.25, "2026-05-01T11:00:00Z"),
    ]);
    expect(totalsOf(home)).toEqual([expect.objectContaining({ covers: 1, byModel: { "claude-opus-5": 250_000 } })]);
    expect(usageOf(home).map((record) => record.key)).toEqual(["msg_3", "msg_1", "msg_2"]);
  });

  it("is added to the one from before a crash", () => {
    const home = tempHome();
    write(home, [
      reply({ id: "msg_1", usage, timestamp: "2026-05-01T10:00:00Z" }),
      state(0.5, "2026-05-01T09:00:00Z"),
      reply({ id: "msg_2", usage, timestamp: "2026-05-01T10:01:00Z" }),
      reply({ id: "msg_3", usage, timestamp: "2026-05-01T11:01:00Z" }),
      state(0.25, "2026-05-01T11:00:00Z"),
    ]);
    expect(totalsOf(home)).toEqual([expect.objectContaining({ covers: 2, byModel: { "claude-opus-5": 750_000 } })]);
    expect(usageOf(home).map((record) => record.key)).toEqual(["msg_1", "msg_3", "msg_2"]);
  });

  it.each(["1e305", "1e9", "-5"])("is not used where it says %s dollars", (usd) => {
    const home = tempHome();
    write(home, [reply({ id: "msg_1", usage }), state(0.5).replace('"costUSD":0.5', `"costUSD":${usd}`)]);
    expect(totalsOf(home)).toBeUndefined();
  });

  it.each(["constructor", "__proto__"])("is a number for a model called %s", (model) => {
    const home = tempHome();
    write(home, [
      reply({ id: "msg_1", usage, timestamp: "2026-05-01T10:00:00Z" }),
      state(0.5, "2026-05-01T09:00:00Z").replace('"claude-opus-5":', `${JSON.stringify(model)}:`),
      state(0.25, "2026-05-01T11:00:00Z").replace('"claude-opus-5":', `${JSON.stringify(model)}:`),
    ]);
    expect(totalsOf(home)!.map(({ byModel }) => Object.entries(byModel))).toEqual([[[model, 750_000]]]);
  });

  it("is not used when a fork's total continues its parent's", () => {
    const home = tempHome();
    const queue = JSON.stringify({
      type: "queue-operation",
      operation: "enqueue",
      timestamp: "2026-05-02T10:00:00Z",
      sessionId: ID,
    });
    write(home, [
      queue,
      reply({ id: "msg_old", usage }),
      reply({ id: "msg_new", usage, timestamp: "2026-05-02T10:01:00Z" }),
      state(0.5),
    ]);
    expect(totalsOf(home)).toBeUndefined();
  });
});
