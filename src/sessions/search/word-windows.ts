/** Stretches of a text in which words can be: what lies around the places where their letters stand. */
import { FOLDABLE } from "./foldable.ts";

export class WordWindows {
  readonly #words: RegExp;

  /** Of ASCII letters and digits. */
  constructor(words: readonly string[]) {
    this.#words = new RegExp(words.join("|"), "gi");
  }

  /** False for a text that has none of the words. They stand in it as they are, but for case and characters that fold to letters. */
  mayHold(text: string): boolean {
    this.#words.lastIndex = 0;
    return this.#words.test(text) || foldsAnywhere(text);
  }

  /** In order. No run of letters is divided by them. */
  *of(text: string): Generator<{ start: number; end: number }> {
    if (foldsAnywhere(text)) {
      yield { start: 0, end: text.length };
      return;
    }
    let found: RegExpExecArray | null;
    for (let from = 0; ;) {
      this.#words.lastIndex = from;
      if ((found = this.#words.exec(text)) === null) return;
      let start = found.index;
      let end = start + found[0].length;
      while (start > from && isInRun(text.charCodeAt(start - 1))) start--;
      while (end < text.length && isInRun(text.charCodeAt(end))) end++;
      yield { start, end };
      from = end;
    }
  }
}

/** Other characters of ASCII are in no word. */
function isInRun(unit: number): boolean {
  return (
    unit >= 0x80 || (unit >= 0x30 && unit <= 0x39) || (unit >= 0x41 && unit <= 0x5a) || (unit >= 0x61 && unit <= 0x7a)
  );
}

/** By hand: to compile an expression of so many ranges takes longer than to look through what is shown. */
function foldsAnywhere(text: string): boolean {
  for (const [characters] of text.matchAll(/[\u0080-\uffff]+/g)) {
    for (const character of characters) {
      const point = character.codePointAt(0)!;
      if (FOLDABLE.some(([first, last]) => point >= first && point <= last)) return true;
    }
  }
  return false;
}
