/** Offsets and kinds of a transcript's records. */
import { RECORD_KINDS, type RecordKind } from "./record.ts";

/** One number per record and column: a million objects would be as large as the file. */
export class RecordTable {
  length = 0;
  #offsets = new Float64Array(1024);
  #lengths = new Int32Array(1024);
  #kinds = new Uint8Array(1024);
  /** Next record of the same reply, or -1. */
  #next = new Int32Array(1024);
  /** 1 for records that continue a reply. */
  #continues = new Uint8Array(1024);

  add(offset: number, length: number, kind: RecordKind): number {
    if (this.length === this.#offsets.length) this.#grow();
    const index = this.length++;
    this.#offsets[index] = offset;
    this.#lengths[index] = length;
    this.#kinds[index] = RECORD_KINDS.indexOf(kind);
    this.#next[index] = -1;
    return index;
  }

  link(from: number, to: number): void {
    this.#next[from] = to;
    this.#continues[to] = 1;
  }

  offset(index: number): number {
    return this.#offsets[index]!;
  }

  size(index: number): number {
    return this.#lengths[index]!;
  }

  kind(index: number): RecordKind {
    return RECORD_KINDS[this.#kinds[index]!]!;
  }

  /** The record, and all later records of its reply. */
  *reply(index: number): Generator<number> {
    for (let at = index; at !== -1; at = this.#next[at]!) yield at;
  }

  leads(index: number): boolean {
    return this.#continues[index] === 0;
  }

  #grow(): void {
    const size = this.length * 2;
    const grown = <T extends Float64Array | Int32Array | Uint8Array>(into: T, from: T): T => {
      into.set(from);
      return into;
    };
    this.#offsets = grown(new Float64Array(size), this.#offsets);
    this.#lengths = grown(new Int32Array(size), this.#lengths);
    this.#kinds = grown(new Uint8Array(size), this.#kinds);
    this.#next = grown(new Int32Array(size), this.#next);
    this.#continues = grown(new Uint8Array(size), this.#continues);
  }
}
