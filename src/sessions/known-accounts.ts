/**
 * Accounts that are known to hold: those of a segment of a file, all but some, and single ones. Of thousands of sessions that
 * are as they were, nothing is made.
 */
import type { Account } from "./cost/account.ts";
import type { SpendingRange } from "./cost/spending.ts";
import type { AccountSegment } from "./kept-accounts.ts";

/** What sessions have spent, as far as they can be told together, and the others one by one. */
export interface Spent {
  ranges: SpendingRange[];
  /** How many of those have spent something. */
  spenders: number;
  others: [id: string, account: Account][];
}

export class KnownAccounts {
  /** Null: there is no conversation. */
  readonly #single = new Map<string, Account | null>();
  #segment: AccountSegment | undefined;
  /** Places in the segment that are not to be used. */
  readonly #left = new Set<number>();

  /** Takes a segment of exactly the sessions there are; those at some places are left out. */
  take(segment: AccountSegment, left: Iterable<number>): void {
    this.#segment = segment;
    for (const index of left) this.#left.add(index);
  }

  get isEmpty(): boolean {
    return this.#single.size === 0 && this.#segment === undefined;
  }

  has(id: string): boolean {
    return this.#single.has(id) || this.#placeOf(id) !== -1;
  }

  get(id: string): Account | null | undefined {
    const single = this.#single.get(id);
    if (single !== undefined) return single;
    const index = this.#placeOf(id);
    return index === -1 ? undefined : this.#segment!.account(index);
  }

  set(id: string, account: Account | null): void {
    this.delete(id);
    this.#single.set(id, account);
  }

  delete(id: string): void {
    this.#single.delete(id);
    const index = this.#placeOf(id);
    if (index !== -1) this.#left.add(index);
  }

  #placeOf(id: string): number {
    const index = this.#segment?.ids.indexOf(id) ?? -1;
    return this.#left.has(index) ? -1 : index;
  }

  *[Symbol.iterator](): Generator<[id: string, account: Account | null]> {
    for (const [index, id] of (this.#segment?.ids.all ?? []).entries()) {
      if (!this.#left.has(index)) yield [id, this.#segment!.account(index)];
    }
    yield* this.#single;
  }

  /** Which of all sessions there are it is not known of. */
  missing(all: () => readonly string[]): string[] {
    if (this.#segment === undefined) return all().filter((id) => !this.#single.has(id));
    const { ids } = this.#segment;
    return inOrder(this.#left)
      .map((index) => ids.all[index]!)
      .filter((id) => !this.#single.has(id));
  }

  spent(): Spent {
    const spent: Spent = { ranges: [], spenders: 0, others: [] };
    const segment = this.#segment;
    if (segment) {
      spent.spenders = segment.spenders;
      let start = 0;
      for (const index of inOrder([...this.#left, ...segment.unknown])) {
        const { from, to } = segment.spending(index, index + 1);
        if (to > from) spent.spenders--;
        if (index > start) spent.ranges.push(segment.spending(start, index));
        start = index + 1;
        const account = this.#left.has(index) ? null : segment.account(index);
        if (account) spent.others.push([segment.ids.all[index]!, account]);
      }
      if (start < segment.size) spent.ranges.push(segment.spending(start, segment.size));
    }
    for (const [id, account] of this.#single) if (account) spent.others.push([id, account]);
    return spent;
  }
}

/** Each once. */
function inOrder(places: Iterable<number>): number[] {
  return [...new Set(places)].sort((a, b) => a - b);
}
