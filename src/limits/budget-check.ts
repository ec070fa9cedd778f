/** Compares budgets with what was spent. */
import type { CostBreakdown, CostSummary } from "../core/cost.ts";
import { splitUnifiedId } from "../core/unified-id.ts";
import { optional } from "../lib/values/optional.ts";
import { parseDateRange, type DateRange } from "../lib/values/typed-date.ts";
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
  /** Whose limit it is, for a budget of a usage limit. */
  agent?: string;
  account?: string;
  /** There are others, so that the text names this one. */
  isOneOfSeveral?: boolean;
  /** End of the period it counts, in milliseconds since the epoch; absent if it has none. */
  until?: number;
}

/** A session without cost for this long is over: a budget for each session no longer looks at it. */
const ACTIVE_MS = 24 * 3_600_000;

export type AskCost = (query: { since?: Date; groupBy: ("project" | "session")[] }) => Promise<CostSummary>;

export async function checkBudgets(
  budgets: readonly Budget[],
  ask: AskCost,
  standings: readonly LimitStanding[],
  now: number,
): Promise<BudgetState[]> {
  const costs = new Map<string, Promise<CostSummary>>();
  const askOnce: AskCost = (query) => {
    const key = JSON.stringify(query);
    const cost = costs.get(key) ?? ask(query);
    costs.set(key, cost);
    return cost;
  };
  const statesOf = async (budget: Budget): Promise<BudgetState[]> => {
    if (isWindow(budget.per)) return windowStates(budget, standings);
    const spent = await askOnce(queryOf(budget, now));
    if (budget.per !== "session")
      return [{ ...spentState(budget, spent), ...optional("until", periodOf(budget, now)?.to) }];
    const late = await askOnce({ since: new Date(now - ACTIVE_MS), groupBy: BY_SESSION });
    return sessionStates(budget, spent, late).map((state) => ({ ...state, until: now + ACTIVE_MS }));
  };
  return (await Promise.all(budgets.map(statesOf))).flat();
}

const BY_SESSION: ("project" | "session")[] = ["project", "session"];

function periodOf({ per }: Budget, now: number): DateRange | undefined {
  const span = per === "day" ? "today" : per === "week" ? "this week" : undefined;
  return span === undefined ? undefined : parseDateRange(span, new Date(now));
}

function queryOf(budget: Budget, now: number): Parameters<AskCost>[0] {
  const { per, project } = budget;
  const from = periodOf(budget, now)?.from;
  return {
    ...optional("since", from === undefined ? undefined : new Date(from)),
    groupBy: per === "session" ? BY_SESSION : project === undefined ? [] : ["project"],
  };
}

function spentState(budget: Budget, { totalUsd, breakdowns }: CostSummary): BudgetState {
  return stateOf(budget, budget.project === undefined ? totalUsd : sumOf(inside(budget, breakdowns)));
}

/** The whole cost of each session that is active, if it is urgent; of the most expensive one, if none is. */
function sessionStates(budget: Budget, all: CostSummary, late: CostSummary): BudgetState[] {
  const rowsOf = (cost: CostSummary): CostBreakdown[] =>
    inside(budget, cost.breakdowns).flatMap(({ breakdowns = {} }) => Object.values(breakdowns));
  const active = new Set(rowsOf(late).map(({ key }) => key));
  const states = rowsOf(all)
    .filter(({ key }) => active.has(key))
    .map(({ key, totalUsd }) => ({ ...stateOf(budget, totalUsd), session: key }));
  return urgentOf(states) ?? [stateOf(budget, 0)];
}

function inside({ project }: Budget, breakdowns: CostSummary["breakdowns"] = {}): CostBreakdown[] {
  return Object.values(breakdowns).filter(({ key }) => project === undefined || isBelow(key, project));
}

/** Each account has its own limit. */
function windowStates(budget: Budget, standings: readonly LimitStanding[]): BudgetState[] {
  const own = standings.filter(({ window, isReset }) => window === budget.per && !isReset);
  const states = own.map(({ agent, account, usedPercent, resetsAt }) => ({
    ...stateOf(budget, usedPercent),
    agent,
    ...optional("account", account),
    ...optional("until", resetsAt),
    ...(own.length > 1 ? { isOneOfSeveral: true } : {}),
  }));
  return urgentOf(states) ?? [{ budget, level: "unknown" }];
}

/** Most used first; undefined if there are none. */
function urgentOf(states: BudgetState[]): BudgetState[] | undefined {
  const [most] = states.sort((a, b) => (b.used ?? 0) - (a.used ?? 0));
  const urgent = states.filter(({ level }) => level !== "ok");
  return urgent.length > 0 ? urgent : most && [most];
}

function stateOf(budget: Budget, used: number): BudgetState {
  const share = (100 * used) / budget.amount;
  return { budget, used, share, level: share >= 100 ? "over" : share >= budget.warnPercent ? "warn" : "ok" };
}

function sumOf(rows: readonly CostBreakdown[]): number {
  return rows.reduce((sum, { totalUsd }) => sum + totalUsd, 0);
}

/** `today in ~/dev/shop: $20.31 of $20 used`. */
export function budgetText(state: BudgetState): string {
  const { budget, used, session, agent, account, isOneOfSeveral } = state;
  const { per, amount, project } = budget;
  const whose = isOneOfSeveral ? ` of ${[agent, account].filter((word) => word !== undefined).join(" ")}` : "";
  const spans: Record<string, string> = { session: "session", project: "project", day: "today", week: "this week" };
  const span = spans[per] ?? `${per} limit${whose}`;
  const what = `${span}${session === undefined ? "" : ` ${session}`}${project === undefined ? "" : ` in ${project}`}`;
  if (used === undefined) return `${what}: unknown`;
  const figure = (value: number): string => (isWindow(per) ? `${Math.round(value)}%` : `$${value.toFixed(2)}`);
  return `${what}: ${figure(used)} of ${figure(amount)} used`;
}

export function stopsOf(states: readonly BudgetState[]): BudgetStop[] {
  return states.flatMap((state) => {
    const { budget, level, session, agent, account } = state;
    const own = session === undefined ? undefined : splitUnifiedId(session);
    // Without its id, a session's stop would hold for all.
    if (!budget.stops || level !== "over" || own === null) return [];
    return [
      {
        ...optional("agent", own?.agent ?? agent),
        ...optional("account", account),
        ...optional("session", own?.nativeSessionId),
        ...optional("project", budget.project),
        text: `amux budget, ${budgetText(state)}. amux budget set or remove changes it.`,
      },
    ];
  });
}
