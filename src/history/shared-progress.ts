import type { OnProgress } from "./progress.ts";

/** Progress of work for several callers at once. One that gives up, by throwing, ends it only when nobody else waits for it. */
export class SharedProgress {
  readonly #callers = new Set<OnProgress>();

  readonly report: OnProgress = (progress) => {
    let isWaitedFor = this.#callers.size === 0;
    let refusal: unknown;
    for (const caller of this.#callers) {
      try {
        caller(progress);
        isWaitedFor = true;
      } catch (error) {
        refusal = error;
      }
    }
    if (!isWaitedFor) throw refusal;
  };

  /** Gives what is to be called when the caller has its answer. */
  join(onProgress: OnProgress = () => {}): () => void {
    const caller: OnProgress = (progress) => onProgress(progress);
    this.#callers.add(caller);
    return () => void this.#callers.delete(caller);
  }
}
