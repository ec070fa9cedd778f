/** Long synchronous work in pieces, so that a server or a spinner in the same process stays alive. */

/** A longer stretch without a turn of the event loop would be felt. */
const MAX_STRETCH_MS = 12;

/** By a clock that may be set meanwhile, which does no harm here: the better one has to be loaded first. */
export class Breather {
  #since = Date.now();

  /** For loops whose steps are so short that awaiting each would be felt, too. */
  get isDue(): boolean {
    return Date.now() - this.#since >= MAX_STRETCH_MS;
  }

  /** Awaiting this costs nothing until the stretch is used up. */
  async breathe(): Promise<void> {
    if (!this.isDue) return;
    await new Promise<void>((resolve) => {
      setImmediate(resolve);
    });
    this.#since = Date.now();
  }
}
