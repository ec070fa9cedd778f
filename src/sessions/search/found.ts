/** Sessions that were found, or may have been: put in order, confirmed by reading where needed, copies folded. */
import type { NativeSearchHit, SessionHead, SessionSource } from "../../agents/adapter.ts";
import { Breather } from "../../lib/breathe.ts";
import type { Catalog } from "../catalog.ts";
import { Families } from "./copies.ts";
import type { Findings } from "./matcher.ts";

export interface Found {
  catalog: Catalog;
  source: SessionSource;
  unifiedId: string;
  /** Undefined when its files are gone by now. */
  head(): SessionHead | undefined;
  /** By which copies are known; numbers only where all that were found have such. */
  family: readonly string[] | Int32Array;
  updatedMs: number;
  score: number;
  /** Undefined until the session was read. */
  findings?: Findings | undefined;
  /** What the agent's own index said of it. */
  native?: NativeSearchHit;
  /** Whether it is found for certain; otherwise reading decides. */
  certain: boolean;
}

/** By a number, the greatest first. */
export type Order = (found: Found) => number;

export const NEWEST_FIRST: Order = ({ updatedMs }) => updatedMs;
export const BEST_FIRST: Order = ({ score }) => score;

function compare(a: Found, b: Found, order: Order): number {
  const difference = order(b) - order(a) || b.score - a.score || b.updatedMs - a.updatedMs;
  return difference || (a.unifiedId < b.unifiedId ? -1 : 1);
}

export interface Settled {
  found: Found;
  findings: Findings | undefined;
  /** Other sessions of its chain that were found, too. */
  copies: number;
}

export interface SettleOptions {
  order: Order;
  limit: number;
  fold: boolean;
  /** Whether those that are certain are read as well, for their places. */
  read: boolean;
  /** Reads the session; undefined when it is not found after all. */
  examine(found: Found): Findings | undefined;
}

/**
 * The first `limit` of these. Each one that is given is read, for its places; of the others only those that could be copies
 * of them and are not certain.
 */
export async function settle(
  all: readonly Found[],
  { order, limit, fold, read, examine }: SettleOptions,
): Promise<Settled[]> {
  const families = new Families();
  const numbers = new Map<Found, number>();
  for (const found of fold ? all : []) {
    const { family } = found;
    if (family.length > 0) numbers.set(found, families.add(found.catalog.adapter.name, family));
  }
  const familyOf = (found: Found): number | undefined => {
    const number = numbers.get(found);
    return number === undefined ? undefined : families.rootOf(number);
  };
  const byFamily = new Map<number, Settled>();
  const settled: Settled[] = [];
  const breather = new Breather();
  for (const found of inOrder(all, order, limit, () => settled.length >= limit)) {
    const family = familyOf(found);
    const first = family === undefined ? undefined : byFamily.get(family);
    if (first === undefined && settled.length >= limit) {
      if (byFamily.size === 0) break;
      continue;
    }
    let { findings } = found;
    if (findings === undefined && !(found.certain && (first || !read))) {
      findings = examine(found);
      await breather.breathe();
      if (findings === undefined) continue;
    }
    if (first) first.copies++;
    else {
      const one = { found, findings, copies: 0 };
      settled.push(one);
      if (family !== undefined) byFamily.set(family, one);
    }
  }
  return settled;
}

/** As many times more than are wanted are put in order at first: some will be copies, or not found after all. */
const SPARE = 4;

/** The value that as many are not less than as this says (Hoare's selection). The values are moved about. */
function nthGreatest(values: Float64Array, count: number): number {
  const wanted = count - 1;
  for (let low = 0, high = values.length - 1; low < high;) {
    const pivot = values[(low + high) >> 1]!;
    let [left, right] = [low, high];
    while (left <= right) {
      while (values[left]! > pivot) left++;
      while (values[right]! < pivot) right--;
      if (left > right) break;
      [values[left], values[right]] = [values[right]!, values[left]!];
      left++;
      right--;
    }
    if (wanted <= right) high = right;
    else if (wanted >= left) low = left;
    else break;
  }
  return values[wanted]!;
}

/** All of them in order; but once there are enough, the rest as it comes. */
function* inOrder(all: readonly Found[], order: Order, wanted: number, isEnough: () => boolean): Generator<Found> {
  const many = SPARE * wanted;
  const least = all.length > 2 * many ? nthGreatest(Float64Array.from(all, order), many) : undefined;
  const first = least === undefined ? [...all] : all.filter((found) => order(found) >= least);
  yield* first.sort((a, b) => compare(a, b, order));
  if (least === undefined) return;
  const rest = all.filter((found) => order(found) < least);
  yield* isEnough() ? rest : rest.sort((a, b) => compare(a, b, order));
}
