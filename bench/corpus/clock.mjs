/** Time as it passes inside a session. */
export class Clock {
  ms;
  #random;

  constructor(random, ms) {
    this.#random = random;
    this.ms = ms;
  }

  /** Advances the clock and returns the time in the agents' format. */
  tick(leastMs, mostMs) {
    this.ms += this.#random.int(leastMs, mostMs);
    return this.now();
  }

  now() {
    return new Date(this.ms).toISOString();
  }
}
