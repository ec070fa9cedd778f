/** Which records a rewind took back: they stay in the file, followed by a marker that names the prompt to go back to. */
import { PROMPT, promptFacts, REWIND, rewindTarget, type Update } from "./format.ts";

export class Rewinds {
  #records = 0;
  /** Prompts of the conversation as it stands, with their places. */
  #prompts: { index: number; place: number }[] = [];
  readonly #takenBack: { from: number; to: number }[] = [];

  /** Takes every record of the file in turn, also one without an update. */
  see(update: Update | undefined): void {
    const place = this.#records++;
    if (update?.kind === PROMPT) {
      const { index } = promptFacts(update);
      if (index !== undefined) this.#prompts.push({ index, place });
    } else if (update?.kind === REWIND) this.#goBack(rewindTarget(update), place);
  }

  #goBack(target: number | undefined, to: number): void {
    if (target === undefined) return;
    const first = this.#prompts.find(({ index }) => index >= target);
    if (first === undefined) return;
    this.#prompts = this.#prompts.filter(({ index }) => index < target);
    this.#takenBack.push({ from: first.place, to });
  }

  get some(): boolean {
    return this.#takenBack.length > 0;
  }

  isTakenBack(place: number): boolean {
    return this.#takenBack.some(({ from, to }) => from <= place && place <= to);
  }
}
