/**
 * What a word is. The cold scan, the index and the query all go by this one definition.
 *
 * A *run* is an unbroken sequence of letters, digits and marks. Everything else separates, so the parts of snake_case,
 * kebab-case, paths, dotted names and error codes are runs of their own; together they are found as a phrase.
 *
 * A run takes one *position* and has one or more *forms*, each of which finds it:
 *   - the whole of it, folded: `parseHTTPHeader` by `parsehttpheader`
 *   - the parts a change of case divides it into, if it is no longer than MAX_WORD: `parse`, `http`, `header`
 *   - the letters and the digits of a code, a few capital letters and then digits to its end: `TS2345` by `ts` and `2345`
 * Chinese, Japanese, Korean, Thai, Lao, Khmer and Burmese are written without spaces, or glue endings to words. There
 * each character is a position, found by itself and together with the character after it, so that any piece of
 * such a text is found as a sequence of pairs.
 *
 * Folding: compatibility forms are unified, case and diacritics dropped; at most MAX_WORD units are kept.
 */

/** What is longer is a key, a hash or a blob: kept by its beginning, so that it is still found by the same beginning. */
export const MAX_WORD = 64;
/** A single letter out of `eMail` or `xAxis` finds too much to be worth its place. */
export const MIN_PART = 2;

/** Of codes: E0308, TS2345, ORA01555. More letters are a name, fewer digits a version or a size. */
export const MAX_CODE_LETTERS = 5;
export const MIN_CODE_DIGITS = 3;

/** Separator, ASCII in three kinds, other letters, letters written without spaces, first half of a surrogate pair. */
const NONE = 0;
const DIGIT = 1;
const LOWER = 2;
const UPPER = 3;
const OTHER = 4;
const DENSE = 5;
const PAIR = 6;
const UNKNOWN = 255;

/**
 * Superscripts, numbers in circles, Roman numerals and letterlike signs stand among arrows, dashes and boxes, some digits
 * among emoji. They are taken for signs like those: nothing that begins with the bytes E2 or F0 9F can be an ASCII letter
 * then, and a scan of bytes need not look closer at what stands in every terminal's output.
 */
const SIGN = /[\u2000-\u2bff\u2c7c\u2c7d\u{1f000}-\u{1ffff}]/u;

/** Made when first needed: what Unicode says of all characters takes longer to look up than most questions to answer. */
function patternsOf() {
  return {
    wordCharacter: /^[\p{L}\p{N}\p{M}]$/u,
    noWordCharacters: /[^\p{L}\p{N}\p{M}]/gu,
    denseScript:
      /^[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}\p{scx=Bopomofo}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}]$/u,
    /** A lower-case letter before an upper-case one, or an upper-case letter with a lower-case one behind it. */
    caseChange: /(?<=\p{Ll})(?=\p{Lu})|(?<=[\p{L}\p{N}\p{M}])(?=\p{Lu}\p{Ll})/u,
  };
}

let made: ReturnType<typeof patternsOf> | undefined;

function patterns(): ReturnType<typeof patternsOf> {
  made ??= patternsOf();
  return made;
}

/** Kind of each UTF-16 unit, found out when it is first met. */
const kinds = new Uint8Array(0x10000).fill(UNKNOWN);
kinds.fill(NONE, 0, 0x80).fill(DIGIT, 0x30, 0x3a).fill(UPPER, 0x41, 0x5b).fill(LOWER, 0x61, 0x7b);

function kindOfUnit(unit: number): number {
  let kind = kinds[unit]!;
  if (kind !== UNKNOWN) return kind;
  if (unit >= 0xd800 && unit <= 0xdfff) kind = unit < 0xdc00 ? PAIR : NONE;
  else kind = kindOfCharacter(String.fromCharCode(unit));
  kinds[unit] = kind;
  return kind;
}

function kindOfCharacter(character: string): number {
  // Most of what is not ASCII is one of these, and asks nothing of Unicode.
  if (SIGN.test(character)) return NONE;
  const { wordCharacter, denseScript } = patterns();
  if (!wordCharacter.test(character)) return NONE;
  return denseScript.test(character) ? DENSE : OTHER;
}

