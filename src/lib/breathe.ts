/** Long synchronous work in pieces, so that a server or a spinner in the same process stays alive. */
import { isShort, repeatsLittle } from "./short-run.ts";

/** A longer stretch without a turn of the event loop would be felt. */
const MAX_STRETCH_MS = 12;
/** By a spinner alone, where the process answers one question: each turn takes as long as a small file. */
const SHORT_RUN_STRETCH_MS = 50;
/** There, so many steps are done without a look at the clock, which takes time, too. */
const SHORT_RUN_STEPS = 8;

/** By a clock that may be set meanwhile, which does no harm here: the better one has to be loaded first. */
export class Breather {
  #since = Date.now();
  readonly #stretchMs = isShort() || repeatsLittle() ? SHORT_RUN_STRETCH_MS : MAX_STRETCH_MS;

  /** For loops whose steps are so short that awaiting each would be felt, too. */
  get isDue(): boolean {
    return Date.now() - this.#since >= this.#stretchMs;
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

/** Does `work` for each until it answers that there is no need to go on; tells now and then, and in the end, for how many it is done. */
export async function inStretches<T>(
  all: readonly T[],
  work: (one: T, index: number) => boolean,
  tell: (done: number) => void,
): Promise<void> {
  const breather = new Breather();
  const steps = isShort() ? SHORT_RUN_STEPS : 1;
  for (let index = 0; index < all.length; index++) {
    if (!work(all[index]!, index)) return;
    if (index % steps !== 0 || !breather.isDue) continue;
    tell(index + 1);
    await breather.breathe();
  }
  if (all.length > 0) tell(all.length);
}
