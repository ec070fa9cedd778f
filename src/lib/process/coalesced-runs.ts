/**
 * Work shared by several callers: each gets a turn that began after its call, so it sees everything that existed then. At most
 * one turn runs and one waits. The result of a slow turn is reused for as long as it took, so half of the time is free.
 */
import { uptimeMs } from "./clock.ts";

export class CoalescedRuns<Outcome> {
  readonly #work: () => Promise<Outcome>;
  readonly #gatherMs: number;
  readonly #slowMs: number;
  /** `goodUntil`: set when a slow turn succeeds. */
  #last: { began: number; goodUntil: number; outcome: Promise<Outcome> } | undefined;
  #next: Promise<Outcome> | undefined;

  /** `gatherMs`: how long a turn waits for more callers. `slowMs`: turns that take longer are slow. */
  constructor(work: () => Promise<Outcome>, gatherMs = 0, slowMs = Number.POSITIVE_INFINITY) {
    this.#work = work;
    this.#gatherMs = gatherMs;
    this.#slowMs = slowMs;
  }

  /** `staleMs`: how long ago the turn may have begun. */
  ask(staleMs = 0): Promise<Outcome> {
    const last = this.#last;
    const now = uptimeMs();
    if (last !== undefined && (last.began > now - staleMs || last.goodUntil > now)) return last.outcome;
    this.#next ??= this.#afterLast();
    return this.#next;
  }

  async #afterLast(): Promise<Outcome> {
    // Its failure concerns only its own callers.
    await this.#last?.outcome.catch(() => undefined);
    await new Promise<void>((resolve) => setTimeout(resolve, this.#gatherMs));
    this.#next = undefined;
    const last = this.#last;
    return last !== undefined && last.goodUntil > uptimeMs() ? last.outcome : this.#turn();
  }

  #turn(): Promise<Outcome> {
    const turn = { began: uptimeMs(), goodUntil: 0 };
    const outcome = this.#work().then((result) => {
      const now = uptimeMs();
      if (now - turn.began > this.#slowMs) turn.goodUntil = now + (now - turn.began);
      return result;
    });
    this.#last = Object.assign(turn, { outcome });
    return outcome;
  }
}