/** Finds the runs of a text, one after the other, without making strings of them. */
export class RunFinder {
  #text = "";
  #next = 0;
  start = 0;
  end = 0;
  /** Only ASCII letters and digits. */
  ascii = true;
  /** Of a script written without spaces. */
  dense = false;
  /** ASCII with an upper-case letter behind the first place, or with a digit behind one in the first: it may have parts. */
  mayHaveParts = false;

  reset(text: string, from = 0): void {
    this.#text = text;
    this.#next = from;
  }

  /** Moves to the next run; false at the end of the text. */
  next(): boolean {
    const text = this.#text;
    const length = text.length;
    let at = this.#next;
    let kind: number = NONE;
    for (; at < length; at++) {
      const unit = text.charCodeAt(at);
      kind = unit < 0x80 ? kinds[unit]! : this.#kindAt(at, unit);
      if (kind !== NONE) break;
    }
    this.start = at;
    if (at >= length) {
      this.#next = length;
      return false;
    }
    this.dense = kind === DENSE;
    this.ascii = kind <= UPPER;
    this.mayHaveParts = kind === UPPER && kinds[text.charCodeAt(at + 1)] === DIGIT;
    at += this.#widthAt(at);
    while (at < length) {
      const unit = text.charCodeAt(at);
      if (unit < 0x80) {
        kind = kinds[unit]!;
        if (kind === NONE || this.dense) break;
        if (kind === UPPER) this.mayHaveParts = true;
        at++;
      } else {
        kind = this.#kindAt(at, unit);
        if (kind === NONE || (kind === DENSE) !== this.dense) break;
        this.ascii = false;
        at += this.#widthAt(at);
      }
    }
    this.end = at;
    this.#next = at;
    return true;
  }

  #kindAt(at: number, unit: number): number {
    const kind = kindOfUnit(unit);
    if (kind !== PAIR) return kind;
    const point = this.#text.codePointAt(at)!;
    // A lone half is no character.
    return point > 0xffff ? kindOfCharacter(String.fromCodePoint(point)) : NONE;
  }

  #widthAt(at: number): number {
    return this.#text.codePointAt(at)! > 0xffff ? 2 : 1;
  }
}

const DIACRITICS = /[\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]/g;

/**
 * Lower-case letters that Unicode leaves as they are, although it writes them otherwise in upper case (STRASSE, IRMAK), in
 * another place of the word (ς), or only by a stroke or a joint: people type Lodz, smorrebrod and oeuvre.
 */
const BARE_LETTERS: Readonly<Record<string, string>> = {
  ß: "ss",
  ı: "i",
  ς: "σ",
  ł: "l",
  ø: "o",
  đ: "d",
  ħ: "h",
  ŧ: "t",
  æ: "ae",
  œ: "oe",
};
const BARE = new RegExp(`[${Object.keys(BARE_LETTERS).join("")}]`, "g");

/** Folding as above, of the letters and digits of a run (or of a part of one), not cut. */
export function fold(run: string): string {
  if (isPlain(run)) return run.toLowerCase();
  return (
    run
      .normalize("NFKD")
      .replace(DIACRITICS, "")
      .toLowerCase()
      .replace(BARE, (letter) => BARE_LETTERS[letter]!)
      .normalize("NFC")
      // A compatibility form can unfold into several words: "½", "㏂".
      .replace(patterns().noWordCharacters, "")
  );
}

/** Only ASCII letters and digits. */
function isPlain(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    const kind = kinds[text.charCodeAt(at)]!;
    if (kind !== LOWER && kind !== UPPER && kind !== DIGIT) return false;
  }
  return true;
}

function cut(word: string): string {
  return word.length > MAX_WORD ? word.slice(0, MAX_WORD) : word;
}

