/** The words of a session by passage, as the index stores them. */
import { oneLine } from "../../lib/text/text.ts";
import type { DocumentMessage } from "./document.ts";
import { formsOf, positionsOf, RunFinder, wholeForm } from "./words.ts";

/** The distinct words of a passage. */
export class PassageWords {
  readonly #words = new Set<string>();
  readonly #run = new RunFinder();

  /** Returns the number of positions in the text. */
  add(text: string): number {
    const run = this.#run;
    run.reset(text);
    let positions = 0;
    while (run.next()) {
      const { start, end } = run;
      if (run.dense) {
        for (const { forms } of positionsOf(text.slice(start, end))) {
          for (const form of forms) this.#words.add(form);
          positions++;
        }
        continue;
      }
      const whole = wholeForm(text, run);
      if (whole === "") continue;
      positions++;
      if (run.ascii && !run.mayHaveParts) this.#words.add(whole);
      else for (const form of formsOf(text.slice(start, end), whole)) this.#words.add(form);
    }
    return positions;
  }

  /** All words since the last call, separated by spaces. */
  take(): string {
    const words = [...this.#words].join(" ");
    this.#words.clear();
    return words;
  }
}

/** The passage of the title. Those of messages are counted from 1. */
export const TITLE_PASSAGE = 0;

export interface IndexedRow {
  passage: number;
  /** Each once, separated by spaces. */
  words: string;
}

export interface IndexedText {
  rows: IndexedRow[];
  /** Positions. */
  length: number;
  /** The models that answered in it. */
  models: Set<string>;
}

/** Shared: every row empties it. */
const words = new PassageWords();

export function titleRow(title: string): { row: IndexedRow; length: number } {
  const length = words.add(oneLine(title));
  return { row: { passage: TITLE_PASSAGE, words: words.take() }, length };
}

export function indexedText(document: Iterable<DocumentMessage>): IndexedText {
  const text: IndexedText = { rows: [], length: 0, models: new Set() };
  const endPassage = (): void => void text.rows.push({ passage: text.rows.length + 1, words: words.take() });
  let isOpen = false;
  try {
    for (const { startsPassage, model, parts } of document) {
      if (startsPassage && isOpen) endPassage();
      isOpen = true;
      if (model !== undefined) text.models.add(model);
      for (const part of parts) text.length += words.add(part.text);
    }
    if (isOpen) endPassage();
  } finally {
    // The session could not be read to its end.
    words.take();
  }
  return text;
}
