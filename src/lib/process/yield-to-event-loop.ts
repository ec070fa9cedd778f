/** Long synchronous work in pieces, so that a server or a spinner in the same process stays alive. */

/** A longer stretch without a turn of the event loop would be felt. */
const MAX_STRETCH_MS = 12;

export class EventLoopYielder {
  #since = performance.now();

  /** For loops whose steps are so short that awaiting each would be felt, too. */
  get isDue(): boolean {
    return performance.now() - this.#since >= MAX_STRETCH_MS;
  }

  /** Awaiting this costs nothing until the stretch is used up. */
  async yieldIfDue(): Promise<void> {
    if (!this.isDue) return;
    await new Promise<void>((resolve) => {
      setImmediate(resolve);
    });
    this.#since = performance.now();
  }
}

/** Does `work` for each until it answers that there is no need to go on; tells now and then, and in the end, for how many it is done. */
export async function inStretches<T>(
  all: readonly T[],
  work: (one: T, index: number) => boolean,
  tell: (done: number) => void,
): Promise<void> {
  const yielder = new EventLoopYielder();
  for (let index = 0; index < all.length; index++) {
    if (!work(all[index]!, index)) return;
    if (!yielder.isDue) continue;
    tell(index + 1);
    await yielder.yieldIfDue();
  }
  if (all.length > 0) tell(all.length);
}
