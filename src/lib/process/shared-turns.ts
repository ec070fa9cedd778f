/**
 * Work whose outcome several may share, each only that of a turn that began after it asked: what was there when somebody asked
 * is in it. At most one turn goes on and one waits.
 */
import { uptimeMs } from "./clock.ts";

export class SharedTurns<Outcome> {
  readonly #work: () => Promise<Outcome>;
  readonly #gatherMs: number;
  #last: { began: number; outcome: Promise<Outcome> } | undefined;
  #next: Promise<Outcome> | undefined;

  /** `gatherMs`: for how long a turn waits for others to ask, too. */
  constructor(work: () => Promise<Outcome>, gatherMs = 0) {
    this.#work = work;
    this.#gatherMs = gatherMs;
  }

  /** `staleMs`: how long ago the turn may have begun. */
  ask(staleMs = 0): Promise<Outcome> {
    const last = this.#last;
    if (last !== undefined && last.began > uptimeMs() - staleMs) return last.outcome;
    this.#next ??= this.#afterLast();
    return this.#next;
  }

  async #afterLast(): Promise<Outcome> {
    // Whether it failed is for those to know who asked for it.
    await this.#last?.outcome.catch(() => undefined);
    await new Promise<void>((resolve) => setTimeout(resolve, this.#gatherMs));
    this.#next = undefined;
    const began = uptimeMs();
    const outcome = this.#work();
    this.#last = { began, outcome };
    return outcome;
  }
}
