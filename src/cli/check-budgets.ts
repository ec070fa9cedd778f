/** Checks the budgets against this machine's sessions, and lets the hooks know which sessions to stop. */
import { amuxHome, processEnv } from "../lib/fs/paths.ts";
import { applyBudgets } from "../limits/apply-budgets.ts";
import { checkBudgets, type BudgetState } from "../limits/budget-check.ts";
import { isWindow, readBudgets } from "../limits/budgets.ts";
import { localLimits } from "./local-limits.ts";
import { localSessions } from "./local-sessions.ts";

export async function checkedBudgets(): Promise<BudgetState[]> {
  const home = amuxHome(processEnv());
  const [budgets, now] = [readBudgets(home), Date.now()];
  const { standings } = budgets.some(({ per }) => isWindow(per)) ? await localLimits(now) : { standings: [] };
  const { sessions } = localSessions();
  const states = await checkBudgets(budgets, (query) => sessions.totalCost(query), standings, now);
  applyBudgets(home, states, now);
  return states;
}

export function budgetJson({ budget, used, share, level, session, agent, account }: BudgetState): object {
  const { per, amount, project, warnPercent, stops } = budget;
  const state = { used, share_percent: share, level, session, agent, account };
  return { per, amount, project, warn_percent: warnPercent, stops, ...state };
}
