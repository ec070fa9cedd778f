/** Chains of copies: sessions that hold the same beginning because one was resumed or forked from another. */
import type { Subject } from "./subject.ts";

/** Numbers families; two sessions that share a key, directly or through others, are of one family. */
export class Families {
  readonly #parents: number[] = [];
  readonly #byKey = new Map<string, number>();

  /** Any member's number; `rootOf` tells which family that is once all sessions were added. */
  add({ catalog, source, head }: Subject): number {
    const number = this.#parents.push(this.#parents.length) - 1;
    const { forkedFrom, familyKeys = [] } = head;
    const keys = [`session:${source.sessionId}`, ...familyKeys];
    if (forkedFrom !== undefined) keys.push(`session:${forkedFrom}`);
    for (const key of keys) {
      const scoped = `${catalog.adapter.name}\0${key}`;
      const other = this.#byKey.get(scoped);
      if (other === undefined) this.#byKey.set(scoped, number);
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
