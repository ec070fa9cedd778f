/** Long synchronous work in pieces, so that a server or a spinner in the same process stays alive. */

/** A longer stretch without a turn of the event loop would be felt. */
const MAX_STRETCH_MS = 12;

export class Breather {
  #since = performance.now();

  /** For loops whose steps are so short that awaiting each would be felt, too. */
  get isDue(): boolean {
    return performance.now() - this.#since >= MAX_STRETCH_MS;
  }

  /** Awaiting this costs nothing until the stretch is used up. */
  async breathe(): Promise<void> {
    if (!this.isDue) return;
    await new Promise<void>((resolve) => {
      setImmediate(resolve);
    });
    this.#since = performance.now();
  }
}
