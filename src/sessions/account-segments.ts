/** Accounts of an agent's sessions in the segments of a file: what a later one says of a session holds in place of what an earlier one said. */
import { AccountSegment, type KeptAccount } from "./kept-accounts.ts";
import type { Segment } from "./kept-file.ts";
import type { SourcesOnFile } from "./kept-sources.ts";
import type { KeyColumn } from "./key-sieve.ts";

export class AccountSegments {
  readonly #first: AccountSegment | undefined;
  /** Of all segments but the first, which are short. Null in place of what does not hold any more. */
  readonly #later = new Map<string, KeptAccount | null>();
  /** Keys of all accounts, and of some that others have taken the place of. */
  readonly keyColumns: readonly KeyColumn[];

  constructor(segments: readonly Segment[]) {
    const [first, ...later] = segments.map((segment) => new AccountSegment(segment));
    this.#first = first;
    for (const segment of later) segment.ids.all.forEach((id, index) => this.#later.set(id, segment.entry(index)));
    this.keyColumns = (first ? [first, ...later] : []).map(({ keyColumn }) => keyColumn);
  }

  /** Null: it does not hold any more. Undefined: there was none. */
  get(id: string): KeptAccount | null | undefined {
    const later = this.#later.get(id);
    if (later !== undefined || this.#first === undefined) return later;
    const index = this.#first.ids.indexOf(id);
    return index === -1 ? undefined : this.#first.entry(index);
  }

  *[Symbol.iterator](): Generator<[id: string, account: KeptAccount | null]> {
    const rest = new Map(this.#later);
    for (const [index, id] of (this.#first?.ids.all ?? []).entries()) {
      const later = rest.get(id);
      rest.delete(id);
      yield [id, later === undefined ? this.#first!.entry(index) : later];
    }
    yield* rest;
  }

  /**
   * The first segment, if it is of exactly these sessions, and at which places in it are accounts that may not hold. It can be told
   * of all others without looking at each. Undefined where it is not: then every one has to be looked at.
   */
  of(sources: SourcesOnFile, prices: string): { segment: AccountSegment; doubtful: Set<number> } | undefined {
    const [segment, { kept, changed }] = [this.#first, sources];
    if (!segment?.isPricedBy(prices) || !segment.ids.bytes.equals(kept.ids.bytes)) return undefined;
    if (segment.stampBytes.length !== kept.stampBytes.length) return undefined;
    const doubtful = new Set([...segment.doubtful, ...changed.keys()]);
    for (const number of differences(segment.stampBytes, kept.stampBytes)) doubtful.add(kept.indexAt(number));
    for (const id of this.#later.keys()) {
      const index = segment.ids.indexOf(id);
      if (index !== -1) doubtful.add(index);
    }
    return { segment, doubtful };
  }
}

const NUMBER_BYTES = 8;

/** Which numbers are not the same in both; found by halves, as hardly any are. */
function* differences(a: Buffer, b: Buffer, from = 0, to = a.length): Generator<number> {
  if (a.subarray(from, to).equals(b.subarray(from, to))) return;
  if (to - from <= NUMBER_BYTES) return void (yield from / NUMBER_BYTES);
  const middle = from + NUMBER_BYTES * Math.ceil((to - from) / NUMBER_BYTES / 2);
  yield* differences(a, b, from, middle);
  yield* differences(a, b, middle, to);
}
