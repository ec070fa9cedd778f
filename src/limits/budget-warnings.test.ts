import { expect, it } from "vitest";
import { tempHome } from "../../test/support/temp-home.ts";
import { applyBudgets } from "./apply-budgets.ts";
import type { BudgetState } from "./budget-check.ts";
import { readWarnings } from "./budget-warnings.ts";
import { readBudgets, setBudget, type Budget } from "./budgets.ts";

const NOW = Date.parse("2026-11-18T15:00:00Z");
const MINUTE = 60_000;

function budgetOf(more: Partial<Budget> = {}): Budget {
  return { per: "day", amount: 20, warnPercent: 80, stops: false, ...more };
}

function states(
  budget: Budget,
  ...used: [level: BudgetState["level"], usd: number, session?: string][]
): BudgetState[] {
  const until = NOW + 9 * 60 * MINUTE;
  return used.map(([level, usd, session]) => ({ budget, level, used: usd, until, ...(session && { session }) }));
}

it("a warning says what was used and how to raise it, and keeps its time until it gets worse", () => {
  const home = tempHome().path;
  const budget = budgetOf({ stops: true });
  setBudget(home, budget);
  applyBudgets(home, states(budget, ["warn", 17]), NOW);
  applyBudgets(home, states(budget, ["warn", 18]), NOW + MINUTE);
  expect(readWarnings(home, NOW + MINUTE)).toMatchObject([
    {
      id: expect.stringMatching(/^budget-[0-9a-f]{16}$/) as string,
      name: "Budget for today",
      text: "today: $18.00 of $20.00 used. To raise it: amux budget set day DOLLARS --stop",
      since: NOW,
    },
  ]);
  applyBudgets(home, states(budget, ["over", 21]), NOW + 2 * MINUTE);
  const [over] = readWarnings(home, NOW + 2 * MINUTE);
  expect(over).toMatchObject({ level: "over", since: NOW + 2 * MINUTE });
  expect(over!.text).toContain("It stops sessions.");
});

it("a warning ends when the budget is raised, and when its period does", () => {
  const home = tempHome().path;
  const budget = budgetOf();
  setBudget(home, budget);
  applyBudgets(home, states(budget, ["warn", 17]), NOW);
  expect(readWarnings(home, NOW + 10 * 60 * MINUTE)).toEqual([]);
  setBudget(home, budgetOf({ amount: 40 }));
  applyBudgets(home, states(budgetOf({ amount: 40 }), ["ok", 17]), NOW);
  expect(readWarnings(home, NOW)).toEqual([]);
});

it("a budget for each session is one warning, and another session is news", () => {
  const home = tempHome().path;
  setBudget(home, budgetOf({ per: "session", amount: 5, project: "/home/me/a b" }));
  const budget = readBudgets(home)[0]!;
  applyBudgets(home, states(budget, ["over", 9, "claude:a"], ["over", 8, "claude:b"]), NOW);
  applyBudgets(home, states(budget, ["over", 9, "claude:a"]), NOW + MINUTE);
  expect(readWarnings(home, NOW)).toMatchObject([{ since: NOW, project: "/home/me/a b" }]);
  applyBudgets(home, states(budget, ["over", 9, "claude:a"], ["over", 7, "claude:c"]), NOW + 2 * MINUTE);
  expect(readWarnings(home, NOW)).toMatchObject([
    {
      since: NOW + 2 * MINUTE,
      text: "session claude:a in /home/me/a b: $9.00 of $5.00 used, and 1 more. To raise it: amux budget set session DOLLARS --project '/home/me/a b'",
    },
  ]);
});

it("the command of a warning is safe to paste, whatever the directory is called", () => {
  const home = tempHome().path;
  setBudget(home, budgetOf({ project: "/home/me/it's; date" }));
  const budget = readBudgets(home)[0]!;
  applyBudgets(home, states(budget, ["warn", 17]), NOW);
  expect(readWarnings(home, NOW)[0]!.text).toContain(String.raw`--project '/home/me/it'\''s; date'`);
});

it("a damaged file warns of nothing", () => {
  const home = tempHome();
  home.write("budget-warnings.json", '{"warnings":[{"id":1},7,{"id":"a","level":"ok"}]');
  expect(readWarnings(home.path, NOW)).toEqual([]);
});
