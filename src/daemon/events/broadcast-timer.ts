/**
 * The moments at which changes are told. All consumers that keep up hear them together: what they are sent is then the same
 * and written once, and the process is woken once for all of them.
 */
import type { ChangeLog } from "./change-log.ts";

/** Changes of one moment go together; a single one goes at once. Ten times a second is as much as an eye can use. */
const GATHER_MS = 100;

export class Beat {
  readonly #log: ChangeLog;
  readonly #waiting = new Set<() => void>();
  #position = 0;
  #at = Number.NEGATIVE_INFINITY;
  #isComing = false;

  constructor(log: ChangeLog) {
    this.#log = log;
  }

  /** Up to where changes are being told. */
  get position(): number {
    return this.#position;
  }

  /** Calls back once, when there is something to tell to one who is at `position`. The answer takes it back. */
  onNext(position: number, wake: () => void): () => void {
    this.#waiting.add(wake);
    if (this.#log.position > position) this.#come();
    else this.#log.onNext(this.#come);
    return () => this.#waiting.delete(wake);
  }

  /** One function, so that the log holds it once however many wait. */
  readonly #come = (): void => {
    if (this.#isComing) return;
    this.#isComing = true;
    setTimeout(this.#beat, Math.max(0, this.#at + GATHER_MS - performance.now()));
  };

  readonly #beat = (): void => {
    this.#isComing = false;
    this.#at = performance.now();
    this.#position = this.#log.position;
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const wake of waiting) wake();
  };
}
