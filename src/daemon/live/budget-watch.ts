/** Checks budgets every minute while any is set. Stores which sessions hooks must stop, and notifies the user once per step. */
import { agentReadings } from "../../agents/account-limits.ts";
import type { AgentRegistry } from "../../agents/registry.ts";
import type { CostSummary } from "../../core/cost.ts";
import { amuxHome, type PathEnv } from "../../lib/fs/paths.ts";
import { budgetText, checkBudgets, stopsOf, type AskCost, type BudgetState } from "../../limits/budget-check.ts";
import { writeStops } from "../../limits/budget-stops.ts";
import { isWindow, readBudgets } from "../../limits/budgets.ts";
import { recordedLimits } from "../../limits/limits-file.ts";
import { limitStandings } from "../../limits/standing.ts";
import type { Notifier } from "../../status/notifier.ts";
import type { FileService } from "../files/file-service.ts";

export interface BudgetWatchParts {
  env: PathEnv;
  registry: AgentRegistry;
  files: Pick<FileService, "read">;
  notifier: Pick<Notifier, "tell"> | undefined;
}

export class BudgetWatch {
  readonly #parts: BudgetWatchParts;
  /** The level that was notified, by budget and session. */
  readonly #told = new Map<string, string>();

  #states: BudgetState[] = [];

  constructor(parts: BudgetWatchParts) {
    this.#parts = parts;
  }

  /** Of the last look. */
  get states(): readonly BudgetState[] {
    return this.#states;
  }

  async look(now = Date.now()): Promise<void> {
    const { env, registry, files } = this.#parts;
    const home = amuxHome(env);
    const budgets = readBudgets(home);
    if (budgets.length === 0) {
      this.#states = [];
      return;
    }
    const needsLimits = budgets.some(({ per }) => isWindow(per));
    const { readings } = needsLimits ? await agentReadings(registry, env, now) : { readings: [] };
    const standings = needsLimits ? limitStandings([...recordedLimits(home, now), ...readings], now) : [];
    const states = await checkBudgets(budgets, costOf(files), standings, now);
    writeStops(home, stopsOf(states), now);
    this.#states = states;
    this.#tell(states);
  }

  #tell(states: readonly BudgetState[]): void {
    const before = new Map(this.#told);
    this.#told.clear();
    for (const state of states) {
      const { budget, level, session } = state;
      if (level !== "warn" && level !== "over") continue;
      const key = JSON.stringify([budget, session]);
      this.#told.set(key, level);
      const title = level === "over" ? "A budget is used up" : "A budget is nearly used up";
      if (before.get(key) !== level) this.#parts.notifier?.tell(title, budgetText(state));
    }
  }
}

function costOf(files: Pick<FileService, "read">): AskCost {
  return async (options) => {
    let text = "";
    for await (const piece of files.read({ kind: "cost", options, explain: false })) text += piece;
    return JSON.parse(text) as CostSummary;
  };
}
