/** Checks budgets every minute while any is set: tells the hooks which sessions to stop, and notifies the user once for each step. */
import { createHash } from "node:crypto";
import { join } from "node:path";
import type { CostSummary } from "../../core/cost.ts";
import { writeFileAtomic } from "../../lib/fs/atomic-file.ts";
import { codeOf } from "../../lib/fs/directory.ts";
import { readText } from "../../lib/fs/foreign-file.ts";
import { amuxHome, type PathEnv } from "../../lib/fs/paths.ts";
import { parseObject } from "../../lib/json/json.ts";
import { applyStops, budgetText, checkBudgets, type AskCost, type BudgetState } from "../../limits/budget-check.ts";
import { isWindow, readBudgets } from "../../limits/budgets.ts";
import type { KnownLimits } from "../../limits/known-limits.ts";
import type { Notifier } from "../../status/notifier.ts";
import type { FileService } from "../files/file-service.ts";
import type { HistoryRequest } from "../files/history-request.ts";

type Files = Pick<FileService, "read">;

export interface BudgetWatchParts {
  env: PathEnv;
  files: Files;
  notifier: Pick<Notifier, "tell"> | undefined;
}

export class BudgetWatch {
  readonly #parts: BudgetWatchParts;
  readonly #home: string;
  #states: BudgetState[] = [];
  #running: Promise<void> | undefined;

  constructor(parts: BudgetWatchParts) {
    this.#parts = parts;
    this.#home = amuxHome(parts.env);
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
    const { files } = this.#parts;
    const budgets = readBudgets(this.#home);
    const needsLimits = budgets.some(({ per }) => isWindow(per));
    const { standings } = needsLimits ? await limitsFrom(files) : { standings: [] };
    const states = await checkBudgets(budgets, costFrom(files), standings, now);
    applyStops(this.#home, states, now);
    this.#states = states;
    this.#tell(states);
  }

  /** Remembered in a file: a restart of the daemon is no news. */
  #tell(states: readonly BudgetState[]): void {
    const path = join(this.#home, "budget-notices.json");
    const before = told(path);
    const urgent = states.filter(({ level }) => level === "warn" || level === "over");
    const after = Object.fromEntries(urgent.map((state) => [keyOf(state), state.level]));
    if (JSON.stringify(after) === JSON.stringify(before)) return;
    writeFileAtomic(path, `${JSON.stringify(after)}\n`);
    const news = new Map<string, BudgetState[]>();
    for (const state of urgent.filter((each) => before[keyOf(each)] !== each.level)) {
      const key = hashOf(JSON.stringify([state.budget.per, state.budget.project, state.level]));
      news.set(key, [...(news.get(key) ?? []), state]);
    }
    for (const [key, [first, ...more]] of news) {
      const title = first!.level === "over" ? "A budget is used up" : "A budget is nearly used up";
      const rest = more.length === 0 ? "" : `, and ${more.length} more`;
      this.#parts.notifier?.tell(`budget-${key}`, title, `${budgetText(first!)}${rest}`);
    }
  }
}

function keyOf({ budget, session, agent, account }: BudgetState): string {
  return hashOf(JSON.stringify([budget, session, agent, account]));
}

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
}

/** The notified level, by budget and who used it up. A damaged file is as good as none: something is told twice. */
function told(path: string): Readonly<Record<string, unknown>> {
  try {
    return parseObject(readText(path)) ?? {};
  } catch (error) {
    if (codeOf(error) === "ENOENT") return {};
    throw error;
  }
}

function costFrom(files: Files): AskCost {
  return async (options) => (await answer(files, { kind: "cost", options, explain: false })) as CostSummary;
}

export async function limitsFrom(files: Files): Promise<KnownLimits> {
  return (await answer(files, { kind: "limits" })) as KnownLimits;
}

async function answer(files: Files, request: HistoryRequest): Promise<unknown> {
  let text = "";
  for await (const piece of files.read(request)) text += piece;
  return JSON.parse(text);
}