/** The whole run as a word; empty when nothing but marks was in it. */
export function wholeForm(text: string, run: RunFinder): string {
  const slice = text.slice(run.start, Math.min(run.end, run.ascii ? run.start + MAX_WORD : run.end));
  return run.ascii ? slice.toLowerCase() : cut(fold(slice));
}

/** Parts of a run that is divided by changes of case, or is a code; none when it is not. Given as they stand, not folded. */
function partsOf(run: string): string[] {
  if (run.length > MAX_WORD) return [];
  const parts = isPlain(run) ? plainParts(run) : run.split(patterns().caseChange);
  return parts.length > 1 ? parts : codeParts(run);
}

function codeParts(run: string): string[] {
  let digits = 0;
  while (kinds[run.charCodeAt(digits)] === UPPER) digits++;
  if (digits === 0 || digits > MAX_CODE_LETTERS || run.length - digits < MIN_CODE_DIGITS) return [];
  for (let at = digits; at < run.length; at++) if (kinds[run.charCodeAt(at)] !== DIGIT) return [];
  return [run.slice(0, digits), run.slice(digits)];
}

function plainParts(run: string): string[] {
  const parts: string[] = [];
  let start = 0;
  for (let at = 1; at < run.length; at++) {
    if (kinds[run.charCodeAt(at)] !== UPPER) continue;
    // Behind the end there is no unit, and so no kind.
    const isChange = kinds[run.charCodeAt(at - 1)] === LOWER || kinds[run.charCodeAt(at + 1)] === LOWER;
    if (!isChange) continue;
    parts.push(run.slice(start, at));
    start = at;
  }
  parts.push(run.slice(start));
  return parts;
}

export interface Position {
  /** The words found here, the whole first. */
  forms: string[];
  start: number;
  end: number;
}

/** Every position of a text, in order. */
export function* positionsOf(text: string): Generator<Position> {
  const run = new RunFinder();
  run.reset(text);
  while (run.next()) {
    const { start, end } = run;
    if (run.dense) yield* densePositions(text, start, end);
    else {
      const whole = wholeForm(text, run);
      if (whole === "") continue;
      yield { forms: run.ascii && !run.mayHaveParts ? [whole] : formsOf(text.slice(start, end), whole), start, end };
    }
  }
}

/** The whole and the parts of a run. */
export function formsOf(run: string, whole: string): string[] {
  const forms = [whole];
  for (const part of partsOf(run)) {
    const form = fold(part);
    if (form.length >= MIN_PART && !forms.includes(form)) forms.push(form);
  }
  return forms;
}

function* densePositions(text: string, start: number, end: number): Generator<Position> {
  const characters = Array.from(fold(text.slice(start, end)));
  const raw = Array.from(text.slice(start, end));
  // Folding may have joined characters; then a place inside the run cannot be told.
  const aligned = raw.length === characters.length;
  let at = start;
  for (const [index, character] of characters.entries()) {
    const next = characters[index + 1];
    const width = aligned ? raw[index]!.length : 0;
    yield {
      forms: next === undefined ? [character] : [character, character + next],
      start: at,
      end: aligned ? at + width : end,
    };
    at += width;
  }
}

/**
 * What a typed word or phrase looks for, position by position. A piece of a text without spaces is looked for by its
 * pairs, a single character by itself.
 */
export function stepsOf(text: string): string[] {
  const steps: string[] = [];
  const run = new RunFinder();
  run.reset(text);
  let lastOfPair = "";
  while (run.next()) {
    const characters = run.dense ? Array.from(fold(text.slice(run.start, run.end))) : [];
    const own = run.dense ? pairs(characters) : [wholeForm(text, run)].filter((word) => word !== "");
    if (own.length === 0) continue;
    // The last pair stands for two positions; what follows it must leave room for the second.
    if (lastOfPair !== "") steps.push(lastOfPair);
    steps.push(...own);
    lastOfPair = characters.length > 1 ? characters.at(-1)! : "";
  }
  return steps;
}

function pairs(characters: readonly string[]): readonly string[] {
  if (characters.length < 2) return characters;
  return characters.slice(0, -1).map((character, index) => character + characters[index + 1]!);
}
