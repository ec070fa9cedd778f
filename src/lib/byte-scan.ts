/**
 * Text in bytes, found as fast as memory gives them: files are read straight into the memory of a small WebAssembly
 * module that compares 64 bytes at a time (byte-scan.wat). No native build; Node 16.4 and newer have what it needs.
 */
import { BYTE_SCAN } from "./byte-scan.gen.ts";
import { compileWasm, instantiateWasm, type WasmMemory, type WasmModule } from "./wasm.ts";

interface Exports {
  memory: WasmMemory;
  find(
    from: number,
    end: number,
    text: number,
    length: number,
    i: number,
    j: number,
    isLoose: number,
    escapes: number,
  ): number;
  close(end: number): void;
  hasEscapedLetter(from: number, end: number): number;
}

/** Where the module's memory keeps what, as laid out in byte-scan.wat. */
const LOOSE = 516;
const TABLE = 1024;
const TEXTS = 4096;
const TEXTS_END = 57_344;
const BASE = 65_536;
/** Read over at the end of the bytes, and so to be kept empty. */
const MARGIN = 1024;

/** ASCII from frequent to rare in the JSON that agents write; case is folded. What is missing is rarer still. */
const FREQUENT = ' "etnso0:arid1,2clpu-m5463_f79hb8g\\{}/yvk.[]zx=wqj>(<';

export interface Needle {
  /** Finds it, from `from` on; -1 when it is not there. Both are offsets in `bytes`. */
  find(from: number, end: number): number;
  /** The same, but ESCAPED if there is a letter or digit before it that is written as `\uXXXX`. */
  findUnescaped(from: number, end: number): number;
}

export const ESCAPED = -2;

let compiled: WasmModule | undefined;

/** A stretch of memory to read files into, and texts to be found in it. */
export class ByteScanner {
  /** Room for the bytes to be searched. */
  readonly bytes: Buffer;
  readonly #exports: Exports;
  readonly #memory: Buffer;
  #nextText = TEXTS;

  constructor() {
    compiled ??= compileWasm(BYTE_SCAN);
    const exports = instantiateWasm<Exports>(compiled);
    this.#exports = exports;
    this.#memory = Buffer.from(exports.memory.buffer);
    this.bytes = this.#memory.subarray(BASE, this.#memory.length - MARGIN);
  }

  /** Characters that can stand for letters, as ranges of code points, for loose needles. */
  setFoldable(ranges: readonly (readonly [first: number, last: number])[]): void {
    for (const [first, last] of ranges) {
      for (let point = first; point <= last;) {
        // Its first byte, and the six bits its second one has; as many code points have both the same.
        const [lead, second, step] =
          point < 0x800
            ? [0xc0 | (point >> 6), point & 0x3f, 1]
            : point < 0x10000
              ? [0xe0 | (point >> 12), (point >> 6) & 0x3f, 64]
              : [0xf0 | (point >> 18), (point >> 12) & 0x3f, 4096];
        const at = TABLE + 8 * lead + (second >> 3);
        // Eight at a time, where all of them are meant: hundreds of them one by one are a large part of a short search.
        if (step === 1 && (point & 7) === 0 && point + 7 <= last) {
          this.#memory[at] = 0xff;
          point += 8;
          continue;
        }
        this.#memory[at] = this.#memory[at]! | (1 << (second & 7));
        point = (Math.floor(point / step) + 1) * step;
      }
    }
  }

  /**
   * A text to look for. `loose` (of ASCII letters and digits only): also where a character of `setFoldable` fills a gap in
   * it; then `isLoose` says so, and it is for the caller to look closer.
   */
  needle(text: Uint8Array, options: { ignoreCase?: boolean; loose?: boolean } = {}): Needle {
    const at = this.#nextText;
    this.#nextText += 2 * text.length;
    if (this.#nextText > TEXTS_END) throw new RangeError("Too many texts to look for.");
    for (const [index, byte] of text.entries()) {
      const isLetter = (byte >= 0x41 && byte <= 0x5a) || (byte >= 0x61 && byte <= 0x7a);
      const mask = options.ignoreCase && isLetter ? 0x20 : 0;
      this.#memory[at + index] = byte | mask;
      this.#memory[at + text.length + index] = mask;
    }
    const [i, j] = rarestTwo(text);
    const isLoose = options.loose ? 0x80 : 0;
    const { find } = this.#exports;
    const { length } = text;
    return {
      find(from, end) {
        const found = find(BASE + from, BASE + end, at, length, i, j, isLoose, 0);
        return found < 0 ? found : found - BASE;
      },
      findUnescaped(from, end) {
        const found = find(BASE + from, BASE + end, at, length, i, j, isLoose, 0xff);
        return found < 0 ? found : found - BASE;
      },
    };
  }

  /** Of the place found last. */
  get isLoose(): boolean {
    return this.#memory[LOOSE] === 1;
  }

  /** Whether a letter or digit is written as `\uXXXX` before `end`. */
  hasEscapedLetter(end: number): boolean {
    return this.#exports.hasEscapedLetter(BASE, BASE + end) === 1;
  }

  /** To be called when `bytes` was filled up to `end`: what lies behind must not look like more of it. */
  close(end: number): void {
    this.#exports.close(BASE + end);
  }
}

function rarestTwo(text: Uint8Array): [number, number] {
  const rarity = (byte: number): number => {
    const rank = FREQUENT.indexOf(String.fromCharCode(byte).toLowerCase());
    return rank === -1 ? FREQUENT.length : rank;
  };
  const order = [...text.keys()].sort((a, b) => rarity(text[b]!) - rarity(text[a]!));
  return [order[0] ?? 0, order[1] ?? order[0] ?? 0];
}
