/**
 * The distinct words of a passage, as the index stores them. They are compared by 64-bit hash, because creating a string for
 * each repetition would dominate index building; a collision within one passage is practically impossible.
 */
import { MAX_CODE_LETTERS, MAX_WORD, MIN_CODE_DIGITS, MIN_PART, positionsOf, RunFinder } from "./words.ts";
import { oneLine } from "../../lib/text/text.ts";
import type { DocumentMessage } from "./document.ts";

/** Initial table size; a power of two. */
const FIRST_SIZE = 1 << 13;
const FIRST_BYTES = 1 << 16;

/** Two independent multiplicative hashes. */
const LOW_BEGIN = 0x811c9dc5 | 0;
const LOW_FACTOR = 0x01000193;
const HIGH_FACTOR = 0x5bd1e995;

const NONE = 0;
const OTHER = 1;
const UPPER = 2;
/** Not ASCII. */
const BEYOND = 3;
const KINDS = Uint8Array.from({ length: 0x80 }, (_, unit) => {
  const character = String.fromCharCode(unit);
  return /[A-Z]/.test(character) ? UPPER : /[a-z0-9]/.test(character) ? OTHER : NONE;
});

const SPACE = 0x20;
const UPPER_A = 0x41;
const UPPER_Z = 0x5a;
const LOWER_A = 0x61;
const LOWER_Z = 0x7a;

export class PassageWords {
  readonly #run = new RunFinder();
  /** The words so far, separated by spaces. */
  #bytes = Buffer.allocUnsafe(FIRST_BYTES);
  #length = 0;
  #count = 0;
  /** By slot: the word (and with it both halves of its hash), valid in the passage with this number. */
  #passages = new Uint32Array(FIRST_SIZE);
  #lows = new Int32Array(FIRST_SIZE);
  #highs = new Int32Array(FIRST_SIZE);
  #passage = 1;

  /** Returns the number of positions in the text. */
  add(text: string): number {
    const { length } = text;
    let positions = 0;
    for (let at = 0; at < length;) {
      let unit = text.charCodeAt(at);
      let kind = unit < 0x80 ? KINDS[unit]! : BEYOND;
      if (kind === NONE) {
        at++;
        continue;
      }
      const start = at;
      let low = LOW_BEGIN;
      let high = 0;
      let hasUpper = false;
      while (kind !== NONE && kind !== BEYOND) {
        if (kind === UPPER) {
          unit |= 0x20;
          hasUpper = true;
        }
        low = Math.imul(low ^ unit, LOW_FACTOR);
        high = (Math.imul(high, HIGH_FACTOR) + unit) | 0;
        if (++at === length) break;
        unit = text.charCodeAt(at);
        kind = unit < 0x80 ? KINDS[unit]! : BEYOND;
      }
      if (kind === BEYOND && at < length) {
        at = this.#addRun(text, start);
        positions += this.#positions;
        continue;
      }
      positions++;
      if (at - start > MAX_WORD) this.#addPlain(text, start, start + MAX_WORD);
      else {
        this.#insert(text, start, at, low, high);
        if (hasUpper) this.#addParts(text, start, at);
      }
    }
    return positions;
  }

  #positions = 0;

