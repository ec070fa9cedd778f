/**
 * The ids in files, to be counted where two have them in common: a WebAssembly module (wasm/shared-ids.as.ts) finds them in
 * the bytes and keeps a number for each. As text they would take longer than all else that is done to find a fork's parent.
 */
import { rawFiles } from "../../lib/raw-files.ts";
import { compileOptimised } from "../../lib/optimised-wasm.ts";
import { instantiateWasm, type WasmMemory } from "../../lib/wasm.ts";
import { SHARED_IDS_WASM } from "./record-ids.gen.ts";

interface Exports {
  memory: WasmMemory;
  startBytes(length: number): number;
  forgetAll(): void;
  startSet(): number;
  idCount(): number;
  addIds(from: number, to: number, end: number, key: bigint, keyLength: number): void;
  sharedIds(from: number, to: number, otherFrom: number, otherTo: number): number;
  startHolders(): void;
  handOn(from: number, to: number, number: number): number;
  youngestHolder(): number;
}

/** Ids of a file, each once: where they stand among all. */
export interface IdSet {
  from: number;
  to: number;
}

const CHUNK_BYTES = 256 * 1024;
/** Of key and value; in the module, too. */
const LONGEST_ID = 128;

let shared: RecordIds | undefined;

/** Without any; what it was used for before must be done with. */
export function recordIds(): RecordIds {
  shared ??= new RecordIds();
  shared.forget();
  return shared;
}

export class RecordIds {
  readonly #exports = instantiateWasm<Exports>(compileOptimised(SHARED_IDS_WASM));
  readonly #start = this.#exports.startBytes(CHUNK_BYTES);
  /** Void whenever the module's memory grows. */
  #bytes = Buffer.from(this.#exports.memory.buffer);

  forget(): void {
    this.#exports.forgetAll();
  }

  /** Values of a key in a file, written as `"key":"`: a quote inside of a text is escaped, so these bytes are a key wherever they stand. */
  idsIn(path: string, mark: string): IdSet {
    const from = this.#exports.startSet();
    try {
      this.#read(path, mark);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).syscall === undefined) throw error;
      // Vanished since it was listed: it is nobody's parent any more.
    }
    return { from, to: this.#exports.idCount() };
  }

  #read(path: string, mark: string): void {
    const key = Buffer.alloc(8);
    const keyLength = key.write(mark, "latin1");
    const keyNumber = key.readBigUInt64LE();
    const files = rawFiles();
    const fd = files.open(path);
    try {
      for (let kept = 0, offset = 0, isLast = false; !isLast;) {
        this.#look();
        const room = CHUNK_BYTES - kept;
        const got = files.read(fd, this.#bytes, this.#start + kept, room, offset);
        isLast = got < room;
        offset += got;
        const end = this.#start + kept + got;
        // An id that the end cuts through is found again in the next piece.
        const to = isLast ? end : Math.max(this.#start, end - LONGEST_ID);
        this.#exports.addIds(this.#start, to, end, keyNumber, keyLength);
        this.#look();
        if (!isLast) this.#bytes.copyWithin(this.#start, to, end);
        kept = end - to;
      }
    } finally {
      files.close(fd);
    }
  }

  #look(): void {
    const { buffer } = this.#exports.memory;
    if (this.#bytes.buffer !== buffer) this.#bytes = Buffer.from(buffer);
  }

  sharedCount(a: IdSet, b: IdSet): number {
    return this.#exports.sharedIds(a.from, a.to, b.from, b.to);
  }

  /** To be called before sets are handed on. */
  startHolders(): void {
    this.#exports.startHolders();
  }

  /** How many of its ids sets had that were handed on before it, and the last of those that had one first. */
  handOn({ from, to }: IdSet, number: number): { inherited: number; youngest: number } {
    const inherited = this.#exports.handOn(from, to, number);
    return { inherited, youngest: this.#exports.youngestHolder() };
  }
}
