/** Sessions in the index that may be copies of each other: those that share keys, directly or through others. */
import type { SessionColumns } from "./session-columns.ts";

export class Kin {
  readonly #columns: SessionColumns;
  /** Those that share a key with another one. */
  readonly #sharing: Int32Array;
  /** By number: one of the sessions it hangs together with, the same for all of them; -1 for none. */
  readonly #components: Int32Array;
  /** By key: the first session that has it, plus one; between two questions all 0. */
  readonly #firstWith: Int32Array;

  constructor(columns: SessionColumns) {
    this.#columns = columns;
    const { keyStarts, keys, ids } = columns;
    const sharing: number[] = [];
    for (let number = 0; number + 1 < keyStarts.length; number++)
      if (keyStarts[number] !== keyStarts[number + 1]) sharing.push(number);
    this.#sharing = Int32Array.from(sharing);
    let most = -1;
    for (let at = 0; at < keys.length; at++) if (keys[at]! > most) most = keys[at]!;
    this.#firstWith = new Int32Array(most + 1);
    this.#components = new Int32Array(ids.length).fill(-1);
    this.#unite(this.#sharing, this.#components);
  }

  /** -1 for one that shares nothing. */
  componentOf(number: number): number {
    return this.#components[number]!;
  }

  members(component: number): number[] {
    return Array.from(this.#sharing.filter((number) => this.#components[number] === component));
  }

  /** Of these sessions alone: for each, the first of those it hangs together with. */
  rootsAmong(numbers: readonly number[]): Map<number, number> {
    const parents = new Int32Array(this.#components.length);
    this.#unite(numbers, parents);
    return new Map(numbers.map((number) => [number, parents[number]!]));
  }

  /** Gives each of these sessions the one that stands for all it hangs together with. */
  #unite(numbers: ArrayLike<number>, parents: Int32Array): void {
    const { keyStarts, keys } = this.#columns;
    const firstWith = this.#firstWith;
    const rootOf = (number: number): number => {
      let root = number;
      while (parents[root] !== root) root = parents[root]!;
      parents[number] = root;
      return root;
    };
    for (let place = 0; place < numbers.length; place++) parents[numbers[place]!] = numbers[place]!;
    for (let place = 0; place < numbers.length; place++) {
      const number = numbers[place]!;
      for (let at = keyStarts[number]!; at < keyStarts[number + 1]!; at++) {
        const other = firstWith[keys[at]!]!;
        if (other === 0) firstWith[keys[at]!] = number + 1;
        else parents[rootOf(number)] = rootOf(other - 1);
      }
    }
    for (let place = 0; place < numbers.length; place++) {
      const number = numbers[place]!;
      rootOf(number);
      for (let at = keyStarts[number]!; at < keyStarts[number + 1]!; at++) firstWith[keys[at]!] = 0;
    }
  }
}
