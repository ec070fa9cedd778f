/** Sessions in the index that may be copies of each other: those that share keys, directly or through others. */
import type { SessionColumns } from "./session-columns.ts";

export class Kin {
  readonly #columns: SessionColumns;
  /** By number, of those that were asked for: all it hangs together with. The same array for all of them. */
  readonly #components = new Map<number, readonly number[]>();

  constructor(columns: SessionColumns) {
    this.#columns = columns;
  }

  /** All that a session hangs together with, itself too, in order. */
  around(number: number): readonly number[] {
    let component = this.#components.get(number);
    if (component === undefined) {
      component = this.#find(number);
      for (const member of component) this.#components.set(member, component);
    }
    return component;
  }

  #find(number: number): number[] {
    const { keyStarts, keys } = this.#columns;
    const members = [number];
    const known = new Set(members);
    const done = new Set<number>();
    // It grows meanwhile.
    for (const member of members) {
      for (let at = keyStarts[member]!; at < keyStarts[member + 1]!; at++) {
        const key = keys[at]!;
        if (done.has(key)) continue;
        done.add(key);
        // Where else the key is, by a function that goes through thousands of numbers in a microsecond.
        for (let place = keys.indexOf(key); place !== -1; place = keys.indexOf(key, place + 1)) {
          const other = this.#ownerOf(place);
          if (known.has(other)) continue;
          known.add(other);
          members.push(other);
        }
      }
    }
    return members.sort((a, b) => a - b);
  }

  /** Whose key it is at a place in `keys`. */
  #ownerOf(place: number): number {
    const { keyStarts } = this.#columns;
    let low = 0;
    let high = keyStarts.length - 1;
    while (low + 1 < high) {
      const middle = (low + high) >> 1;
      if (keyStarts[middle]! <= place) low = middle;
      else high = middle;
    }
    return low;
  }

  /** Of these sessions alone, in order: for each, the first of those it hangs together with. */
  rootsAmong(numbers: readonly number[]): Map<number, number> {
    const { keyStarts, keys } = this.#columns;
    const parents = new Map(numbers.map((number) => [number, number]));
    const firstWith = new Map<number, number>();
    const rootOf = (number: number): number => {
      let root = number;
      while (parents.get(root) !== root) root = parents.get(root)!;
      parents.set(number, root);
      return root;
    };
    for (const number of numbers) {
      for (let at = keyStarts[number]!; at < keyStarts[number + 1]!; at++) {
        const first = firstWith.get(keys[at]!);
        if (first === undefined) firstWith.set(keys[at]!, number);
        else parents.set(rootOf(number), rootOf(first));
      }
    }
    for (const number of numbers) rootOf(number);
    return parents;
  }
}
