/** Requests that wait for the answer to the one before: in any other order the last answer may be an older one. */
export class InTurn {
  #last: Promise<unknown> = Promise.resolve();

  ask<Answer>(request: () => Promise<Answer>): Promise<Answer> {
    const answer = this.#last.then(request, request);
    this.#last = answer;
    return answer;
  }
}
