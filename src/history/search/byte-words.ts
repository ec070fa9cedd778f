/**
 * Tests whether words can be in bytes of JSON: a positive answer may be wrong, a negative one never is.
 * Stretches with escapes or letters that are no ASCII are decoded and folded.
 */
import { fold } from "./words.ts";

/** Bytes per chunk: few enough to stay in the processor's cache for each byte that is looked for. */
export const PIECE_BYTES = 64 * 1024;
/** Overlap of two chunks, so that no word is cut: the longest word with its surroundings. */
export const CARRY_BYTES = 1024;

const ESCAPE = Buffer.from("\\u");
const ESCAPE_LENGTH = 6;
const BACKSLASH = 0x5c;
const U = 0x75;
const ZERO = 0x30;
const ONE = 0x31;
/** The first byte of every character that is not ASCII. */
const LETTER_MARKS = Array.from({ length: 0xf5 - 0xc2 }, (_, at) => Buffer.of(0xc2 + at));
/** The first bytes of every character that can fold to an ASCII letter or digit, or to nothing. A test knows all of Unicode. */
export const FOLDING_MARKS: readonly Buffer[] = [
  ..."\xc2\xc3\xc4\xc5\xc6\xc7\xc8\xca\xcb\xcc\xcd\xe1",
  ...["\xe3\x89", "\xe3\x8a", "\xea\x9f", "\xef\xac", "\xef\xb8", "\xef\xbc", "\xef\xbd"],
  ...["\xf0\x90", "\xf0\x9c", "\xf0\x9d"],
].map((mark) => Buffer.from(mark, "latin1"));
/** By the first two bytes of a character: whether it is one of these. */
const canFold = new Uint8Array(0x10000);
for (const [first, second] of FOLDING_MARKS)
  canFold.fill(1, (first! << 8) | (second ?? 0), ((first! << 8) | (second ?? 0xff)) + 1);

export class ByteWords {
  /** The words in ASCII letters and digits only. */
  readonly #plain = new Map<string, PlainWord>();
  readonly #stretches = new Stretches();

  constructor(words: Iterable<string>) {
    for (const word of words) if (/^[a-z0-9]+$/.test(word)) this.#plain.set(word, new PlainWord(word, this.#stretches));
  }