  /** The next run at or after `from`, of any kind. Returns its end. */
  #addRun(text: string, from: number): number {
    const run = this.#run;
    run.reset(text, from);
    this.#positions = 0;
    if (!run.next()) return text.length;
    const slice = text.slice(run.start, run.end);
    for (const { forms } of positionsOf(slice)) {
      for (const form of forms) this.#addPlain(form, 0, form.length);
      this.#positions++;
    }
    return run.end;
  }

  /** The parts between changes of case, or of a code, as `formsOf` finds them in ASCII. */
  #addParts(text: string, start: number, end: number): void {
    let from = start;
    for (let at = start + 1; at < end; at++) {
      if (!isUpper(text.charCodeAt(at))) continue;
      const isBoundary = isLower(text.charCodeAt(at - 1)) || (at + 1 < end && isLower(text.charCodeAt(at + 1)));
      if (!isBoundary) continue;
      if (at - from >= MIN_PART) this.#addPlain(text, from, at);
      from = at;
    }
    if (from === start) this.#addCode(text, start, end);
    else if (end - from >= MIN_PART) this.#addPlain(text, from, end);
  }

  #addCode(text: string, start: number, end: number): void {
    let digits = start;
    while (digits < end && isUpper(text.charCodeAt(digits))) digits++;
    const letters = digits - start;
    if (letters === 0 || letters > MAX_CODE_LETTERS || end - digits < MIN_CODE_DIGITS) return;
    for (let at = digits; at < end; at++) if (!isDigit(text.charCodeAt(at))) return;
    if (letters >= MIN_PART) this.#addPlain(text, start, digits);
    this.#addPlain(text, digits, end);
  }

  /** A stretch that is folded except for the case of ASCII letters. */
  #addPlain(text: string, start: number, end: number): void {
    let low = LOW_BEGIN;
    let high = 0;
    for (let at = start; at < end; at++) {
      let unit = text.charCodeAt(at);
      if (unit >= UPPER_A && unit <= UPPER_Z) unit |= 0x20;
      low = Math.imul(low ^ unit, LOW_FACTOR);
      high = (Math.imul(high, HIGH_FACTOR) + unit) | 0;
    }
    this.#insert(text, start, end, low, high);
  }

  #insert(text: string, start: number, end: number, low: number, high: number): void {
    const passages = this.#passages;
    const mask = passages.length - 1;
    let place = (low ^ (low >>> 15)) & mask;
    while (passages[place] === this.#passage) {
      if (this.#lows[place] === low && this.#highs[place] === high) return;
      place = (place + 1) & mask;
    }
    passages[place] = this.#passage;
    this.#lows[place] = low;
    this.#highs[place] = high;
    this.#write(text, start, end);
    if (++this.#count * 2 > mask) this.#grow();
  }

  #write(text: string, start: number, end: number): void {
    // A UTF-16 unit takes at most three bytes.
    const most = 3 * (end - start) + 1;
    if (this.#length + most > this.#bytes.length) {
      this.#bytes = Buffer.concat([this.#bytes, Buffer.allocUnsafe(this.#bytes.length + most)]);
    }
    const bytes = this.#bytes;
    let length = this.#length;
    for (let at = start; at < end; at++) {
      const unit = text.charCodeAt(at);
      if (unit >= 0x80) {
        length = this.#length + bytes.write(text.slice(start, end), this.#length);
        break;
      }
      bytes[length++] = unit >= UPPER_A && unit <= UPPER_Z ? unit | 0x20 : unit;
    }
    bytes[length++] = SPACE;
    this.#length = length;
  }

  #grow(): void {
    const [passages, lows, highs] = [this.#passages, this.#lows, this.#highs];
    const size = passages.length * 2;
    this.#passages = new Uint32Array(size);
    this.#lows = new Int32Array(size);
    this.#highs = new Int32Array(size);
    for (let from = 0; from < passages.length; from++) {
      if (passages[from] !== this.#passage) continue;
      const low = lows[from]!;
      let place = (low ^ (low >>> 15)) & (size - 1);
      while (this.#passages[place] === this.#passage) place = (place + 1) & (size - 1);
      this.#passages[place] = this.#passage;
      this.#lows[place] = low;
      this.#highs[place] = highs[from]!;
    }
  }

  /** All words since the last call. */
  take(): string {
    const words = this.#bytes.toString("utf8", 0, Math.max(0, this.#length - 1));
    this.#length = 0;
    this.#count = 0;
    this.#passage++;
    return words;
  }
}

function isUpper(unit: number): boolean {
  return unit >= UPPER_A && unit <= UPPER_Z;
}

function isDigit(unit: number): boolean {
  return unit >= 0x30 && unit <= 0x39;
}

function isLower(unit: number): boolean {
  return unit >= LOWER_A && unit <= LOWER_Z;
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
