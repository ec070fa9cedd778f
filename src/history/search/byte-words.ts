/**
 * Tests whether words can be in bytes of JSON: a positive answer may be wrong, a negative one never is.
 * Bytes are decoded as Latin-1, one character each. Letters that are no ASCII stand in stretches that are decoded and folded.
 */
import { fold } from "./words.ts";

/** Bytes per chunk: V8 takes several times as long to create longer strings. */
export const PIECE_BYTES = 64 * 1024;
/** Overlap of two chunks, so that no word is cut: the longest word with its surroundings. */
export const CARRY_BYTES = 1024;

const ESCAPE = "\\u";
const ESCAPE_LENGTH = 6;
/** The first byte of every character that is not ASCII. */
const LETTER_MARKS = Array.from({ length: 0xf5 - 0xc2 }, (_, at) => String.fromCharCode(0xc2 + at));
/** The first bytes of every character that can fold to an ASCII letter or digit, or to nothing. A test knows all of Unicode. */
export const FOLDING_MARKS: readonly string[] = [
  ..."\xc2\xc3\xc4\xc5\xc6\xc7\xc8\xca\xcb\xcc\xcd\xe1",
  ...["\xe3\x89", "\xe3\x8a", "\xea\x9f", "\xef\xac", "\xef\xb8", "\xef\xbc", "\xef\xbd"],
  ...["\xf0\x90", "\xf0\x9c", "\xf0\x9d"],
];

/** Cache of folded stretches; most are the same few words. */
const MOST_REMEMBERED = 4096;
const LONGEST_REMEMBERED = 64;

export class ByteWords {
  /** The words in ASCII letters and digits only. */
  readonly #plain = new Map<string, RegExp>();
  readonly #folded = new Map<string, string>();

  constructor(words: Iterable<string>) {
    for (const word of words) if (/^[a-z0-9]+$/.test(word)) this.#plain.set(word, new RegExp(word, "i"));
  }

  /** Removes the words that can be in these bytes. */
  takeFound(words: Set<string>, bytes: Buffer): void {
    const text = bytes.toString("latin1");
    for (const word of words) if (this.#plain.get(word)?.test(text)) words.delete(word);
    if (words.size === 0) return;
    const isPlain = [...words].every((word) => this.#plain.has(word));
    for (const mark of [ESCAPE, ...(isPlain ? FOLDING_MARKS : LETTER_MARKS)]) {
      for (let at = text.indexOf(mark); at !== -1;) {
        const [start, end] = stretchAround(text, at);
        const folded = this.#foldedStretch(text.slice(start, end));
        for (const word of words) if (folded.includes(word)) words.delete(word);
        at = text.indexOf(mark, end);
      }
    }
  }

  #foldedStretch(stretch: string): string {
    let folded = this.#folded.get(stretch);
    if (folded !== undefined) return folded;
    folded = foldedJson(stretch);
    // After another backslash this one is no escape, but text.
    if (stretch.startsWith(ESCAPE)) folded += ` ${foldedJson(stretch.slice(1))}`;
    if (this.#folded.size >= MOST_REMEMBERED) this.#folded.clear();
    if (stretch.length <= LONGEST_REMEMBERED) this.#folded.set(stretch, folded);
    return folded;
  }
}

function foldedJson(latin1: string): string {
  const text = Buffer.from(latin1, "latin1").toString("utf8");
  return fold(text.replace(/\\u([0-9a-f]{4})/gi, (_, code: string) => String.fromCharCode(Number(`0x${code}`))));
}

/** The word around a mark. A mark before it has a stretch of its own, which reaches at least as far. */
function stretchAround(text: string, mark: number): [start: number, end: number] {
  let start = mark;
  while (start > 0 && isInWord(text.charCodeAt(start - 1))) start--;
  let end = mark;
  for (;;) {
    if (text.startsWith(ESCAPE, end)) end += ESCAPE_LENGTH;
    else if (isInWord(text.charCodeAt(end))) end++;
    else return [start, end];
  }
}

function isInWord(byte: number): boolean {
  return (
    byte >= 0x80 || (byte >= 0x30 && byte <= 0x39) || (byte >= 0x41 && byte <= 0x5a) || (byte >= 0x61 && byte <= 0x7a)
  );
}
