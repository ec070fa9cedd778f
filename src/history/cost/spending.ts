/**
 * Spending of sessions, summed per quarter of an hour, model, kind and place. Days start on a quarter of an hour in every time
 * zone, so any report can be made from these sums.
 */
import type { TokenCounts } from "../../core/cost.ts";
import { addTokens } from "../../core/tokens.ts";
import type { CostItem } from "./cost-item.ts";

/** A sum of one session, without names of sub-agents. */
export interface Spending extends Omit<CostItem, "agent" | "sessionId"> {
  /** Time of the last request; `at` is that of the first. */
  to: number | undefined;
  tokens: TokenCounts;
}

const QUARTER_MS = 900_000;
/** How many recent sums are searched for one to add to. */
const LOOK_BACK = 8;

export function spendingOf(items: Iterable<CostItem>): Spending[] {
  const sums: Spending[] = [];
  for (const item of items) {
    const sum = sums.slice(-LOOK_BACK).findLast((other) => areAlike(other, item));
    if (sum) add(sum, item, item.at);
    else sums.push(begun(item, item.at));
  }
  return sums;
}

/** Sums by kind only, for reports without models, places or times. */
export function spendingByKind(spending: readonly Spending[]): Spending[] {
  const sums: Spending[] = [];
  for (const { kind, subagent, tokens, nanoUsd, requests } of spending) {
    const one = { ...NOWHERE, kind, subagent, tokens, nanoUsd, requests };
    const sum = sums.find((other) => kind === other.kind && subagent === other.subagent);
    if (sum) add(sum, one, undefined);
    else sums.push(begun(one));
  }
  return sums;
}

const NOWHERE = { at: undefined, model: undefined, cwd: undefined, branch: undefined };

function areAlike(sum: Spending, item: CostItem): boolean {
  return (
    sum.model === item.model &&
    sum.kind === item.kind &&
    sum.cwd === item.cwd &&
    sum.branch === item.branch &&
    (sum.subagent === undefined) === (item.subagent === undefined) &&
    quarterOf(sum.at) === quarterOf(item.at)
  );
}

/** -1 for undated requests. */
function quarterOf(at: number | undefined): number {
  return at === undefined ? -1 : Math.floor(at / QUARTER_MS);
}

type Summed = Omit<CostItem, "agent" | "sessionId">;

function begun({ at, model, cwd, branch, subagent, tokens, nanoUsd, kind, requests }: Summed, to?: number): Spending {
  const helper = subagent === undefined ? undefined : "";
  return { at, to, model, cwd, branch, subagent: helper, tokens: { ...tokens }, nanoUsd, kind, requests };
}

function add(sum: Spending, { at, tokens, nanoUsd, requests }: Summed, to: number | undefined): void {
  if (at !== undefined && (sum.at === undefined || at < sum.at)) sum.at = at;
  if (to !== undefined && (sum.to === undefined || to > sum.to)) sum.to = to;
  sum.requests += requests;
  sum.nanoUsd += nanoUsd;
  addTokens(sum.tokens, tokens);
}

/** Whether the time lies inside the sum's range. */
export function straddles({ at, to }: Spending, moment: number): boolean {
  return at !== undefined && to !== undefined && at < moment && moment <= to;
}
