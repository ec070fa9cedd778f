/** Sessions in the index that may be copies of each other: those that share keys, directly or through others. */
import type { SessionColumns } from "./session-columns.ts";

export class Kin {
  readonly #columns: SessionColumns;
  /** By number: one of the sessions it hangs together with, the same for all of them; -1 for none. */
  readonly #components: Int32Array;
  readonly #members = new Map<number, number[]>();

  constructor(columns: SessionColumns) {
    this.#columns = columns;
    const { keyStarts, ids } = columns;
    this.#components = new Int32Array(ids.length).fill(-1);
    const sharing: number[] = [];
    for (let number = 0; number + 1 < keyStarts.length; number++)
      if (keyStarts[number] !== keyStarts[number + 1]) sharing.push(number);
    for (const [number, root] of this.rootsAmong(sharing)) {
      this.#components[number] = root;
      const members = this.#members.get(root);
      if (members) members.push(number);
      else this.#members.set(root, [number]);
    }
  }

  /** -1 for one that shares nothing. */
  componentOf(number: number): number {
    return this.#components[number]!;
  }

  members(component: number): readonly number[] {
    return this.#members.get(component)!;
  }

  /** Of these sessions alone: for each, the first of those it hangs together with. */
  rootsAmong(numbers: readonly number[]): Map<number, number> {
    const { keyStarts, keys } = this.#columns;
    const parents = new Map(numbers.map((number) => [number, number]));
    const rootOf = (number: number): number => {
      let root = number;
      while (parents.get(root) !== root) root = parents.get(root)!;
      parents.set(number, root);
      return root;
    };
    const firstWith = new Map<number, number>();
    for (const number of numbers) {
      for (let at = keyStarts[number]!; at < keyStarts[number + 1]!; at++) {
        const other = firstWith.get(keys[at]!);
        if (other === undefined) firstWith.set(keys[at]!, number);
        else parents.set(rootOf(number), rootOf(other));
      }
    }
    return new Map(numbers.map((number) => [number, rootOf(number)]));
  }
}
