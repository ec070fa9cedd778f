/**
 * Tests whether words can be in bytes of JSON: a positive answer may be wrong, a negative one never is.
 * Bytes are decoded as Latin-1, one character each, so that regular expressions can match them.
 */
import { fold, RunFinder } from "./words.ts";

/** Bytes per chunk: V8 takes several times as long to create longer strings. */
export const PIECE_BYTES = 64 * 1024;
/** Overlap of two chunks, so that no word is cut: the longest word with its surroundings. */
export const CARRY_BYTES = 1024;

/** In place of an offset: no match, or a preceding letter is escaped, so only a parser can tell. */
export const NOWHERE = -1;
export const ESCAPED = -2;

/** A letter or digit as `\uXXXX`, except known non-letters: controls, signs, emoji, low surrogates, variation selectors. */
const ESCAPE =
  String.raw`\\u(?=[0-9a-f]{4})` +
  String.raw`(?!00(?:[0-2]|3[a-f]|40|5[b-f]|60|7[b-f]|[89]|a[0-9])|2[0-9ab]|d83[c-e]|d[c-f]|fe0|fff)`;
const BACKSLASH = 0x5c;

/** Bytes examined on either side of a character that folds to ASCII; no word reaches further. */
const WINDOW = 320;
/** Cache of examined stretches; most are the same few words. */
const MOST_REMEMBERED = 4096;

/** More spellings of a letter than this cost more than they save. */
const MAX_VARIANTS = 8;

export class ByteWords {
  /** Undefined if one of the words has too many spellings, so that it can be anywhere. */
  readonly #pattern: RegExp | undefined;
  /** Words that may contain non-ASCII characters. */
  readonly #ascii: readonly string[];
  readonly #remembered = new Map<string, boolean>();

  constructor(words: readonly string[]) {
    this.#ascii = words.filter((word) => isPlain(word));
    const needles = words.map((word) => (isPlain(word) ? [word] : needlesOf(word)));
    if (!needles.includes(undefined))
      this.#pattern = new RegExp([...needles.flatMap((each) => each!), ESCAPE].join("|"), "gi");
  }

  /** The first offset, from `from` on, where one of the words can be. `text`: the bytes as Latin-1. */
  find(bytes: Buffer, text: string, from = 0): number {
    if (this.#pattern === undefined) return from;
    const place = this.#findAsIs(text, from);
    if (place === ESCAPED) return place;
    const folded = this.#findFolded(bytes, text, from, place === NOWHERE ? text.length : place);
    return folded === NOWHERE ? place : folded;
  }

  #findAsIs(text: string, from: number): number {
    const pattern = this.#pattern!;
    for (pattern.lastIndex = from; ;) {
      const found = pattern.exec(text);
      if (found === null) return NOWHERE;
      if (text.charCodeAt(found.index) !== BACKSLASH) return found.index;
      if (!isEscapedItself(text, found.index)) return ESCAPED;
    }
  }

