/** Budgets that the user set: `budgets.json` in amux's home. */
import { join } from "node:path";
import { AgentMuxError } from "../core/errors.ts";
import { writeFileAtomic } from "../lib/fs/atomic-file.ts";
import { settingsText } from "../lib/fs/foreign-file.ts";
import { ensurePrivateDirectory } from "../lib/fs/private-directory.ts";
import { withLock } from "../lib/fs/with-lock.ts";
import { asArray, asNumber, asObject, asText } from "../lib/json/fields.ts";
import { parseJson } from "../lib/json/json.ts";
import { optional } from "../lib/values/optional.ts";

/** Dollars for each session, for a project, or for all sessions of a day or a week. */
export const SPANS = ["session", "project", "day", "week"] as const;

export interface Budget {
  /** One of `SPANS`, or a window of a usage limit: `5h`, `7d`. */
  per: string;
  /** Dollars; for a window, percent of the limit. */
  amount: number;
  /** Counts only sessions below this directory. */
  project?: string;
  /** Warns from this share on. */
  warnPercent: number;
  /** Stops sessions through the agent's hook when it is used up. */
  stops: boolean;
}

/** Enough to set one for every project. */
const MAX_BUDGETS = 200;

/** Another process needs some milliseconds. */
const PATIENCE_MS = 2000;

export function isWindow(per: string): boolean {
  return !(SPANS as readonly string[]).includes(per);
}

/** Throws if the file is not as amux wrote it: a budget that is silently ignored is none. */
export function readBudgets(home: string): Budget[] {
  const path = join(home, "budgets.json");
  const text = settingsText(path);
  if (text === undefined) return [];
  const budgets = asArray(parseJson(text))?.map(budgetFrom);
  if (budgets === undefined || budgets.length > MAX_BUDGETS || budgets.includes(undefined)) {
    throw new AgentMuxError("CONFIG_ERROR", `${path} is not a list of budgets. Remove it and set them again.`);
  }
  return budgets as Budget[];
}

/** Replaces the budget for the same span and project. */
export function setBudget(home: string, budget: Budget): void {
  locked(home, () => {
    const others = readBudgets(home).filter((other) => !isSameBudget(other, budget));
    if (others.length >= MAX_BUDGETS)
      throw new AgentMuxError("VALIDATION_ERROR", `There are ${MAX_BUDGETS} budgets already. Remove one first.`);
    write(home, [...others, budget]);
  });
}

/** False if there was none. */
export function removeBudget(home: string, span: Pick<Budget, "per" | "project">): boolean {
  return locked(home, () => {
    const budgets = readBudgets(home);
    const kept = budgets.filter((budget) => !isSameBudget(budget, span));
    if (kept.length < budgets.length) write(home, kept);
    return kept.length < budgets.length;
  });
}

function locked<T>(home: string, work: () => T): T {
  ensurePrivateDirectory(home);
  const done = withLock(join(home, "budgets.json.lock"), PATIENCE_MS, work);
  if (done === undefined)
    throw new AgentMuxError("CONFIG_LOCK_ERROR", "Another process changes the budgets just now. Try again.");
  return done.result;
}

export function isSameBudget(a: Pick<Budget, "per" | "project">, b: Pick<Budget, "per" | "project">): boolean {
  return a.per === b.per && a.project === b.project;
}

function write(home: string, budgets: readonly Budget[]): void {
  writeFileAtomic(join(home, "budgets.json"), `${JSON.stringify(budgets, null, 2)}\n`);
}

function budgetFrom(value: unknown): Budget | undefined {
  const fields = asObject(value);
  const [per, amount] = [asText(fields?.["per"]), asNumber(fields?.["amount"])];
  const warnPercent = asNumber(fields?.["warnPercent"]);
  if (fields === undefined || per === undefined || amount === undefined || warnPercent === undefined) return undefined;
  if (amount <= 0) return undefined;
  const project = optional("project", asText(fields["project"]));
  return { per, amount, ...project, warnPercent, stops: fields["stops"] === true };
}
