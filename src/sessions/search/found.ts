/** Sessions that were found, or may have been: put in order, confirmed by reading where needed, copies folded. */
import type { NativeSearchHit, SessionHead, SessionSource } from "../../agents/adapter.ts";
import { Breather } from "../../lib/breathe.ts";
import type { Catalog } from "../catalog.ts";
import { Families } from "./copies.ts";
import type { Findings } from "./matcher.ts";
import type { MessageMap } from "./message-map.ts";

export interface Found {
  catalog: Catalog;
  source: SessionSource;
  unifiedId: string;
  /** Undefined when its files are gone by now. */
  head(): SessionHead | undefined;
  /** Where its messages lie, if the index has told that. */
  map?(): MessageMap | undefined;
  /** By which copies are known. */
  family: readonly string[];
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

export function compare(a: Found, b: Found, order: Order): number {
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

/** All that were found or may have been. */
export interface FoundSet {
  all(): readonly Found[];
  /** In order; `wanted`: how many are, more or less. */
  inOrder(order: Order, wanted: number): Iterable<Found>;
  /** Which of these are copies of each other. */
  families(): FamiliesOfFound;
}

export interface FamiliesOfFound {
  /** Undefined for one that is no copy of any, as far as is known. */
  familyOf(found: Found): number | undefined;
  /** All of a family. */
  members(family: number): Iterable<Found>;
}

/**
 * The first `limit` of these. Each one that is given is read, for its places; of the others only those that could be copies
 * of them and are not certain.
 */
export async function settle(set: FoundSet, { order, limit, fold, read, examine }: SettleOptions): Promise<Settled[]> {
  const families = fold ? set.families() : undefined;
  const done = new Set<number>();
  /** Read, and not found. */
  const refuted = new Set<Found>();
  const settled: Settled[] = [];
  const breather = new Breather();
  for (const found of set.inOrder(order, limit)) {
    if (settled.length >= limit) break;
    const family = families?.familyOf(found);
    if (family !== undefined && done.has(family)) continue;
    let { findings } = found;
    if (findings === undefined && !(found.certain && !read)) {
      findings = examine(found);
      await breather.breathe();
      if (findings === undefined) {
        refuted.add(found);
        continue;
      }
    }
    const one: Settled = { found, findings, copies: 0 };
    settled.push(one);
    if (family === undefined) continue;
    done.add(family);
    for (const other of families!.members(family)) {
      if (other === found || refuted.has(other)) continue;
      if (other.certain || other.findings || examine(other)) one.copies++;
      await breather.breathe();
    }
  }
  return settled;
}

/** As many times more than are wanted are put in order at first: some will be copies, or not found after all. */
export const SPARE = 4;

/** Of whatever kinds. */
export class ListedFound implements FoundSet {
  readonly #all: readonly Found[];

  constructor(all: readonly Found[]) {
    this.#all = all;
  }

  all(): readonly Found[] {
    return this.#all;
  }

  *inOrder(order: Order, wanted: number): Generator<Found> {
    const all = this.#all;
    const many = SPARE * wanted;
    const least = all.length > 2 * many ? nthGreatest(Float64Array.from(all, order), many) : undefined;
    const first = least === undefined ? [...all] : all.filter((found) => order(found) >= least);
    yield* first.sort((a, b) => compare(a, b, order));
    if (least !== undefined) yield* all.filter((found) => order(found) < least).sort((a, b) => compare(a, b, order));
  }

  families(): FamiliesOfFound {
    const families = new Families();
    const numbers = new Map<Found, number>();
    for (const found of this.#all) {
      if (found.family.length > 0) numbers.set(found, families.add(found.catalog.adapter.name, found.family));
    }
    const familyOf = (found: Found): number | undefined => {
      const number = numbers.get(found);
      return number === undefined ? undefined : families.rootOf(number);
    };
    return { familyOf, members: (family) => this.#all.filter((found) => familyOf(found) === family) };
  }
}

/** The value that as many are not less than as this says (Hoare's selection). The values are moved about. */
export function nthGreatest(values: Float64Array, count: number): number {
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
