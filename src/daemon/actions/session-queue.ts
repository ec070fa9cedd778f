/**
 * Serialises work by session. Reviving and dismissing take several steps; in parallel they could remove a new process's
 * directory.
 */
export class SessionQueue {
  readonly #last = new Map<string, Promise<unknown>>();

  /** Runs `work` after all earlier work for the session, whatever its result. */
  take<Result>(id: string, work: () => Promise<Result>): Promise<Result> {
    const before = this.#last.get(id) ?? Promise.resolve();
    const turn = before.then(work, work);
    this.#last.set(id, turn);
    const forget = (): void => {
      if (this.#last.get(id) === turn) this.#last.delete(id);
    };
    turn.then(forget, forget);
    return turn;
  }
}
