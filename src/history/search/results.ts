/** Sessions that were found, or may have been: put in order, confirmed by reading where needed, copies folded. */
import type { NativeSearchHit, SessionHead, SessionSource } from "../../agents/adapter.ts";
import { EventLoopYielder } from "../../lib/process/yield-to-event-loop.ts";
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
  const families = fold ? new FoundFamilies(all) : undefined;
  const done = new Set<readonly Found[]>();
  /** Read, and not found. */
  const refuted = new Set<Found>();
  const settled: Settled[] = [];
  const yielder = new EventLoopYielder();
  for (const found of all.toSorted((a, b) => compare(a, b, order))) {
    if (settled.length >= limit) break;
    const family = families?.around(found);
    if (family !== undefined && done.has(family)) continue;
    let { findings } = found;
    if (findings === undefined && !(found.certain && !read)) {
      findings = examine(found);
      await yielder.yieldIfDue();
      if (findings === undefined) {
        refuted.add(found);
        continue;
      }
    }
    const one: Settled = { found, findings, copies: 0 };
    settled.push(one);
    if (family === undefined) continue;
    done.add(family);
    for (const other of family) {
      if (other === found || refuted.has(other)) continue;
      if (other.certain || other.findings || examine(other)) one.copies++;
      await yielder.yieldIfDue();
    }
  }
  return settled;
}

class FoundFamilies {
  readonly #members = new Map<number, Found[]>();
  readonly #familyOf = new Map<Found, number>();

  constructor(all: readonly Found[]) {
    const families = new Families();
    const numbers = all.map((found) => families.add(found.catalog.adapter.name, found.family));
    for (const [place, found] of all.entries()) {
      const family = families.rootOf(numbers[place]!);
      this.#familyOf.set(found, family);
      const members = this.#members.get(family);
      if (members) members.push(found);
      else this.#members.set(family, [found]);
    }
  }

  /** All of its family, itself too; the same array for each of them. */
  around(found: Found): readonly Found[] {
    return this.#members.get(this.#familyOf.get(found)!)!;
  }
}
