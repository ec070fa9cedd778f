/** Batches the moments at which changes are sent, so that consumers that keep up get the same bytes, encoded once. */
import type { ChangeLog } from "./change-log.ts";

/** Changes of one moment go together; a single one goes at once. Ten updates a second are enough for the eye. */
const GATHER_MS = 100;

export class BroadcastTimer {
  readonly #log: ChangeLog;
  readonly #waiting = new Set<() => void>();
  #position = 0;
  #at = Number.NEGATIVE_INFINITY;
  #isComing = false;

  constructor(log: ChangeLog) {
    this.#log = log;
  }

  /** Changes up to here are being sent. */
  get position(): number {
    return this.#position;
  }

  /** Calls `wake` once when there are changes after `position`. Returns a cancel function. */
  onNext(position: number, wake: () => void): () => void {
    this.#waiting.add(wake);
    if (this.#log.position > position) this.#come();
    else this.#log.onNext(this.#come);
    return () => this.#waiting.delete(wake);
  }

  /** One function, so that the log stores it once for all waiters. */
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
