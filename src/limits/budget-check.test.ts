import { describe, expect, it } from "vitest";
import type { CostBreakdown, CostSummary } from "../core/cost.ts";
import { tempHome } from "../../test/support/temp-home.ts";
import { applyBudgets } from "./apply-budgets.ts";
import { budgetText, checkBudgets, stopsOf, type AskCost, type BudgetState } from "./budget-check.ts";
import { stopFor, writeStops, type Stoppable } from "./budget-stops.ts";
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

  it("of each session leaves out sessions that cost nothing in the last day, but counts all that the others cost", async () => {
    const late: AskCost = async (query) => {
      const rows = [row("/dev/shop", 0.1, [row("claude:b", 0.1)])];
      return query.since === undefined
        ? ask(query)
        : ({ totalUsd: 0.1, breakdowns: Object.fromEntries(rows.map((each) => [each.key, each])) } as never);
    };
    const states = await checkBudgets([budget("session", 1)], late, [], NOW);
    expect(states.map(({ session, used }) => [session, used])).toEqual([["claude:b", 1]]);
  });

  it("of a usage limit stops the account that used it, and no other", async () => {
    const standing = { agent: "claude", account: "a@b", window: "5h", usedPercent: 10, at: NOW, isReset: false };
    const standings = [standing, { ...standing, account: "c@d", usedPercent: 95 }, { ...standing, agent: "codex" }];
    const states = await checkBudgets([budget("5h", 90, { stops: true })], ask, standings, NOW);
    expect(stopsOf(states)).toEqual([
      { agent: "claude", account: "c@d", text: expect.stringContaining("5h limit of claude c@d: 95%") as unknown },
    ]);
    const home = tempHome().path;
    writeStops(home, stopsOf(states), NOW);
    expect(stopped(home, {})).toBeUndefined();
    expect(stopped(home, { account: () => "c@d", agent: "codex" })).toBeUndefined();
    expect(stopped(home, { account: () => "c@d" })).toContain("95%");
  });

  it("asks for the same costs once, however many budgets need them", async () => {
    asked.length = 0;
    const projects = Array.from({ length: 50 }, (_, index) => budget("day", 5, { project: `/dev/${index}` }));
    await checkBudgets(projects, ask, [], NOW);
    expect(asked).toHaveLength(1);
  });

  it("beyond the last that fits is refused, and the file stays readable", () => {
    const home = tempHome();
    const most = Array.from({ length: 200 }, (_, index) => budget("day", 5, { project: `/dev/${index}` }));
    home.write("budgets.json", JSON.stringify(most));
    expect(() => setBudget(home.path, budget("week", 5))).toThrow(/Remove one first/);
    setBudget(home.path, budget("day", 7, { project: "/dev/7" }));
    expect(readBudgets(home.path)).toHaveLength(200);
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

function stopped(home: string, who: Partial<Stoppable>, now = NOW): string | undefined {
  return stopFor(home, { agent: "claude", account: () => "a@b", ...who }, now);
}

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
    expect(stopped(home, { session: "a", cwd: "/x" })).toBe("A");
    expect(stopped(home, { session: "b", cwd: "/dev/shop/api" })).toBe("B");
    expect(stopped(home, { session: "b", cwd: "/dev/shopping" })).toBeUndefined();
    expect(stopped(home, {})).toBeUndefined();
  });

  it("fails open: without a file, with a broken one, and when the last check is too old", () => {
    const home = tempHome();
    expect(stopped(home.path, { session: "a" })).toBeUndefined();
    for (const text of ["{", "[]", '{"at":"now","stops":7}']) {
      home.write("budget-stops.json", text);
      expect(stopped(home.path, { session: "a" })).toBeUndefined();
    }
    writeStops(home.path, [{ text: "A" }], NOW);
    expect(stopped(home.path, { session: "a" }, NOW + 11 * 60_000)).toBeUndefined();
  });

  it("of a session whose id cannot be read stops nothing", () => {
    const state: BudgetState = { budget: budget("session", 1, { stops: true }), used: 2, level: "over", session: "x" };
    expect(stopsOf([state])).toEqual([]);
  });

  it("holds for all even beside thousands of sessions", () => {
    const home = tempHome().path;
    const sessions = Array.from({ length: 5000 }, (_, index) => ({ session: `s${index}`, text: "x".repeat(100) }));
    writeStops(home, [...sessions, { text: "all" }], NOW);
    expect(stopped(home, { session: "s0" })).toBe("all");
  });

  it("of a budget that was removed during the check does not hold", () => {
    const home = tempHome().path;
    const of = budget("day", 1, { stops: true });
    setBudget(home, of);
    applyBudgets(home, [{ budget: of, used: 2, level: "over" }], NOW);
    expect(stopped(home, {})).toContain("$2.00 of $1.00");
    removeBudget(home, of);
    applyBudgets(home, [{ budget: of, used: 2, level: "over" }], NOW);
    expect(stopped(home, {})).toBeUndefined();
  });

  it("that cannot be read is an error, not silence", () => {
    const home = tempHome();
    home.write("budget-stops.json", "x".repeat(300 * 1024));
    expect(() => stopped(home.path, {})).toThrow(/larger than/);
  });
});
