import { resolve } from "node:path";
import { amuxHome, processEnv, workingDirectory } from "../../lib/fs/paths.ts";
import { optional } from "../../lib/values/optional.ts";
import { isSameBudget, isWindow, setBudget, SPANS, type Budget } from "../../limits/budgets.ts";
import { checkedBudgets } from "../check-budgets.ts";
import { budgetLines } from "./budget-list.ts";
import { usageError, type ArgumentSpec, type Command, type Invocation, type OptionSpec } from "../command.ts";

const WARN_PERCENT = 80;

export const SPAN_ARGUMENT: ArgumentSpec = {
  name: "span",
  description: "session, project, day, week, or a usage limit's window (5h, 7d)",
  completes: [...SPANS, "5h", "7d"],
};

export const PROJECT_OPTION: OptionSpec = {
  name: "project",
  value: "dir",
  description: "only sessions in this directory and below; for project, default: here",
};

const command: Command = {
  name: "budget set",
  description:
    "Sets a budget in dollars (API list prices), or in percent of a usage limit. amux warns from 80% on: in amux attention, amux budget list, amux cost report --budget and the daemon's notifications. With --stop, a used-up budget stops Claude Code and Codex through their hooks. The hooks refuse prompts. Claude Code also ends the turn after the current tool; Codex cannot. No program is killed. Stopping needs the hooks, a session in amux or tmux, and a running daemon. Without them, sessions continue.",
  arguments: [SPAN_ARGUMENT, { name: "amount", description: "dollars (20), or percent of the limit (80%)" }],
  options: [
    PROJECT_OPTION,
    { name: "warn", value: "percent", description: `warn from this share on (default ${WARN_PERCENT})` },
    { name: "stop", description: "stop sessions through their hook when it is used up" },
  ],
  examples: [
    ["amux budget set day 20", "warn at $16 a day"],
    ["amux budget set session 5 --stop", "stop a session of Claude Code or Codex at $5"],
    ["amux budget set week 100 --project ~/dev/shop", "one project's week"],
    ["amux budget set 5h 90% --stop", "keep a tenth of the five-hour limit"],
  ],
  async run(invocation) {
    const budget = budgetOf(invocation);
    setBudget(amuxHome(processEnv()), budget);
    const states = (await checkedBudgets()).filter((state) => isSameBudget(state.budget, budget));
    const { output } = invocation;
    if (output.json) {
      const { warnPercent, ...fields } = budget;
      return output.writeJson({ ...fields, warn_percent: warnPercent });
    }
    await output.write(budgetLines(states, output).map((line) => `${line}\n`));
    output.note(whatHappens(budget));
  },
};

export default command;

function whatHappens({ per, amount, warnPercent, stops }: Budget): string {
  const figure = (value: number): string =>
    isWindow(per) ? `${Math.round(value)}% of the limit` : `$${value.toFixed(2)}`;
  const warning = `amux warns at ${figure((amount * warnPercent) / 100)}`;
  if (!stops) return `${warning} and stops nothing.`;
  return `${warning}. At ${figure(amount)}, Claude Code and Codex in amux or tmux refuse prompts, and Claude Code ends its turn after the current tool. This needs their hooks and the daemon. Other agents are only warned about.`;
}

function budgetOf(invocation: Invocation): Budget {
  const [, amount = ""] = invocation.arguments;
  const span = spanOf(invocation);
  const [, figure, percent] = /^\$?(\d{1,7}(?:\.\d{1,2})?)(%?)$/.exec(amount) ?? [];
  if (figure === undefined || Number(figure) === 0)
    throw usageError(`An amount is dollars like 20 or 7.50, or a percentage like 80%, not "${amount}".`);
  if (isWindow(span.per) !== (percent === "%"))
    throw usageError(
      isWindow(span.per)
        ? `For a usage limit give a percentage: ${figure}%.`
        : `For ${span.per}, give dollars: ${figure}.`,
    );
  const warnPercent = invocation.count("warn") ?? WARN_PERCENT;
  return { ...span, amount: Number(figure), warnPercent, stops: invocation.flag("stop") };
}

export function spanOf(invocation: Invocation): Pick<Budget, "per" | "project"> {
  const [per = ""] = invocation.arguments;
  if (isWindow(per) && !/^\d{1,3}[mhd](?: \w{1,20})?$/.test(per))
    throw usageError(`A span is ${SPANS.join(", ")}, or a window of a usage limit like 5h or 7d, not "${per}".`);
  const named = invocation.text("project");
  if (named !== undefined && isWindow(per)) throw usageError("A usage limit belongs to an account, not to a project.");
  const project = named ?? (per === "project" ? "." : undefined);
  return { per, ...optional("project", project === undefined ? undefined : resolve(workingDirectory(), project)) };
}
