/**
 * Tests whether words can be in bytes of JSON: a positive answer may be wrong, a negative one never is.
 * Letters that are no ASCII stand in stretches that are decoded and folded.
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

/** Cache of folded stretches; most are the same few words. */
const MOST_REMEMBERED = 4096;
const LONGEST_REMEMBERED = 64;

export class ByteWords {
  /** The words in ASCII letters and digits only. */
  readonly #plain = new Map<string, PlainWord>();
  readonly #folded = new Map<string, string>();

  constructor(words: Iterable<string>) {
    for (const word of words) if (/^[a-z0-9]+$/.test(word)) this.#plain.set(word, new PlainWord(word));
  }

  /** Removes the words that can be in these bytes. */
  takeFound(words: Set<string>, bytes: Buffer): void {
    for (const word of words) if (this.#plain.get(word)?.isIn(bytes)) words.delete(word);
    if (words.size === 0) return;
    const isPlain = [...words].every((word) => this.#plain.has(word));
    /** By value: whether this byte is there. One is found faster than two, and most are in no text. */
    const isThere: boolean[] = [];
    for (const mark of [ESCAPE, ...(isPlain ? FOLDING_MARKS : LETTER_MARKS)]) {
      const first = mark[0]!;
      if (!(isThere[first] ??= bytes.includes(first))) continue;
      for (let at = bytes.indexOf(mark); at !== -1;) {
        if (isControl(bytes, at)) {
          at = bytes.indexOf(mark, at + mark.length);
          continue;
        }
        const [start, end] = stretchAround(bytes, at);
        const folded = this.#foldedStretch(bytes.toString("latin1", start, end));
        for (const word of words) if (folded.includes(word)) words.delete(word);
        at = bytes.indexOf(mark, end);
      }
    }
  }

  #foldedStretch(stretch: string): string {
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

/**
 * A word of ASCII letters and digits in either case, by Horspool's method: the byte at the word's end tells how far the next
 * place is where the word can end.
 */
class PlainWord {
  readonly #lower: Buffer;
  readonly #upper: Buffer;
  readonly #steps: Uint8Array;

  constructor(word: string) {
    this.#lower = Buffer.from(word);
    this.#upper = Buffer.from(word.toUpperCase());
    this.#steps = new Uint8Array(256).fill(word.length);
    for (let at = 0; at < word.length - 1; at++)
      this.#steps[this.#lower[at]!] = this.#steps[this.#upper[at]!] = word.length - 1 - at;
  }

  isIn(bytes: Buffer): boolean {
    const steps = this.#steps;
    const last = this.#lower.length - 1;
    const [lower, upper] = [this.#lower[last], this.#upper[last]];
    for (let at = last; at < bytes.length;) {
      const byte = bytes[at]!;
      if ((byte === lower || byte === upper) && this.#startsAt(bytes, at - last)) return true;
      at += steps[byte]!;
    }
    return false;
  }

  #startsAt(bytes: Buffer, start: number): boolean {
    const { length } = this.#lower;
    let at = 0;
    while (at < length && (bytes[start + at] === this.#lower[at] || bytes[start + at] === this.#upper[at])) at++;
    return at === length;
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

function isInWord(byte: number): boolean {
  return (
    byte >= 0x80 || (byte >= 0x30 && byte <= 0x39) || (byte >= 0x41 && byte <= 0x5a) || (byte >= 0x61 && byte <= 0x7a)
  );
}
