/** Checks the budgets against this machine's sessions, and lets the hooks know which sessions to stop. */
import { amuxHome, processEnv } from "../lib/fs/paths.ts";
import { checkBudgets, stopsOf, type BudgetState } from "../limits/budget-check.ts";
import { writeStops } from "../limits/budget-stops.ts";
import { isWindow, readBudgets } from "../limits/budgets.ts";
import { knownLimits } from "./known-limits.ts";
import { localSessions } from "./local-sessions.ts";

export async function checkedBudgets(): Promise<BudgetState[]> {
  const home = amuxHome(processEnv());
  const [budgets, now] = [readBudgets(home), Date.now()];
  const { standings } = budgets.some(({ per }) => isWindow(per)) ? await knownLimits(now) : { standings: [] };
  const { sessions } = localSessions();
  const states = await checkBudgets(budgets, (query) => sessions.totalCost(query), standings, now);
  if (budgets.length > 0) writeStops(home, stopsOf(states), now);
  return states;
}

export function budgetJson({ budget, used, share, level, session }: BudgetState): object {
  const { per, amount, project, warnPercent, stops } = budget;
  return { per, amount, project, warn_percent: warnPercent, stops, used, share_percent: share, level, session };
}
