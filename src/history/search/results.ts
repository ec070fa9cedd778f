/** Sessions that were found, or may have been: put in order, confirmed by reading where needed, copies folded. */
import type { NativeSearchHit, SessionHead, SessionSource } from "../../agents/adapter.ts";
import { EventLoopYielder } from "../../lib/process/yield-to-event-loop.ts";
import type { Catalog } from "../catalog.ts";
import type { Findings } from "./matcher.ts";
import type { MessageMap } from "./message-map.ts";
import type { SessionSummary } from "../../core/session.ts";
import type { Place, Stretch } from "./snippets.ts";

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

/** What copies of a session, which were resumed or forked from it, have in common with it, in short. */
export function familyOf(source: SessionSource, head: SessionHead | undefined): string[] {
  const { forkedFrom, familyKeys = [] } = head ?? {};
  const keys = [`session:${source.sessionId}`, ...familyKeys];
  if (forkedFrom !== undefined) keys.push(`session:${forkedFrom}`);
  return keys.map(shortHash);
}

/** 64 bits in 13 characters: two FNV-1a sums with different beginnings. */
function shortHash(text: string): string {
  let low = 0x811c9dc5;
  let high = 0x9dc5811c;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    low = Math.imul(low ^ unit, 0x01000193) >>> 0;
    high = Math.imul(high ^ (unit + index), 0x01000193) >>> 0;
  }
  return high.toString(36) + low.toString(36);
}

/** Numbers families; two sessions that share a key, directly or through others, are of one family. */
export class Families {
  readonly #parents: number[] = [];
  readonly #byAgent = new Map<string, Map<string, number>>();

  /** Gives the session a number; `rootOf` tells which family that belongs to once all were added. */
  add(agent: string, keys: Iterable<string>): number {
    const number = this.#parents.push(this.#parents.length) - 1;
    let byKey = this.#byAgent.get(agent);
    if (byKey === undefined) this.#byAgent.set(agent, (byKey = new Map()));
    for (const key of keys) {
      const other = byKey.get(key);
      if (other === undefined) byKey.set(key, number);
      else this.#parents[this.rootOf(number)] = this.rootOf(other);
    }
    return number;
  }

  rootOf(number: number): number {
    let root = number;
    while (this.#parents[root] !== root) root = this.#parents[root]!;
    this.#parents[number] = root;
    return root;
  }
}

/** A message in which words of the query were found, and the text around them. */
export type SearchMatch = Place;

/** A session that was found, with the places where. */
export interface SessionHit extends SessionSummary {
  /** The best few, in the order of the conversation; none when only the title matches. */
  matches: SearchMatch[];
  /** Words of the query in the title. */
  titleMarks: Stretch[];
  /** Further sessions of the same chain (forks, resumed copies) that were found and are not listed themselves. */
  copies: number;
  /** What `relevanceScore` was made of; it depends on the session and the query alone, so machines can compare it. */
  score?: number;
}
