/** Finds sequences of words in a text. Only this file decides what "next to each other" means. */
import type { Sequence } from "./query.ts";
import { formsOf, positionsOf, RunFinder, wholeForm, type Position } from "./words.ts";

/** Whether a short text (a name, a path) contains the sequence. */
export function holds(text: string, sequence: Sequence): boolean {
  const finder = new SequenceFinder([sequence]);
  let found = false;
  finder.search(text, { onFound: () => (found = true) });
  return found;
}

export interface Finds {
  /** A sequence, and the stretch of text that matches it. */
  onFound(sequence: number, start: number, end: number): void;
  /** One step of a sequence, wherever it occurs. */
  onStep?(sequence: number, step: number): void;
}

interface Target {
  sequence: number;
  step: number;
}

/** Progress of a sequence. By step: the start of the words that reach this step, or -1. */
interface Progress {
  position: number;
  here: Int32Array;
  before: Int32Array;
}

/** ASCII lower case by unit; 0 if no ASCII word begins with it. */
const LOWER = new Uint8Array(0x80);
for (const letter of "abcdefghijklmnopqrstuvwxyz0123456789") {
  LOWER[letter.charCodeAt(0)] = LOWER[letter.toUpperCase().charCodeAt(0)] = letter.charCodeAt(0);
}

/** Not adjacent to any position. */
const NOWHERE = -2;

export class SequenceFinder {
  readonly #whole = new Map<string, Target[]>();
  readonly #prefixes: { prefix: string; target: Target }[] = [];
  /** By first letter: bit n if a word of n letters is wanted (bit 31: longer); all bits for prefixes. */
  readonly #lengths = new Int32Array(0x80);
  readonly #progress: Progress[];
  readonly #run = new RunFinder();
  #length = 0;

  constructor(sequences: readonly Sequence[]) {
    for (const [sequence, { steps, prefix }] of sequences.entries()) {
      for (const [step, word] of steps.entries())
        this.#add(word, prefix && step === steps.length - 1, { sequence, step });
    }
    this.#progress = sequences.map(({ steps }) => ({
      position: NOWHERE,
      here: new Int32Array(steps.length),
      before: new Int32Array(steps.length),
    }));
  }

  #add(word: string, isPrefix: boolean, target: Target): void {
    const first = word.charCodeAt(0);
    if (isPrefix) {
      this.#prefixes.push({ prefix: word, target });
      if (first < 0x80) this.#lengths[first] = -1;
      return;
    }
    if (first < 0x80) this.#lengths[first]! |= 1 << Math.min(word.length, 31);
    const targets = this.#whole.get(word);
    if (targets) targets.push(target);
    else this.#whole.set(word, [target]);
  }

  /** Searches one part; sequences do not continue into the next. Returns the number of positions. */
  search(text: string, finds: Finds): number {
    const run = this.#run;
    run.reset(text);
    for (const progress of this.#progress) progress.position = NOWHERE;
    this.#length = 0;
    while (run.next()) {
      if (run.ascii && !run.mayHaveParts) {
        this.#seePlain(text, run, finds);
        this.#length++;
      } else if (run.dense) {
        const { start } = run;
        for (const position of positionsOf(text.slice(start, run.end))) {
          this.#see({ ...position, start: position.start + start, end: position.end + start }, finds);
          this.#length++;
        }
      } else {
        const whole = wholeForm(text, run);
        if (whole === "") continue;
        this.#see({ forms: formsOf(text.slice(run.start, run.end), whole), start: run.start, end: run.end }, finds);
        this.#length++;
      }
    }
    return this.#length;
  }

  /** Reject most words before creating a string. */
  #seePlain(text: string, run: RunFinder, finds: Finds): void {
    const lengths = this.#lengths[LOWER[text.charCodeAt(run.start)]!]!;
    if (lengths === 0 || (lengths & (1 << Math.min(run.end - run.start, 31))) === 0) return;
    this.#see({ forms: [wholeForm(text, run)], start: run.start, end: run.end }, finds);
  }

  #see({ forms, start, end }: Position, finds: Finds): void {
    for (const form of forms) {
      const targets = this.#whole.get(form);
      if (targets) for (const target of targets) this.#take(target, start, end, finds);
      for (const { prefix, target } of this.#prefixes) {
        if (form.startsWith(prefix)) this.#take(target, start, end, finds);
      }
    }
  }

  #take({ sequence, step }: Target, start: number, end: number, finds: Finds): void {
    finds.onStep?.(sequence, step);
    const progress = this.#progress[sequence]!;
    if (progress.position !== this.#length) {
      const { here, before, position } = progress;
      progress.before = position === this.#length - 1 ? here : here.fill(-1);
      progress.here = before.fill(-1);
      progress.position = this.#length;
    }
    const { here, before } = progress;
    const begin = step === 0 ? start : before[step - 1]!;
    // Two forms of one run can match the same step.
    if (begin === -1 || here[step] !== -1) return;
    here[step] = begin;
    if (step === here.length - 1) finds.onFound(sequence, begin, end);
  }
}
