/** Finds keys of a few sessions among those of thousands: most are told by their last bits not to be among them. */
export class KeySieve {
  readonly #keys: Set<number>;
  readonly #bits = new Uint8Array(SIEVE_SIZE);

  constructor(keys: Set<number>) {
    this.#keys = keys;
    this.add([...keys]);
  }

  add(keys: Iterable<number>): void {
    for (const key of keys) {
      this.#keys.add(key);
      this.#bits[key & SIEVE_MASK] = 1;
    }
  }

  hasOneOf(keys: Uint32Array, from = 0, to = keys.length): boolean {
    return this.find(keys, from, to) !== -1;
  }

  /** Where the first of them lies; -1 for none. */
  find(keys: Uint32Array, from: number, to: number): number {
    const bits = this.#bits;
    for (let i = from; i < to; i++) {
      const key = keys[i]!;
      if (bits[key & SIEVE_MASK] === 1 && this.#keys.has(key)) return i;
    }
    return -1;
  }
}

/** Keys of many sessions, one session's behind the other's: most are passed over without looking whose they are. */
export class KeyColumn {
  readonly #ids: readonly string[];
  readonly #keys: Uint32Array;
  readonly #countOf: (index: number) => number;

  constructor(ids: readonly string[], keys: Uint32Array, countOf: (index: number) => number) {
    this.#ids = ids;
    this.#keys = keys;
    this.#countOf = countOf;
  }

  /** Sessions that have, or once had, one of the keys. */
  *sessionsWith(sieve: KeySieve): Generator<string> {
    const keys = this.#keys;
    let index = 0;
    let end = this.#countOf(0);
    for (let at = sieve.find(keys, 0, keys.length); at !== -1; at = sieve.find(keys, end, keys.length)) {
      while (end <= at) end += this.#countOf(++index);
      yield this.#ids[index]!;
    }
  }
}

const SIEVE_SIZE = 2 ** 16;
/** A remainder would be computed by division, for numbers of 32 bits even as fractions. */
const SIEVE_MASK = SIEVE_SIZE - 1;
