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
    const bits = this.#bits;
    for (let i = from; i < to; i++) {
      const key = keys[i]!;
      if (bits[key & SIEVE_MASK] === 1 && this.#keys.has(key)) return true;
    }
    return false;
  }
}

const SIEVE_SIZE = 2 ** 16;
/** A remainder would be computed by division, for numbers of 32 bits even as fractions. */
const SIEVE_MASK = SIEVE_SIZE - 1;
