import { describe, expect, it } from "vitest";
import type { CostBreakdown, CostSummary } from "../core/cost.ts";
import { tempHome } from "../../test/support/temp-home.ts";
import { budgetText, checkBudgets, stopsOf, type AskCost } from "./budget-check.ts";
import { stopFor, writeStops } from "./budget-stops.ts";
import { readBudgets, removeBudget, setBudget, type Budget } from "./budgets.ts";
import type { LimitStanding } from "./standing.ts";

/** A Wednesday. */
const NOW = Date.parse("2026-11-18T15:00:00");

const budget = (per: string, amount: number, more: Partial<Budget> = {}): Budget => ({
  per,
  amount,
  warnPercent: 80,
  stops: false,
  ...more,
});

const row = (key: string, totalUsd: number, below?: CostBreakdown[]): CostBreakdown =>
  ({
    key,
    totalUsd,
    ...(below && { breakdowns: Object.fromEntries(below.map((each) => [each.key, each])) }),
  }) as CostBreakdown;

const ROWS = [
  row("/dev/shop", 6, [row("claude:a", 5), row("claude:b", 1)]),
  row("/dev/shop/api", 3, [row("claude:c", 3)]),
  row("/dev/shopping", 10, [row("codex:d", 10)]),
];

const asked: Parameters<AskCost>[0][] = [];
const ask: AskCost = (query) => {
  asked.push(query);
  const breakdowns = Object.fromEntries(ROWS.map((each) => [each.key, each]));
  return Promise.resolve({ totalUsd: 19, breakdowns } as unknown as CostSummary);
};

describe("a budget", () => {
  it("of a day and of a week counts from midnight, and from Monday", async () => {
    asked.length = 0;
    const states = await checkBudgets([budget("day", 20), budget("week", 10)], ask, [], NOW);
    expect(states.map(({ level, used }) => [level, used])).toEqual([
      ["warn", 19],
      ["over", 19],
    ]);
    const days = asked.map(({ since }) => since!.getTime());
    expect(days).toEqual([Date.parse("2026-11-18T00:00:00"), Date.parse("2026-11-16T00:00:00")]);
    expect(budgetText(states[0]!)).toBe("today: $19.00 of $20.00 used");
  });

  it("of a project counts its directories, and not one with a similar name", async () => {
    const [state] = await checkBudgets([budget("project", 10, { project: "/dev/shop" })], ask, [], NOW);
    expect(state).toMatchObject({ used: 9, level: "warn" });
  });

  it("of each session names those at the limit, and stops only those", async () => {
    const states = await checkBudgets([budget("session", 5, { stops: true, project: "/dev/shop" })], ask, [], NOW);
    expect(states).toMatchObject([{ session: "claude:a", level: "over" }]);
    expect(stopsOf(states)).toMatchObject([{ session: "a", project: "/dev/shop" }]);
    expect((await checkBudgets([budget("session", 50)], ask, [], NOW))[0]).toMatchObject({
      session: "codex:d",
      level: "ok",
    });
  });

  it("of a usage limit is unknown while the limit is", async () => {
    const standing = { agent: "claude", window: "5h", usedPercent: 92, at: NOW, isReset: false } as LimitStanding;
    const of = budget("5h", 90, { stops: true });
    expect(await checkBudgets([of], ask, [], NOW)).toMatchObject([{ level: "unknown" }]);
    expect(await checkBudgets([of], ask, [{ ...standing, isReset: true }], NOW)).toMatchObject([{ level: "unknown" }]);
    const states = await checkBudgets([of], ask, [standing], NOW);
    expect(stopsOf(states)[0]!.text).toContain("5h limit: 92% of 90% used");
  });

  it("is set, replaced and removed; a broken file is reported, not ignored", () => {
    const home = tempHome();
    setBudget(home.path, budget("day", 20));
    setBudget(home.path, budget("day", 30));
    setBudget(home.path, budget("day", 5, { project: "/dev/shop" }));
    expect(readBudgets(home.path).map(({ amount }) => amount)).toEqual([30, 5]);
    expect([removeBudget(home.path, { per: "day" }), removeBudget(home.path, { per: "day" })]).toEqual([true, false]);
    for (const text of ["{", "[1]", '[{"per":"day","amount":-1,"warnPercent":80}]']) {
      home.write("budgets.json", text);
      expect(() => readBudgets(home.path)).toThrow(/is not a list of budgets/);
    }
  });
});

describe("a stop", () => {
  it("applies only to its session and its project", () => {
    const home = tempHome().path;
    writeStops(
      home,
      [
        { session: "a", text: "A" },
        { project: "/dev/shop", text: "B" },
      ],
      NOW,
    );
    expect(stopFor(home, { session: "a", cwd: "/x" }, NOW)).toBe("A");
    expect(stopFor(home, { session: "b", cwd: "/dev/shop/api" }, NOW)).toBe("B");
    expect(stopFor(home, { session: "b", cwd: "/dev/shopping" }, NOW)).toBeUndefined();
    expect(stopFor(home, {}, NOW)).toBeUndefined();
  });

  it("fails open: without a file, with a broken one, and when the last check is too old", () => {
    const home = tempHome();
    expect(stopFor(home.path, { session: "a" }, NOW)).toBeUndefined();
    for (const text of ["{", "[]", '{"at":"now","stops":7}']) {
      home.write("budget-stops.json", text);
      expect(stopFor(home.path, { session: "a" }, NOW)).toBeUndefined();
    }
    writeStops(home.path, [{ text: "A" }], NOW);
    expect(stopFor(home.path, { session: "a" }, NOW + 11 * 60_000)).toBeUndefined();
  });
});
