/** The words of a passage, each once, as the index takes them. */
import { formsOf, positionsOf, RunFinder, wholeForm } from "./words.ts";

export class PassageWords {
  readonly #words = new Set<string>();
  readonly #run = new RunFinder();

  /** Answers the number of positions in the text. */
  add(text: string): number {
    const run = this.#run;
    run.reset(text);
    let positions = 0;
    while (run.next()) {
      if (run.dense) {
        for (const { forms } of positionsOf(text.slice(run.start, run.end))) {
          for (const form of forms) this.#words.add(form);
          positions++;
        }
        continue;
      }
      const whole = wholeForm(text, run);
      if (whole === "") continue;
      positions++;
      this.#words.add(whole);
      if (run.ascii && !run.hasInnerUpper) continue;
      for (const form of formsOf(text.slice(run.start, run.end), whole)) this.#words.add(form);
    }
    return positions;
  }

  /** All words since the last call. */
  take(): string {
    const words = [...this.#words].join(" ");
    this.#words.clear();
    return words;
  }
}
