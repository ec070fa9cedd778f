/**
 * Whether a word can be in bytes of JSON: a test that may be wrong when it says yes, never when it says no. The word may
 * stand there in any case, with letters outside ASCII for its own (é, ﬁ, combining marks), or inside of a longer word.
 */
import { ESCAPED, type ByteScanner, type Needle } from "../../lib/byte-scan.ts";
import { FOLDABLE, variantsOf } from "./foldable.ts";
import { fold, RunFinder } from "./words.ts";

/** Whether the word can be in the scanner's bytes before `end`. */
export interface Probe {
  (end: number): boolean;
  /** The same; undefined when a letter is written as an escape before the place where it is. */
  unescaped(end: number): boolean | undefined;
}

const ASCII = /^[\x00-\x7f]*$/;
/** More needles than this cost more than they save. */
const MAX_VARIANTS = 8;
/** Bytes around a loose place that are looked at; no word reaches further. */
const WINDOW = 320;

export function prepareScanner(scanner: ByteScanner): void {
  scanner.setFoldable(FOLDABLE);
}

export function probeFor(word: string, scanner: ByteScanner): Probe {
  if (ASCII.test(word)) return asciiProbe(word, scanner);
  const needles = needlesOf(word, scanner);
  const probe = (end: number): boolean => needles === undefined || needles.some((needle) => needle.find(0, end) !== -1);
  const unescaped = (end: number): boolean | undefined =>
    probe(end) || (scanner.hasEscapedLetter(end) ? undefined : false);
  return Object.assign(probe, { unescaped });
}

function asciiProbe(word: string, scanner: ByteScanner): Probe {
  const needle = scanner.needle(Buffer.from(word), { ignoreCase: true, loose: true });
  const probe = (end: number): boolean => placeOf(word, scanner, needle.find, 0, end) !== -1;
  const unescaped = (end: number): boolean | undefined => {
    const at = placeOf(word, scanner, needle.findUnescaped, 0, end);
    return at === ESCAPED ? undefined : at !== -1;
  };
  return Object.assign(probe, { unescaped });
}

/** Where the word can be in the scanner's bytes; -1 for nowhere, ESCAPED when a letter is written as an escape before it. */
export type Finder = (from: number, end: number) => number;

/** Of a word of ASCII letters and digits. */
export function asciiFinder(word: string, scanner: ByteScanner): Finder {
  const needle = scanner.needle(Buffer.from(word), { ignoreCase: true, loose: true });
  return (from, end) => placeOf(word, scanner, needle.findUnescaped, from, end);
}

function placeOf(word: string, scanner: ByteScanner, find: Needle["find"], start: number, end: number): number {
  for (let from = start; ;) {
    const at = find(from, end);
    if (at < 0 || !scanner.isLoose) return at;
    const around = scanner.bytes.subarray(Math.max(0, at - WINDOW), Math.min(end, at + WINDOW));
    if (isFoldedIn(around, word)) return at;
    from = at + 1;
  }
}

function isFoldedIn(bytes: Buffer, word: string): boolean {
  const text = bytes.toString("utf8");
  const run = new RunFinder();
  run.reset(text);
  while (run.next()) if (fold(text.slice(run.start, run.end)).includes(word)) return true;
  return false;
}

/** One of these must be there. Undefined: too many ways to write it. */
function needlesOf(word: string, scanner: ByteScanner): Needle[] | undefined {
  const texts = fixedPart(word) ?? rarestLetter(word);
  return texts && texts.map((text) => scanner.needle(Buffer.from(text)));
}

/** The longest piece of the word that can be written in one way only; of a letter or two it is not worth it. */
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
