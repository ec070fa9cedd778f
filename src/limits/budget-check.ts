/** Compares budgets with what was spent. Its only outside input is the cost of sessions. */
import type { CostBreakdown, CostSummary } from "../core/cost.ts";
import { splitUnifiedId } from "../core/unified-id.ts";
import { optional } from "../lib/values/optional.ts";
import { parseDateRange } from "../lib/values/typed-date.ts";
import { isBelow, type BudgetStop } from "./budget-stops.ts";
import { isWindow, type Budget } from "./budgets.ts";
import type { LimitStanding } from "./standing.ts";

export interface BudgetState {
  budget: Budget;
  /** Dollars, or percent of a limit. Unknown if the limit is. */
  used?: number;
  /** In percent of the budget. */
  share?: number;
  level: "ok" | "warn" | "over" | "unknown";
  /** The unified id of the session that used it, for a budget of each session. */
  session?: string;
}

export type AskCost = (query: { since?: Date; groupBy: ("project" | "session")[] }) => Promise<CostSummary>;

export async function checkBudgets(
  budgets: readonly Budget[],
  ask: AskCost,
  standings: readonly LimitStanding[],
  now: number,
): Promise<BudgetState[]> {
  const states = await Promise.all(
    budgets.map(async (budget) =>
      isWindow(budget.per) ? [windowState(budget, standings)] : spentStates(budget, await ask(queryOf(budget, now))),
    ),
  );
  return states.flat();
}

function queryOf({ per, project }: Budget, now: number): Parameters<AskCost>[0] {
  const span = per === "day" ? "today" : per === "week" ? "this week" : undefined;
  const from = span === undefined ? undefined : parseDateRange(span, new Date(now))?.from;
  const groupBy: ("project" | "session")[] = per === "session" ? ["project", "session"] : ["project"];
  return {
    ...optional("since", from === undefined ? undefined : new Date(from)),
    groupBy: project === undefined && per !== "session" ? [] : groupBy,
  };
}

function spentStates(budget: Budget, { totalUsd, breakdowns = {} }: CostSummary): BudgetState[] {
  const { per, project } = budget;
  const inside = Object.values(breakdowns).filter(({ key }) => project === undefined || isBelow(key, project));
  if (per !== "session") return [stateOf(budget, project === undefined ? totalUsd : sumOf(inside))];
  const sessions = inside.flatMap(({ breakdowns: below = {} }) => Object.values(below));
  const states = sessions.map(({ key, totalUsd: usd }) => ({ ...stateOf(budget, usd), session: key }));
  const [most] = states.sort((a, b) => (b.used ?? 0) - (a.used ?? 0));
  const urgent = states.filter(({ level }) => level !== "ok");
  return urgent.length > 0 ? urgent : [most ?? stateOf(budget, 0)];
}

/** The account that used most. */
function windowState(budget: Budget, standings: readonly LimitStanding[]): BudgetState {
  const own = standings.filter(({ window, isReset }) => window === budget.per && !isReset);
  return own.length === 0
    ? { budget, level: "unknown" }
    : stateOf(budget, Math.max(...own.map(({ usedPercent }) => usedPercent)));
}

function stateOf(budget: Budget, used: number): BudgetState {
  const share = (100 * used) / budget.amount;
  return { budget, used, share, level: share >= 100 ? "over" : share >= budget.warnPercent ? "warn" : "ok" };
}

function sumOf(rows: readonly CostBreakdown[]): number {
  return rows.reduce((sum, { totalUsd }) => sum + totalUsd, 0);
}

/** `today in ~/dev/shop: $20.31 of $20 used`. */
export function budgetText({ budget, used, session }: BudgetState): string {
  const { per, amount, project } = budget;
  const span = { session: "session", project: "project", day: "today", week: "this week" }[per] ?? `${per} limit`;
  const what = `${span}${session === undefined ? "" : ` ${session}`}${project === undefined ? "" : ` in ${project}`}`;
  if (used === undefined) return `${what}: unknown`;
  const figure = (value: number): string => (isWindow(per) ? `${Math.round(value)}%` : `$${value.toFixed(2)}`);
  return `${what}: ${figure(used)} of ${figure(amount)} used`;
}

export function stopsOf(states: readonly BudgetState[]): BudgetStop[] {
  return states
    .filter(({ budget, level }) => budget.stops && level === "over")
    .map((state) => ({
      ...optional("session", state.session && splitUnifiedId(state.session)?.nativeSessionId),
      ...optional("project", state.budget.project),
      text: `amux budget, ${budgetText(state)}. amux budget set or remove changes it.`,
    }));
}