  /** The same for the folded text. */
  #findFolded(bytes: Buffer, text: string, from: number, end: number): number {
    const { leads, pairs } = foldableBytes();
    // Most texts have none, and searching for single bytes is much faster.
    const looked = bytes.subarray(from, end);
    if (this.#ascii.length === 0 || !leads.some((lead) => looked.includes(lead))) return NOWHERE;
    for (pairs.lastIndex = from; ;) {
      const at = pairs.exec(text)?.index ?? end;
      if (at >= end) return NOWHERE;
      let [start, stop] = [at, at + 1];
      while (start > 0 && at - start < WINDOW && isInWord(bytes[start - 1]!)) start--;
      while (stop < bytes.length && stop - at < WINDOW && isInWord(bytes[stop]!)) stop++;
      if (this.#foldsToWord(bytes, text, start, stop)) return at;
      pairs.lastIndex = stop;
    }
  }

  #foldsToWord(bytes: Buffer, text: string, start: number, end: number): boolean {
    const stretch = text.slice(start, end);
    let isWord = this.#remembered.get(stretch);
    if (isWord === undefined) {
      isWord = holdsFolded(bytes.toString("utf8", start, end), this.#ascii);
      if (this.#remembered.size >= MOST_REMEMBERED) this.#remembered.clear();
      this.#remembered.set(stretch, isWord);
    }
    return isWord;
  }
}

/** Only ASCII letters and digits. */
export function isPlain(word: string): boolean {
  return /^[a-z0-9]+$/.test(word);
}

function isInWord(byte: number): boolean {
  return (
    byte >= 0x80 || (byte >= 0x30 && byte <= 0x39) || (byte >= 0x41 && byte <= 0x5a) || (byte >= 0x61 && byte <= 0x7a)
  );
}

function holdsFolded(text: string, words: readonly string[]): boolean {
  const run = new RunFinder();
  run.reset(text);
  while (run.next()) {
    const folded = fold(text.slice(run.start, run.end));
    if (words.some((word) => folded.includes(word))) return true;
  }
  return false;
}

function isEscapedItself(text: string, at: number): boolean {
  let before = at;
  while (before > 0 && text.charCodeAt(before - 1) === BACKSLASH) before--;
  return (at - before) % 2 === 1;
}

interface FoldableBytes {
  leads: readonly number[];
  pairs: RegExp;
}

let madeFoldable: FoldableBytes | undefined;

/** The first byte, and the first two, of every character that can fold to an ASCII letter or to nothing. */
function foldableBytes(): FoldableBytes {
  madeFoldable ??= makeFoldable();
  return madeFoldable;
}

function makeFoldable(): FoldableBytes {
  const seconds = new Map<number, Set<number>>();
  for (const [first, last] of FOLDABLE) {
    for (let point = first; point <= last;) {
      // The number of consecutive code points with the same two leading bytes.
      const step = point < 0x800 ? 1 : point < 0x10000 ? 64 : 4096;
      const lead = point < 0x800 ? 0xc0 | (point >> 6) : point < 0x10000 ? 0xe0 | (point >> 12) : 0xf0 | (point >> 18);
      if (!seconds.has(lead)) seconds.set(lead, new Set());
      seconds.get(lead)!.add(0x80 | (Math.floor(point / step) & 0x3f));
      point = (Math.floor(point / step) + 1) * step;
    }
  }
  const pairs = Array.from(seconds, ([lead, after]) => `${escaped(lead)}[${[...after].map(escaped).join("")}]`);
  return { leads: [...seconds.keys()], pairs: new RegExp(pairs.join("|"), "g") };
}

function escaped(byte: number): string {
  return `\\x${byte.toString(16)}`;
}

/** One of these must be present. Undefined: too many spellings. */
function needlesOf(word: string): string[] | undefined {
  const texts = fixedPart(word) ?? rarestLetter(word);
  return texts && texts.map((text) => Array.from(Buffer.from(text), escaped).join(""));
}

/** The longest part of the word with a single spelling; one or two letters are not worth it. */
function fixedPart(word: string): string[] | undefined {
  let longest = "";
  let piece = "";
  for (const character of word) {
    piece = character > "\u007f" && variantsOf(character).size === 1 ? piece + character : "";
    if (piece.length > longest.length) longest = piece;
  }
  return longest === "" ? undefined : [longest];
}

function rarestLetter(word: string): string[] | undefined {
  let fewest: ReadonlySet<string> | undefined;
  for (const character of word) {
    if (character <= "\u007f") continue;
    const variants = variantsOf(character);
    if (fewest === undefined || variants.size < fewest.size) fewest = variants;
  }
  return fewest && fewest.size <= MAX_VARIANTS ? [...fewest] : undefined;
}

/**
 * A superset of the characters whose folding is empty or contains an ASCII letter or digit. A test checks it against all of
 * Unicode.
 */
export const FOLDABLE: readonly (readonly [first: number, last: number])[] = [
  [0xaa, 0xaa],
  [0xb2, 0xb3],
  [0xb9, 0xba],
  [0xbc, 0xbe],
  [0xc0, 0x233],
  [0x2b0, 0x37a],
  [0x1ab0, 0x1aff],
  [0x1d2c, 0x1ef9],
  [0x3251, 0x32bf],
  [0xa7f1, 0xa7f9],
  [0xfb00, 0xfb06],
  [0xfe20, 0xfe2f],
  [0xff10, 0xff5a],
  [0x10783, 0x107a5],
  [0x1ccf0, 0x1ccf9],
  [0x1d400, 0x1d7ff],
];

/** Blocks with characters that fold to others. Ideographs and Hangul syllables, most of Unicode, fold to themselves. */
const CHANGING: readonly (readonly [first: number, last: number])[] = [
  [0x80, 0x33ff],
  [0xa000, 0xabff],
  [0xf900, 0xffff],
  [0x10400, 0x118ff],
  [0x16e00, 0x16eff],
  [0x1ccd0, 0x1ccff],
  [0x1d400, 0x1d7ff],
  [0x1e000, 0x1efff],
  [0x2f800, 0x2fa1f],
];

let variants: Map<string, Set<string>> | undefined;

/** Every character that can stand for this non-ASCII one: itself, its other case, compatibility forms, its base letter. */
export function variantsOf(character: string): ReadonlySet<string> {
  variants ??= findVariants();
  const found = new Set(variants.get(character)).add(character);
  // Decomposed text has the base letter first; anything may follow it.
  const [base] = character.normalize("NFD");
  if (base !== undefined && base !== character) for (const variant of variantsOf(base)) found.add(variant);
  return found;
}

function findVariants(): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  for (const [first, last] of CHANGING) {
    for (let point = first; point <= last; point++) {
      if (point >= 0xd800 && point <= 0xdfff) continue;
      const character = String.fromCodePoint(point);
      if (character.normalize("NFKD") === character && character.toLowerCase() === character && character !== "ς")
        continue;
      for (const folded of fold(character)) {
        const set = found.get(folded);
        if (set) set.add(character);
        else found.set(folded, new Set([character]));
      }
    }
  }
  return found;
}
