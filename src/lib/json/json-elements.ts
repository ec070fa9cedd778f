/**
 * Streams the elements of arrays inside JSON text of any length. It does not validate: parsing the elements and the rest does.
 */

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

export interface JsonElementsOptions {
  /** The arrays to stream, as dotted paths. */
  arrays: readonly string[];
  onElement(array: string, json: string): void;
  /** A longer element, or a longer rest, is refused. */
  maxCharacters: number;
}

export class JsonElements {
  readonly #options: JsonElementsOptions;
  /** Names on the path to the current position; undefined for an array level. */
  readonly #path: (string | undefined)[] = [];
  /** The array being streamed, and its depth. */
  #array: string | undefined;
  #arrayDepth = 0;
  #depth = 0;
  #isInText = false;
  #isEscaped = false;
  /** Text outside of elements, and the start of the element that is incomplete. */
  #rest: string[] = [];
  #restLength = 0;
  #element = "";
  /** The last string outside of elements; a name if a colon follows. */
  #text = "";
  #name: string | undefined;

  constructor(options: JsonElementsOptions) {
    this.#options = options;
  }

  push(piece: string): void {
    /** Everything before this is already stored. */
    let from = 0;
    let textFrom = 0;
    let at = 0;
    while (at < piece.length) {
      if (this.#isInText) {
        at = this.#textEnd(piece, at);
        if (this.#isInText) break;
        if (this.#array === undefined) this.#text += piece.slice(textFrom, at - 1);
        continue;
      }
      const code = piece.charCodeAt(at++);
      switch (code) {
        case QUOTE:
          this.#isInText = true;
          this.#text = "";
          textFrom = at;
          break;
        case COLON:
          if (this.#array === undefined) this.#name = this.#text;
          break;
        case OPEN_OBJECT:
        case OPEN_ARRAY:
          this.#depth++;
          if (this.#array !== undefined) break;
          this.#path.push(this.#name);
          this.#name = undefined;
          if (code === OPEN_ARRAY && this.#isWanted()) {
            this.#keep(piece.slice(from, at));
            from = at;
          }
          break;
        case CLOSE_OBJECT:
        case CLOSE_ARRAY:
          this.#depth--;
          if (this.#array !== undefined) {
            if (this.#depth >= this.#arrayDepth) break;
            this.#give(piece.slice(from, at - 1));
            from = at - 1;
            this.#array = undefined;
          }
          this.#path.pop();
          this.#name = undefined;
          break;
        case COMMA:
          if (this.#array !== undefined && this.#depth === this.#arrayDepth) {
            this.#give(piece.slice(from, at - 1));
            from = at;
          } else if (this.#array === undefined) this.#name = undefined;
          break;
        default:
      }
    }
    if (this.#isInText && this.#array === undefined) this.#text += piece.slice(textFrom);
    if (this.#array === undefined) this.#keep(piece.slice(from));
    else this.#begin(piece.slice(from));
  }

  /** The text without the emitted elements: their arrays are empty in it. */
  end(): string {
    return this.#rest.join("");
  }

  /** Position after the closing quote; the string continues if this piece has none. */
  #textEnd(piece: string, from: number): number {
    let at = from;
    while (at < piece.length) {
      const code = piece.charCodeAt(at++);
      if (this.#isEscaped) this.#isEscaped = false;
      else if (code === BACKSLASH) this.#isEscaped = true;
      else if (code === QUOTE) {
        this.#isInText = false;
        return at;
      }
    }
    return at;
  }

  #isWanted(): boolean {
    const names = this.#path.slice(1);
    if (names.includes(undefined)) return false;
    const name = names.join(".");
    if (!this.#options.arrays.includes(name)) return false;
    this.#array = name;
    this.#arrayDepth = this.#depth;
    return true;
  }

  #give(end: string): void {
    this.#begin(end);
    const json = this.#element;
    this.#element = "";
    // An empty array has no elements.
    if (json.trim() !== "") this.#options.onElement(this.#array!, json);
  }

  #begin(part: string): void {
    this.#element += part;
    this.#check(this.#element.length);
  }

  #keep(part: string): void {
    this.#rest.push(part);
    this.#restLength += part.length;
    this.#check(this.#restLength);
  }

  #check(length: number): void {
    if (length > this.#options.maxCharacters) throw new Error("A part of the answer is too long.");
  }
}
