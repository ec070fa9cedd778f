/** What a word is, for the cold scan, the index and the query alike. README.md in this folder defines runs, forms and folding. */

/** Longer runs are keys, hashes or blobs; their prefix is kept, so they are still found by it. */
export const MAX_WORD = 64;
/** A single letter from `eMail` or `xAxis` matches too much to be useful. */
const MIN_PART = 2;

/** For codes: E0308, TS2345, ORA01555. More letters are a name, fewer digits a version or a size. */
const MAX_CODE_LETTERS = 5;
const MIN_CODE_DIGITS = 3;

/** Separator, three kinds of ASCII, other letters, letters of scripts without spaces, high surrogate. */
const NONE = 0;
const DIGIT = 1;
const LOWER = 2;
const UPPER = 3;
const OTHER = 4;
const DENSE = 5;
const PAIR = 6;
const UNKNOWN = 255;

/**
 * Superscripts, circled numbers, Roman numerals and letterlike symbols share blocks with arrows, dashes and boxes, some digits
 * with emoji. All are treated as separators, so bytes E2 and F0 9F never begin an ASCII letter, and the byte scan can skip them.
 */
const SIGN = /[\u2000-\u2bff\u2c7c\u2c7d\u{1f000}-\u{1ffff}]/u;

/** Created on first use: looking up all of Unicode takes longer than most queries. */
function patternsOf() {
  return {
    wordCharacter: /^[\p{L}\p{N}\p{M}]$/u,
    noWordCharacters: /[^\p{L}\p{N}\p{M}]/gu,
    denseScript:
      /^[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}\p{scx=Bopomofo}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}]$/u,
    /** A lower-case letter before an upper-case one, or an upper-case letter before a lower-case one. */
    caseChange: /(?<=\p{Ll})(?=\p{Lu})|(?<=[\p{L}\p{N}\p{M}])(?=\p{Lu}\p{Ll})/u,
  };
}

let made: ReturnType<typeof patternsOf> | undefined;

function patterns(): ReturnType<typeof patternsOf> {
  made ??= patternsOf();
  return made;
}

/** Kind of each UTF-16 unit, computed on first use. */
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
  // Covers most non-ASCII text without a Unicode lookup.
  if (SIGN.test(character)) return NONE;
  const { wordCharacter, denseScript } = patterns();
  if (!wordCharacter.test(character)) return NONE;
  return denseScript.test(character) ? DENSE : OTHER;
}

/** Iterates over the runs of a text without creating strings. */
export class RunFinder {
  #text = "";
  #next = 0;
  start = 0;
  end = 0;
  /** Only ASCII letters and digits. */
  ascii = true;
  /** ASCII with an upper-case letter; most runs have none and need no copy. */
  hasUpper = false;
  /** In a script without spaces. */
  dense = false;
  /**
   * ASCII with an upper-case letter after the first character, or with a digit after a leading upper-case one: it may have parts.
   */
  mayHaveParts = false;

  reset(text: string): void {
    this.#text = text;
    this.#next = 0;
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
    this.hasUpper = kind === UPPER;
    this.mayHaveParts = this.hasUpper && kinds[text.charCodeAt(at + 1)] === DIGIT;
    at += this.#widthAt(at);
    while (at < length) {
      const unit = text.charCodeAt(at);
      if (unit < 0x80) {
        kind = kinds[unit]!;
        if (kind === NONE || this.dense) break;
        if (kind === UPPER) this.hasUpper = this.mayHaveParts = true;
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
    // A lone surrogate is not a character.
    return point > 0xffff ? kindOfCharacter(String.fromCodePoint(point)) : NONE;
  }

  #widthAt(at: number): number {
    return this.#text.codePointAt(at)! > 0xffff ? 2 : 1;
  }
}

const DIACRITICS = /[\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]/g;

/**
 * Lower-case letters that Unicode does not decompose, although they differ in upper case (STRASSE, IRMAK), by position (ς), or
 * only by a stroke or ligature: people type Lodz, smorrebrod and oeuvre.
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

/** Folds the letters and digits of a run or a part of one, without truncation. */
export function fold(run: string): string {
  if (isPlain(run)) return run.toLowerCase();
  return (
    run
      .normalize("NFKD")
      .replace(DIACRITICS, "")
      .toLowerCase()
      .replace(BARE, (letter) => BARE_LETTERS[letter]!)
      .normalize("NFC")
      // A compatibility form can expand to several words: "½", "㏂".
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

/** The whole run as a word; empty if it contains only marks. */
export function wholeForm(text: string, run: RunFinder): string {
  const slice = text.slice(run.start, Math.min(run.end, run.ascii ? run.start + MAX_WORD : run.end));
  if (run.ascii) return run.hasUpper ? slice.toLowerCase() : slice;
  return cut(fold(slice));
}

/** The parts of a run that is divided by changes of case or is a code, unfolded; none otherwise. */
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
    // There is no unit after the end.
    const isChange = kinds[run.charCodeAt(at - 1)] === LOWER || kinds[run.charCodeAt(at + 1)] === LOWER;
    if (!isChange) continue;
    parts.push(run.slice(start, at));
    start = at;
  }
  parts.push(run.slice(start));
  return parts;
}

export interface Position {
  /** The words at this position, the whole run first. */
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

/** The whole run and its parts. */
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
  // Folding may have merged characters; then offsets inside the run are unknown.
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
 * The steps of a typed word or phrase, position by position. Text without spaces is matched by pairs, a single character by
 * itself.
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
    // The last pair covers two positions; the next step must skip the second.
    if (lastOfPair !== "") steps.push(lastOfPair);
    for (const step of own) steps.push(step);
    lastOfPair = characters.length > 1 ? characters.at(-1)! : "";
  }
  return steps;
}

function pairs(characters: readonly string[]): readonly string[] {
  if (characters.length < 2) return characters;
  return characters.slice(0, -1).map((character, index) => character + characters[index + 1]!);
}
