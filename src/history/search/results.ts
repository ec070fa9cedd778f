/** Orders certain and possible hits, confirms them by reading where needed, and folds copies. */
import type { NativeSearchHit, SessionHead, SessionSource } from "../../agents/adapter.ts";
import { EventLoopYielder } from "../../lib/process/yield-to-event-loop.ts";
import type { Catalog } from "../catalog.ts";
import type { Findings } from "./matcher.ts";
import type { SessionSummary } from "../../core/session.ts";
import type { Place, Stretch } from "./snippets.ts";

export interface Found {
  catalog: Catalog;
  source: SessionSource;
  unifiedId: string;
  /** Undefined if its files are gone. */
  head(): SessionHead | undefined;
  /** Keys that identify copies. */
  family: readonly string[];
  updatedMs: number;
  score: number;
  /** Undefined until the session is read. */
  findings?: Findings | undefined;
  /** The result of the agent's own index. */
  native?: NativeSearchHit;
  /** Whether it certainly matches; otherwise reading decides. */
  certain: boolean;
}

/** Descending by number. */
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
  /** Other matching sessions of its chain. */
  copies: number;
}

export interface SettleOptions {
  order: Order;
  limit: number;
  fold: boolean;
  /** Whether certain hits are read too, for their snippets. */
  read: boolean;
  /** Reads the session; undefined if it does not match after all. */
  examine(found: Found): Findings | undefined;
}

/** The first `limit` hits. Returned ones are read for their snippets; of the others, only uncertain possible copies of them. */
export async function settle(
  all: readonly Found[],
  { order, limit, fold, read, examine }: SettleOptions,
): Promise<Settled[]> {
  const families = fold ? new FoundFamilies(all) : undefined;
  const done = new Set<readonly Found[]>();
  /** Read, and no match. */
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

  /** Its whole family, itself included; all members share the array. */
  around(found: Found): readonly Found[] {
    return this.#members.get(this.#familyOf.get(found)!)!;
  }
}

/** A short key that a session shares with its resumed or forked copies. */
export function familyOf(source: SessionSource, head: SessionHead | undefined): string[] {
  const { forkedFrom, familyKeys = [] } = head ?? {};
  const keys = [`session:${source.sessionId}`, ...familyKeys];
  if (forkedFrom !== undefined) keys.push(`session:${forkedFrom}`);
  return keys.map(shortHash);
}

/** 64 bits in 13 characters: two FNV-1a hashes with different seeds. */
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

/** Numbers families: sessions that share a key, directly or through others, are one family. */
export class Families {
  readonly #parents: number[] = [];
  readonly #byAgent = new Map<string, Map<string, number>>();

  /** Gives the session a number; `rootOf` maps it to its family once all are added. */
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

/** A message that contains words of the query, with the text around them. */
export type SearchMatch = Place;

/** A matching session with its snippets. */
export interface SessionHit extends SessionSummary {
  /** The best few, in conversation order; none if only the title matches. */
  matches: SearchMatch[];
  /** Words of the query in the title. */
  titleMarks: Stretch[];
  /** Further matching sessions of the same chain (forks, resumed copies) that are not listed. */
  copies: number;
  /**
   * The parts of `relevanceScore`. It depends only on the session and the query, so results of several machines can be compared.
   */
  score?: number;
}
