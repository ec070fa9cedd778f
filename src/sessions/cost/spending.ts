/**
 * What a session spent, summed over requests that are alike: of one quarter of an hour, one model, one kind, one place.
 * Days of every time zone begin on a quarter of an hour, so any report can be made from these sums.
 */
import type { CostKind, TokenCounts } from "../../core/cost.ts";
import { CostSum, type CostItem } from "./cost-item.ts";

const QUARTER_MS = 15 * 60_000;

export interface Spending {
  /** Of the first and the last request; undefined when they have no date. */
  from: number | undefined;
  to: number | undefined;
  model: string | undefined;
  cwd: string | undefined;
  branch: string | undefined;
  isSubagent: boolean;
  kind: CostKind;
  requests: number;
  nanoUsd: number;
  tokens: Readonly<TokenCounts>;
}

interface Sum {
  first: CostItem;
  from: number | undefined;
  to: number | undefined;
  sum: CostSum;
}

export function spendingOf(items: Iterable<CostItem>): Spending[] {
  const sums = new Map<string, Sum>();
  let found: Sum | undefined;
  for (const item of items) {
    const { at } = item;
    // Mostly it goes on where the request before it was.
    if (found === undefined || !isAlike(found.first, item)) {
      const key = keyOf(item);
      found = sums.get(key);
      if (found === undefined) sums.set(key, (found = { first: item, from: at, to: at, sum: new CostSum() }));
    }
    if (at !== undefined) {
      found.from = Math.min(found.from!, at);
      found.to = Math.max(found.to!, at);
    }
    found.sum.add(item);
  }
  return Array.from(sums.values(), ({ first, from, to, sum }) => ({
    from,
    to,
    model: first.model,
    cwd: first.cwd,
    branch: first.branch,
    isSubagent: first.subagent !== undefined,
    kind: first.kind,
    requests: sum.requests,
    nanoUsd: sum.nanoUsd,
    tokens: sum.tokens,
  }));
}

function keyOf({ at, model = "", kind, cwd = "", branch = "", subagent }: CostItem): string {
  return `${quarterOf(at)}\0${model}\0${kind}\0${cwd}\0${branch}\0${subagent === undefined ? "" : 1}`;
}

function isAlike(a: CostItem, b: CostItem): boolean {
  return (
    quarterOf(a.at) === quarterOf(b.at) &&
    a.model === b.model &&
    a.kind === b.kind &&
    a.cwd === b.cwd &&
    a.branch === b.branch &&
    (a.subagent === undefined) === (b.subagent === undefined)
  );
}

function quarterOf(at: number | undefined): number {
  return at === undefined ? -1 : Math.floor(at / QUARTER_MS);
}

/** For sums. Helpers have no names here: whose they are is only known request by request. */
export function itemOf(agent: string, sessionId: string, spending: Spending): CostItem {
  const { from, model, cwd, branch, isSubagent, tokens, nanoUsd, kind, requests } = spending;
  const subagent = isSubagent ? "" : undefined;
  return { agent, sessionId, at: from, model, cwd, branch, subagent, tokens, nanoUsd, kind, requests };
}

/** Some of its requests are before a moment and some after it. */
export function straddles({ from, to }: Spending, moment: number): boolean {
  return from !== undefined && to !== undefined && from < moment && moment <= to;
}

const KINDS: readonly CostKind[] = ["reported", "computed", "lower-bound", "unpriced", "unknown"];

/** Texts once, then a row of numbers for each sum; -1 stands for no text, null for no date. */
export type PackedSpending = [texts: string[], ...rows: (number | null)[][]];

export function pack(all: readonly Spending[]): PackedSpending {
  const texts = new Map<string, number>();
  const numberOf = (text: string | undefined): number => {
    if (text === undefined) return -1;
    let number = texts.get(text);
    if (number === undefined) texts.set(text, (number = texts.size));
    return number;
  };
  const rows = all.map((each) => [
    each.from ?? null,
    each.from === undefined ? null : each.to! - each.from,
    numberOf(each.model),
    numberOf(each.cwd),
    numberOf(each.branch),
    each.isSubagent ? 1 : 0,
    KINDS.indexOf(each.kind),
    each.requests,
    each.nanoUsd,
    each.tokens.input,
    each.tokens.cached,
    each.tokens.cacheWrite,
    each.tokens.cacheWrite1h,
    each.tokens.output,
    each.tokens.thinking,
  ]);
  return [[...texts.keys()], ...rows];
}

export function unpack([texts, ...rows]: PackedSpending): Spending[] {
  return rows.map((row) => {
    const [from, length, model, cwd, branch, isSubagent, kind, requests, nanoUsd, ...tokens] = row as number[];
    return {
      from: from ?? undefined,
      to: from === null ? undefined : from! + length!,
      model: texts[model!],
      cwd: texts[cwd!],
      branch: texts[branch!],
      isSubagent: isSubagent === 1,
      kind: KINDS[kind!]!,
      requests: requests!,
      nanoUsd: nanoUsd!,
      tokens: {
        input: tokens[0]!,
        cached: tokens[1]!,
        cacheWrite: tokens[2]!,
        cacheWrite1h: tokens[3]!,
        output: tokens[4]!,
        thinking: tokens[5]!,
      },
    };
  });
}
