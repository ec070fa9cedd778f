/**
 * One thing after the other, session by session. Bringing a session back and putting it away take several steps each; begun
 * at the same time they would remove the directory of a process that has just been started.
 */
export class Turns {
  readonly #last = new Map<string, Promise<unknown>>();

  /** Runs `work` when everything that was begun for the session before it is over, however that ended. */
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