  /** Removes the words that can be in these bytes. */
  takeFound(words: Set<string>, bytes: Buffer): void {
    for (const word of words) if (this.#plain.get(word)?.isIn(bytes)) words.delete(word);
    if (words.size === 0) return;
    this.#takeFoundAt(ESCAPE, words, bytes);
    if ([...words].every((word) => this.#plain.has(word))) return;
    for (const mark of LETTER_MARKS) this.#takeFoundAt(mark, words, bytes);
  }

  #takeFoundAt(mark: Buffer, words: Set<string>, bytes: Buffer): void {
    for (let at = bytes.indexOf(mark); at !== -1;) {
      if (isControl(bytes, at)) {
        at = bytes.indexOf(mark, at + mark.length);
        continue;
      }
      const [start, end] = stretchAround(bytes, at);
      const folded = this.#stretches.folded(bytes, start, end);
      for (const word of words) if (folded.includes(word)) words.delete(word);
      at = bytes.indexOf(mark, end);
    }
  }
}

/** As many positions as a number has bits. */
const MAX_SAMPLED = 32;

/**
 * A word of ASCII letters and digits, in either case or in characters that fold to them. Wherever it is, it has at least as many
 * bytes as letters, because no character folds to more. So one pair of bytes in each such distance shows every place.
 */
class PlainWord {
  readonly #word: string;
  readonly #stretches: Stretches;
  readonly #lower: Buffer;
  readonly #upper: Buffer;
  /** By byte: its positions in the word, one bit each. What is not ASCII can have any. */
  readonly #positions = new Int32Array(256).fill(-1, 0x80);
  readonly #sampled: number;

  constructor(word: string, stretches: Stretches) {
    this.#word = word;
    this.#stretches = stretches;
    this.#lower = Buffer.from(word);
    this.#upper = Buffer.from(word.toUpperCase());
    this.#sampled = Math.min(word.length, MAX_SAMPLED);
    for (let at = 0; at < this.#sampled; at++)
      for (const letter of [this.#lower[at]!, this.#upper[at]!]) this.#positions[letter]! |= 1 << at;
  }

  isIn(bytes: Buffer): boolean {
    const positions = this.#positions;
    const last = this.#sampled - 1;
    // Most files have every letter.
    if (last === 0) return true;
    for (let at = last; at < bytes.length; at += last) {
      const possible = (positions[bytes[at - 1]!]! << 1) & positions[bytes[at]!]!;
      if (possible !== 0 && this.#isAround(bytes, at, possible)) return true;
    }
    return false;
  }

  #isAround(bytes: Buffer, at: number, possible: number): boolean {
    if (bytes[at]! >= 0x80) return this.#isFoldedAround(bytes, at);
    for (let position = 1; position < this.#sampled; position++)
      if ((possible >> position) & 1 && this.#isFrom(bytes, at - position, position)) return true;
    return false;
  }

  /** Goes from one of its letters to both ends, or to the next character that is not ASCII. */
  #isFrom(bytes: Buffer, start: number, position: number): boolean {
    const { length } = this.#lower;
    let before = position;
    while (before >= 0 && this.#isLetter(bytes[start + before]!, before)) before--;
    if (before >= 0) return bytes[start + before]! >= 0x80 && this.#isFoldedAround(bytes, start + before);
    let after = position + 1;
    while (after < length && this.#isLetter(bytes[start + after]!, after)) after++;
    return after === length || (bytes[start + after]! >= 0x80 && this.#isFoldedAround(bytes, start + after));
  }

  #isLetter(byte: number, position: number): boolean {
    return byte === this.#lower[position] || byte === this.#upper[position];
  }

  /** Whether the word is in the stretch around a character that is not ASCII. */
  #isFoldedAround(bytes: Buffer, mark: number): boolean {
    let first = mark;
    while (isContinued(bytes[first]!)) first--;
    if (canFold[(bytes[first]! << 8) | bytes[first + 1]!] === 0) return false;
    return this.#stretches.folded(bytes, ...stretchAround(bytes, first)).includes(this.#word);
  }
}

/** Cache of folded stretches; most are the same few words. */
const MOST_REMEMBERED = 4096;
const LONGEST_REMEMBERED = 64;

class Stretches {
  readonly #folded = new Map<string, string>();

  folded(bytes: Buffer, start: number, end: number): string {
    const stretch = bytes.toString("latin1", start, end);
    let folded = this.#folded.get(stretch);
    if (folded !== undefined) return folded;
    folded = foldedJson(stretch);
    // After another backslash this one is no escape, but text.
    if (stretch.startsWith("\\u")) folded += ` ${foldedJson(stretch.slice(1))}`;
    if (this.#folded.size >= MOST_REMEMBERED) this.#folded.clear();
    if (stretch.length <= LONGEST_REMEMBERED) this.#folded.set(stretch, folded);
    return folded;
  }
}

function foldedJson(latin1: string): string {
  const text = Buffer.from(latin1, "latin1").toString("utf8");
  return fold(text.replace(/\\u([0-9a-f]{4})/gi, (_, code: string) => String.fromCharCode(Number(`0x${code}`))));
}

/** Whether this is an escaped control character (or, after a backslash, such a text): it adds nothing to a word. */
function isControl(bytes: Buffer, at: number): boolean {
  return bytes[at] === BACKSLASH && bytes[at + 2] === ZERO && bytes[at + 3] === ZERO && (bytes[at + 4]! | 1) === ONE;
}

/** The word around a mark. A mark before it has a stretch of its own, which reaches at least as far. */
function stretchAround(bytes: Buffer, mark: number): [start: number, end: number] {
  let start = mark;
  while (start > 0 && isInWord(bytes[start - 1]!)) start--;
  let end = mark;
  for (;;) {
    if (bytes[end] === BACKSLASH && bytes[end + 1] === U) end += ESCAPE_LENGTH;
    else if (isInWord(bytes[end]!)) end++;
    else return [start, end];
  }
}

/** Not the first byte of its character. */
function isContinued(byte: number): boolean {
  return (byte & 0xc0) === 0x80;
}

function isInWord(byte: number): boolean {
  return (
    byte >= 0x80 || (byte >= 0x30 && byte <= 0x39) || (byte >= 0x41 && byte <= 0x5a) || (byte >= 0x61 && byte <= 0x7a)
  );
}
