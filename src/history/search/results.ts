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
  const families = fold ? familiesOf(all) : undefined;
  const done = new Set<readonly Found[]>();
  /** Read, and no match. */
  const refuted = new Set<Found>();
  const settled: Settled[] = [];
  const yielder = new EventLoopYielder();
  for (const found of all.toSorted((a, b) => compare(a, b, order))) {
    if (settled.length >= limit) break;
    const family = families?.get(found);
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

/** By session its whole family, itself included: all that share a key, directly or through others. */
function familiesOf(all: readonly Found[]): Map<Found, readonly Found[]> {
  const keysOf = ({ catalog, family }: Found): string[] => family.map((key) => `${catalog.adapter.name} ${key}`);
  const byKey = new Map<string, Found[]>();
  for (const found of all) {
    for (const key of keysOf(found))
      byKey
        .set(key, byKey.get(key) ?? [])
        .get(key)!
        .push(found);
  }
  const families = new Map<Found, readonly Found[]>();
  for (const found of all) {
    if (families.has(found)) continue;
    const family = new Set([found]);
    // Iterating a set includes members added during the iteration. Each key once: thousands of sessions may share one.
    for (const member of family) {
      for (const key of keysOf(member)) {
        for (const other of byKey.get(key) ?? []) family.add(other);
        byKey.delete(key);
      }
    }
    const members = [...family];
    for (const member of members) families.set(member, members);
  }
  return families;
}

/** Keys that a session shares with its resumed or forked copies. */
export function familyOf(source: SessionSource, head: SessionHead | undefined): string[] {
  const { forkedFrom, familyKeys = [] } = head ?? {};
  const parent = forkedFrom === undefined ? [] : [`session:${forkedFrom}`];
  return [`session:${source.sessionId}`, ...familyKeys, ...parent];
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
