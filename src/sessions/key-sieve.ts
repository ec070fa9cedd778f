/** One for each value of a key's last 16 bits. */
const MARKS = 2 ** 16;
const MARKS_MASK = MARKS - 1;

/** Finds keys of a few sessions among those of thousands: most are told by their last bits not to be among them. */
export class KeySieve {
  readonly #keys: Set<number>;
  readonly #marks = new Uint8Array(MARKS);

  constructor(keys: Set<number>) {
    this.#keys = keys;
    this.add([...keys]);
  }

  add(keys: Iterable<number>): void {
    for (const key of keys) {
      this.#keys.add(key);
      this.#marks[key & MARKS_MASK] = 1;
    }
  }

  hasOneOf(keys: Uint32Array, from = 0, to = keys.length): boolean {
    return this.find(keys, from, to) !== -1;
  }

  /** Where the first of them lies; -1 for none. */
  find(keys: Uint32Array, from: number, to: number): number {
    const marks = this.#marks;
    for (let at = from; at < to; at++) {
      const key = keys[at]!;
      if (marks[key & MARKS_MASK] === 1 && this.#keys.has(key)) return at;
    }
    return -1;
  }
}

/** Keys of many sessions, one session's behind the other's: most are passed over without looking whose they are. */
export class KeyColumn {
  readonly #ids: { readonly all: readonly string[] };
  readonly #keys: Uint32Array;
  readonly #endOf: (index: number) => number;

  /** `endOf`: where a session's keys end. */
  constructor(ids: { readonly all: readonly string[] }, keys: Uint32Array, endOf: (index: number) => number) {
    this.#ids = ids;
    this.#keys = keys;
    this.#endOf = endOf;
  }

  /** Sessions that have, or once had, one of the keys. */
  *sessionsWith(sieve: KeySieve): Generator<string> {
    const keys = this.#keys;
    let index = 0;
    let end = this.#endOf(0);
    for (let at = sieve.find(keys, 0, keys.length); at !== -1; at = sieve.find(keys, end, keys.length)) {
      while (end <= at) end = this.#endOf(++index);
      yield this.#ids.all[index]!;
    }
  }
}
