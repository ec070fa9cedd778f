/** Splits long synchronous work, so that a server or a spinner in the same process stays responsive. */
import { uptimeMs } from "./clock.ts";

/** A longer block of the event loop is noticeable. */
const MAX_STRETCH_MS = 12;

export class EventLoopYielder {
  #since = uptimeMs();

  /** For loops whose steps are too short to await each. */
  get isDue(): boolean {
    return uptimeMs() - this.#since >= MAX_STRETCH_MS;
  }

  /** Free until the time slice is used up. */
  async yieldIfDue(): Promise<void> {
    if (!this.isDue) return;
    await new Promise<void>((resolve) => {
      setImmediate(resolve);
    });
    this.#since = uptimeMs();
  }
}

/** Runs `work` for each item until it returns false; reports the number done now and then, and at the end. */
export async function inSlices<T>(
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
