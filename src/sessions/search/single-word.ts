/** Where a single word of ASCII letters and digits stands in texts, without looking at their other words. */
import type { Sequence } from "./query.ts";
import { SequenceFinder } from "./sequence.ts";
import { MAX_STRETCHES, SNIPPET_REACH, type Stretch } from "./places.ts";
import { formsOf, MAX_WORD } from "./words.ts";

/** Characters that may fold to letters of ASCII, and more; signs such as arrows and boxes are none. */
const FOLDABLE = /[\u0080-\u1fff\u2c00-\uffff]/;

const NOTHING: readonly Stretch[] = [];

export class SingleWord {
  readonly #word: string;
  readonly #isPrefix: boolean;
  readonly #letters: RegExp;
  readonly #finder: SequenceFinder;

  constructor(sequence: Sequence) {
    this.#word = sequence.steps[0]!;
    this.#isPrefix = sequence.prefix;
    this.#letters = new RegExp(this.#word, "gi");
    this.#finder = new SequenceFinder([sequence]);
  }

  /** In order. `all`: not only the first and those that can be shown with it. */
  in(text: string, all = false): readonly Stretch[] {
    if (FOLDABLE.test(text)) return this.#amongOthers(text, all);
    const letters = this.#letters;
    let found: Stretch[] | undefined;
    letters.lastIndex = 0;
    while (letters.test(text)) {
      let end = letters.lastIndex;
      let start = end - this.#word.length;
      while (start > 0 && isLetter(text.charCodeAt(start - 1))) start--;
      while (end < text.length && isLetter(text.charCodeAt(end))) end++;
      letters.lastIndex = end;
      if (end - start !== this.#word.length && !this.#isForm(text.slice(start, end))) continue;
      if (found === undefined) found = [];
      else if (
        !all &&
        (start > Math.max(found[0]!.start + SNIPPET_REACH, found[0]!.end) || found.length === MAX_STRETCHES)
      )
        break;
      found.push({ start, end });
    }
    return found ?? NOTHING;
  }

  /** The whole of a run, or a part of it. */
  #isForm(run: string): boolean {
    const whole = run.slice(0, MAX_WORD).toLowerCase();
    for (const form of formsOf(run, whole)) {
      if (this.#isPrefix ? form.startsWith(this.#word) : form === this.#word) return true;
    }
    return false;
  }

  #amongOthers(text: string, all: boolean): Stretch[] {
    const found: Stretch[] = [];
    this.#finder.search(text, {
      onFound(_, start, end) {
        if (all || found.length < MAX_STRETCHES) found.push({ start, end });
      },
    });
    return found.sort((a, b) => a.start - b.start || b.end - a.end);
  }
}

function isLetter(unit: number): boolean {
  return (unit >= 0x61 && unit <= 0x7a) || (unit >= 0x30 && unit <= 0x39) || (unit >= 0x41 && unit <= 0x5a);
}
