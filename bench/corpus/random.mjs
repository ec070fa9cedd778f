/** Seeded random numbers: the same seed gives the same corpus on every machine. */

const HEX = "0123456789abcdef";
const BASE62 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

export class Random {
  #state;

  constructor(seed) {
    this.#state = seed >>> 0;
  }

  /** From 0 (inclusive) to 1 (mulberry32). */
  next() {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** An integer between the two, inclusive. */
  int(least, most) {
    return least + Math.floor(this.next() * (most - least + 1));
  }

  chance(probability) {
    return this.next() < probability;
  }

  pick(items) {
    return items[Math.floor(this.next() * items.length)];
  }

  /** A log-normal size: most are near the median, a few many times larger. */
  size(median, spread, most) {
    const normal = Math.sqrt(-2 * Math.log(1 - this.next())) * Math.cos(2 * Math.PI * this.next());
    return Math.min(most, Math.round(median * Math.exp(spread * normal)));
  }

  hex(length) {
    return this.#letters(HEX, length);
  }

  base62(length) {
    return this.#letters(BASE62, length);
  }

  uuid() {
    return `${this.hex(8)}-${this.hex(4)}-4${this.hex(3)}-${this.pick("89ab")}${this.hex(3)}-${this.hex(12)}`;
  }

  /** Version 7: begins with the time, like Codex's thread ids. */
  uuidAt(ms) {
    const time = ms.toString(16).padStart(12, "0");
    return `${time.slice(0, 8)}-${time.slice(8)}-7${this.hex(3)}-${this.pick("89ab")}${this.hex(3)}-${this.hex(12)}`;
  }

  #letters(alphabet, length) {
    let text = "";
    for (let index = 0; index < length; index++) text += alphabet[Math.floor(this.next() * alphabet.length)];
    return text;
  }
}
