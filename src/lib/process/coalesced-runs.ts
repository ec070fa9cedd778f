/**
 * Work shared by several callers: each gets a turn that began after its call, so it sees everything that existed then. At most
 * one turn runs and one waits.
 */
import { uptimeMs } from "./clock.ts";

export class CoalescedRuns<Outcome> {
  readonly #work: () => Promise<Outcome>;
  readonly #gatherMs: number;
  #last: { began: number; outcome: Promise<Outcome> } | undefined;
  #next: Promise<Outcome> | undefined;

  /** `gatherMs`: how long a turn waits for more callers. */
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
    // Its failure concerns only its own callers.
    await this.#last?.outcome.catch(() => undefined);
    await new Promise<void>((resolve) => setTimeout(resolve, this.#gatherMs));
    this.#next = undefined;
    const began = uptimeMs();
    const outcome = this.#work();
    this.#last = { began, outcome };
    return outcome;
  }
}
