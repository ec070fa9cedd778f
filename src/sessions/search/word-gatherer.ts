/**
 * The words of many passages, each with the rows it stands in, gathered for one segment of the index. A WebAssembly module
 * (wasm/word-index.as.ts) does it: most of the work of building an index is to look at every letter.
 */
import { compileWasm, instantiateWasm, type WasmMemory, type WasmModule } from "../../lib/wasm.ts";
import { WORD_INDEX_WASM } from "./word-gatherer.gen.ts";
import { positionsOf } from "./words.ts";

interface Exports {
  memory: WasmMemory;
  start(): void;
  inputFor(bytes: number): number;
  setRow(row: number): void;
  addText(from: number, to: number): number;
  setCounting(isCounting: number): void;
  stretchStart(): number;
  stretchEnd(): number;
  takePositions(): number;
  addForm(address: number, length: number): void;
  inUse(): number;
  sortWords(): number;
  writeBlock(): number;
  blockAddress(): number;
}

let compiled: WasmModule | undefined;

/** A text longer than this is added in pieces, so that memory stays bounded. */
const PIECE_UNITS = 256 * 1024;

export class WordGatherer {
  readonly #exports: Exports;
  readonly #isCounting: boolean;
  #memory!: Buffer;

  /** `isCounting`: nothing is gathered, only positions are counted. */
  constructor(isCounting = false) {
    compiled ??= compileWasm(WORD_INDEX_WASM);
    this.#exports = instantiateWasm<Exports>(compiled);
    this.#isCounting = isCounting;
    this.#exports.setCounting(isCounting ? 1 : 0);
    this.clear();
  }

  clear(): void {
    this.#exports.start();
    this.#look();
  }

  /** Bytes that what was gathered takes. */
  get size(): number {
    return this.#exports.inUse();
  }

  /** Words that are added from now on stand in this row; rows come in ascending order, from 1 up. */
  startRow(row: number): void {
    this.#exports.setRow(row);
  }

  /** Answers the number of positions in the text. */
  add(text: string): number {
    let positions = 0;
    for (let from = 0; from < text.length;) {
      const to = pieceEnd(text, from);
      positions += this.#addPiece(from === 0 && to === text.length ? text : text.slice(from, to));
      from = to;
    }
    return positions;
  }

  #addPiece(text: string): number {
    const exports = this.#exports;
    // A unit takes three bytes at most.
    const input = exports.inputFor(3 * text.length);
    this.#look();
    const end = input + this.#memory.write(text, input);
    let positions = 0;
    for (let from = input; exports.addText(from, end) === 1;) {
      from = exports.stretchEnd();
      positions += this.#addStretch(exports.stretchStart(), from);
    }
    return positions + exports.takePositions();
  }

  /** Runs that hold something else than ASCII. */
  #addStretch(start: number, end: number): number {
    this.#look();
    let positions = 0;
    for (const { forms } of positionsOf(this.#memory.toString("utf8", start, end))) {
      positions++;
      if (!this.#isCounting) for (const form of forms) this.#addForm(form);
    }
    return positions;
  }

  #addForm(form: string): void {
    const length = this.#memory.write(form, SCRATCH, SCRATCH_BYTES);
    this.#exports.addForm(SCRATCH, length);
    this.#look();
  }

  /** A word as another segment has it. Of one word, rows come in ascending order. */
  addWord(row: number, word: Uint8Array, length: number): void {
    this.#exports.setRow(row);
    this.#memory.set(word.subarray(0, length), SCRATCH);
    this.#exports.addForm(SCRATCH, length);
    this.#look();
  }

  /** The blocks of the segment, in order. Valid until the next; nothing is added afterwards but after `clear`. */
  *blocks(): Generator<Buffer> {
    if (this.#exports.sortWords() === 0) return;
    for (let length = this.#exports.writeBlock(); length > 0; length = this.#exports.writeBlock()) {
      this.#look();
      const address = this.#exports.blockAddress();
      yield this.#memory.subarray(address, address + length);
    }
  }

  #look(): void {
    const { buffer } = this.#exports.memory;
    if (this.#memory?.buffer !== buffer) this.#memory = Buffer.from(buffer);
  }
}

let counter: WordGatherer | undefined;

/** One that only counts. */
export function wordCounter(): WordGatherer {
  counter ??= new WordGatherer(true);
  return counter;
}

/** A place in the module's memory that it leaves to JavaScript; a word is no longer than this. */
const SCRATCH = 4096;
const SCRATCH_BYTES = 1024;

/** Where a piece can end without dividing a run: before an ASCII character that is neither letter nor digit. */
function pieceEnd(text: string, from: number): number {
  if (text.length - from <= PIECE_UNITS) return text.length;
  for (let at = from + PIECE_UNITS; at > from + PIECE_UNITS / 2; at--) {
    const unit = text.charCodeAt(at);
    if (unit < 0x30 || (unit > 0x39 && unit < 0x41) || (unit > 0x5a && unit < 0x61)) return at;
  }
  // Nothing separates here: what is so long is no text.
  return text.length;
}
