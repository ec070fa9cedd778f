/** Chains of copies: sessions that hold the same beginning because one was resumed or forked from another. */
import type { SessionHead, SessionSource } from "../../agents/adapter.ts";

/** What copies of a session have in common with it, in short. */
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
