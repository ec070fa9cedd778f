/** Checks budgets every minute while any is set: tells the hooks which sessions to stop, and the attention list what to warn of. */
import type { CostSummary } from "../../core/cost.ts";
import { amuxHome, type PathEnv } from "../../lib/fs/paths.ts";
import { applyBudgets } from "../../limits/apply-budgets.ts";
import { checkBudgets, type AskCost, type BudgetState } from "../../limits/budget-check.ts";
import { isWindow, readBudgets } from "../../limits/budgets.ts";
import type { AskUsers } from "../../limits/limit-users.ts";
import type { KnownLimits } from "../../limits/known-limits.ts";
import type { FileService } from "../files/file-service.ts";
import type { HistoryRequest } from "../files/history-request.ts";

type Files = Pick<FileService, "read">;

export interface BudgetWatchParts {
  env: PathEnv;
  files: Files;
}

export class BudgetWatch {
  readonly #files: Files;
  readonly #home: string;
  #states: BudgetState[] = [];
  #running: Promise<void> | undefined;

  constructor({ env, files }: BudgetWatchParts) {
    this.#files = files;
    this.#home = amuxHome(env);
  }

  /** Of the last look. */
  get states(): readonly BudgetState[] {
    return this.#states;
  }

  /** One at a time: of two, the one that read older figures could end last. */
  look(now = Date.now()): Promise<void> {
    this.#running ??= this.#look(now).finally(() => (this.#running = undefined));
    return this.#running;
  }

  async #look(now: number): Promise<void> {
    const files = this.#files;
    const budgets = readBudgets(this.#home);
    const needsLimits = budgets.some(({ per }) => isWindow(per));
    const { standings } = needsLimits ? await limitsFrom(files) : { standings: [] };
    const states = await checkBudgets(budgets, costFrom(files), standings, now);
    applyBudgets(this.#home, states, now);
    this.#states = states;
  }
}

export function costFrom(files: Files, titled = false): AskCost & AskUsers {
  return async (options) => (await answer(files, { kind: "cost", options, titled, explain: false })) as CostSummary;
}

export async function limitsFrom(files: Files): Promise<KnownLimits> {
  return (await answer(files, { kind: "limits" })) as KnownLimits;
}

async function answer(files: Files, request: HistoryRequest): Promise<unknown> {
  let text = "";
  for await (const piece of files.read(request)) text += piece;
  return JSON.parse(text);
}
