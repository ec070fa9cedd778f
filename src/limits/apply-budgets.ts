/** What follows from a check of budgets: the hooks stop sessions, and the attention list warns. */
import { shellWord } from "../lib/text/shell-word.ts";
import { optional } from "../lib/values/optional.ts";
import { budgetText, stopsOf, type BudgetState } from "./budget-check.ts";
import { writeStops } from "./budget-stops.ts";
import { warningId, writeWarnings, type StoredWarning } from "./budget-warnings.ts";
import { isWindow, readBudgets, type Budget } from "./budgets.ts";

/** Leaves out the budgets that were changed or removed during the check. */
export function applyBudgets(home: string, states: readonly BudgetState[], now: number): void {
  const set = new Set(readBudgets(home).map((budget) => JSON.stringify(budget)));
  const valid = states.filter(({ budget }) => set.has(JSON.stringify(budget)));
  writeStops(home, stopsOf(valid), now);
  writeWarnings(home, warningsOf(valid, now), now);
}

/** One for each budget, however many sessions or accounts used it up. */
function warningsOf(states: readonly BudgetState[], now: number): StoredWarning[] {
  const byBudget = new Map<Budget, (BudgetState & { level: "warn" | "over" })[]>();
  for (const state of states) {
    const { budget, level } = state;
    if (level !== "warn" && level !== "over") continue;
    byBudget.set(budget, [...(byBudget.get(budget) ?? []), { ...state, level }]);
  }
  return [...byBudget].map(([budget, all]) => {
    const { per, project, stops } = budget;
    // The most used one comes first.
    const level = all[0]!.level;
    const same = all.filter((state) => state.level === level);
    const ends = same.map(({ until = Infinity }) => until);
    const more = same.length === 1 ? "" : `, and ${same.length - 1} more`;
    const stopping = stops && level === "over" ? " It stops sessions." : "";
    return {
      id: warningId(per, project),
      name: budgetName(budget),
      level,
      text: `${budgetText(same[0]!)}${more}.${stopping} To raise it: ${raiseCommand(budget)}`,
      since: now,
      ...optional("until", Math.max(...ends) === Infinity ? undefined : Math.max(...ends)),
      ...optional("project", project),
      users: same.flatMap(({ session, agent, account }) => session ?? (agent ? `${agent} ${account ?? ""}` : [])),
    };
  });
}

const NAMES: Record<string, string> = {
  session: "Budget for a session",
  project: "Budget for a project",
  day: "Budget for today",
  week: "Budget for this week",
};

function budgetName({ per }: Budget): string {
  return NAMES[per] ?? `Budget for the ${per} limit`;
}

/** Setting a budget replaces all of it, so that the command has its options too. */
function raiseCommand({ per, project, warnPercent, stops }: Budget): string {
  const words = [
    `amux budget set ${shellWord(per)} ${isWindow(per) ? "PERCENT%" : "DOLLARS"}`,
    ...(project === undefined ? [] : [`--project ${shellWord(project)}`]),
    ...(warnPercent === 80 ? [] : [`--warn ${warnPercent}`]),
    ...(stops ? ["--stop"] : []),
  ];
  return words.join(" ");
}
