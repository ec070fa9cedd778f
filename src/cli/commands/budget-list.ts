import { oneLine } from "../../lib/text/text.ts";
import { budgetText, type BudgetState } from "../../limits/budget-check.ts";
import { budgetJson, checkedBudgets } from "../check-budgets.ts";
import type { Command } from "../command.ts";
import type { Output } from "../output.ts";

const command: Command = {
  name: "budget list",
  examples: [["amux budget list --json", "for a script"]],
  async run({ output }) {
    const states = await checkedBudgets();
    if (output.json) return output.writeJson(states.map(budgetJson));
    if (states.length === 0) return output.note("No budget is set. See amux budget set --help.");
    await output.write(budgetLines(states, output).map((line) => `${line}\n`));
  },
};

export default command;

const MARKS = { ok: "green", warn: "yellow", over: "red", unknown: "dim" } as const;

export function budgetLines(states: readonly BudgetState[], output: Output): string[] {
  return states.map((state) => {
    const { share, level, budget } = state;
    const percent = share === undefined ? "–" : `${Math.round(share)}%`;
    const stops = budget.stops ? (level === "over" ? ", stops sessions" : ", will stop sessions") : "";
    return `${output.style(MARKS[level], percent.padStart(5))}  ${oneLine(budgetText(state))}${stops}`;
  });
}
