/** Sessions that were found, or may have been: put in order, confirmed by reading where needed, copies folded. */
import type { NativeSearchHit, SessionHead, SessionSource } from "../../agents/adapter.ts";
import { joinUnifiedId } from "../../core/unified-id.ts";
import { Breather } from "../../lib/breathe.ts";
import type { Catalog } from "../catalog.ts";
import { Families } from "./copies.ts";
import type { Findings } from "./matcher.ts";

export interface Found {
  catalog: Catalog;
  source: SessionSource;
  /** Undefined when its files are gone by now. */
  head(): SessionHead | undefined;
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

export type Order = (a: Found, b: Found) => number;

export function unifiedIdOf({ catalog, source }: Found): string {
  return joinUnifiedId(catalog.adapter.name, source.sessionId);
}

function byId(a: Found, b: Found): number {
  return unifiedIdOf(a) < unifiedIdOf(b) ? -1 : 1;
}

export const NEWEST_FIRST: Order = (a, b) => b.updatedMs - a.updatedMs || byId(a, b);
export const BEST_FIRST: Order = (a, b) => b.score - a.score || NEWEST_FIRST(a, b);

export interface Settled extends Found {
  /** Other sessions of its chain that were found, too. */
  copies: number;
}

export interface SettleOptions {
  limit: number;
  fold: boolean;
  /** Whether those that are certain are read as well, for their places. */
  read: boolean;
  /** Reads the session; undefined when it is not found after all. */
  examine(found: Found): Findings | undefined;
}

/**
 * The first `limit` of these, which stand in the wanted order. Each one that is given is read, for its places; of the
 * others only those that could be copies of them and are not certain.
 */
export async function settle(
  ordered: readonly Found[],
  { limit, fold, read, examine }: SettleOptions,
): Promise<Settled[]> {
  const families = new Families();
  const numbers = ordered.map(({ catalog, family }) => families.add(catalog.adapter.name, family));
  const settled = new Map<number, Settled>();
  const breather = new Breather();
  for (const [index, found] of ordered.entries()) {
    const family = fold ? families.rootOf(numbers[index]!) : index;
    const first = settled.get(family);
    if (first === undefined && settled.size >= limit) {
      if (!fold) break;
      continue;
    }
    let { findings } = found;
    if (findings === undefined && !(found.certain && (first || !read))) {
      findings = examine(found);
      await breather.breathe();
      if (findings === undefined) continue;
    }
    if (first) first.copies++;
    else settled.set(family, { ...found, findings, copies: 0 });
  }
  return [...settled.values()];
}
