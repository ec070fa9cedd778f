/**
 * What a question to the index goes through by the thousand, in WebAssembly: rows of a word, figures of sessions. In JavaScript
 * that V8 has not optimised yet each of these steps takes longer than to look up the words.
 */
import { compileWasm, instantiateWasm, type WasmMemory, type WasmModule } from "../../lib/wasm.ts";
import { TITLE_WEIGHT } from "./matcher.ts";
import type { Sequence } from "./query.ts";
import { B, K1, TYPICAL_LENGTH } from "./rank.ts";
import { RANKING_WASM } from "./ranking.gen.ts";
import { HAS_CONVERSATION, type SessionColumns } from "./session-columns.ts";
import { DamagedBlock } from "./word-block.ts";
import type { WordSegments } from "./word-segments.ts";

interface Exports {
  memory: WasmMemory;
  room(end: number): void;
  layOut(
    ...places: [
      ...[owners: number, passages: number, held: number, rows: number],
      ...[counts: number, sessions: number, weight: number],
    ]
  ): void;
  begin(): void;
  take(
    ...asked: [
      ...[block: number, end: number, word: number, length: number],
      ...[isPrefix: boolean, step: number, isLast: boolean],
    ]
  ): number;
  select(
    ...asked: [
      ...[order: number, known: number, flags: number, flag: number],
      ...[columns: number, count: number, to: number],
    ]
  ): number;
  score(
    ...asked: [
      ...[numbers: number, found: number, column: number, lengths: number],
      ...[k1: number, b: number, typical: number, scores: number],
    ]
  ): void;
  nthGreatest(values: number, length: number, count: number): number;
  notLess(values: number, length: number, least: number, to: number): number;
}

const DONE = 0;
const DAMAGED = -1;
/** Whatever lies below is not ours. */
const FIRST = 1024;

let compiled: WasmModule | undefined;

/** Of one state of the index. */
export class Ranking {
  readonly #exports: Exports;
  readonly #columns: SessionColumns;
  /** Where what is kept for all questions lies, by column; behind it is room for one. */
  readonly #passages: number;
  readonly #held: number;
  readonly #counts: number;
  readonly #room: number;
  #bytes = new Uint8Array(0);

  constructor(columns: SessionColumns) {
    compiled ??= compileWasm(RANKING_WASM);
    this.#exports = instantiateWasm<Exports>(compiled);
    this.#columns = columns;
    const { owners, passages, ids } = columns;
    const rows = owners.length;
    this.#passages = FIRST + 4 * rows;
    this.#counts = this.#passages + 4 * rows;
    this.#held = this.#counts + 4 * ids.length;
    this.#room = eightfold(this.#held + 4 * rows);
    this.#upTo(this.#room);
    this.#put(owners, FIRST);
    this.#put(passages, this.#passages);
    this.#exports.layOut(FIRST, this.#passages, this.#held, rows, this.#counts, ids.length, TITLE_WEIGHT);
  }

  /** Memory, with room up to there. */
  #upTo(end: number): Uint8Array {
    this.#exports.room(end);
    const { buffer } = this.#exports.memory;
    if (this.#bytes.buffer !== buffer) this.#bytes = new Uint8Array(buffer);
    return this.#bytes;
  }

  #put({ buffer, byteOffset, byteLength }: ArrayBufferView, at: number): void {
    this.#bytes.set(new Uint8Array(buffer, byteOffset, byteLength), at);
  }

  /** By session: in how many passages all the words stand, the title by its weight. */
  passages(segments: Pick<WordSegments, "blocksOf">, { steps, prefix }: Sequence): Int32Array {
    const { begin, take } = this.#exports;
    begin();
    const last = steps.length - 1;
    for (const [step, word] of steps.entries()) {
      const wanted = Buffer.from(word);
      const isPrefix = prefix && step === last;
      const blockAt = this.#room + wanted.length;
      for (const blocks of segments.blocksOf(wanted, isPrefix)) {
        for (const block of blocks) {
          this.#upTo(blockAt + block.length).set(wanted, this.#room);
          this.#bytes.set(block, blockAt);
          const end = blockAt + block.length;
          const outcome = take(blockAt, end, this.#room, wanted.length, isPrefix, step, step === last);
          if (outcome === DAMAGED) throw new DamagedBlock("A block ends inside of a word.");
          if (outcome === DONE) break;
        }
      }
    }
    return new Int32Array(this.#bytes.buffer.slice(this.#counts, this.#counts + 4 * this.#columns.ids.length));
  }

  /** Numbers of sessions that are known, hold a conversation and all of these words; the newest first. */
  holding(counts: readonly Int32Array[], isKnown: Uint8Array): Int32Array {
    const { newest, flags } = this.#columns;
    const sessions = newest.length;
    const [order, to] = [this.#room, this.#room + 4 * sessions];
    const columns = to + 4 * sessions;
    const known = columns + 4 * sessions * counts.length;
    this.#upTo(known + 2 * sessions);
    this.#put(newest, order);
    for (const [leaf, column] of counts.entries()) this.#put(column, columns + 4 * sessions * leaf);
    this.#put(isKnown, known);
    this.#put(flags, known + sessions);
    const { select } = this.#exports;
    const found = select(order, known, known + sessions, HAS_CONVERSATION, columns, counts.length, to);
    return new Int32Array(this.#bytes.buffer.slice(to, to + 4 * found));
  }

  /** Of these sessions, by what is counted for the leaves that are wanted. */
  scores(counts: readonly Int32Array[], numbers: Int32Array): Float64Array {
    const { length: lengths } = this.#columns;
    const scores = this.#room;
    const column = scores + 8 * numbers.length;
    const lengthsAt = column + 4 * lengths.length;
    const numbersAt = lengthsAt + 4 * lengths.length;
    this.#upTo(numbersAt + 4 * numbers.length).fill(0, scores, column);
    this.#put(lengths, lengthsAt);
    this.#put(numbers, numbersAt);
    for (const counted of counts) {
      this.#put(counted, column);
      this.#exports.score(numbersAt, numbers.length, column, lengthsAt, K1, B, TYPICAL_LENGTH, scores);
    }
    return new Float64Array(this.#bytes.buffer.slice(scores, column));
  }

  /** Places of the greatest of these values, of as many as are wanted or, with equals of the last, a few more. */
  greatest(values: Float64Array, wanted: number): Int32Array {
    const to = this.#room + 8 * values.length;
    this.#upTo(to + 4 * values.length);
    this.#put(values, this.#room);
    const least = this.#exports.nthGreatest(this.#room, values.length, wanted);
    // They were moved about.
    this.#put(values, this.#room);
    const found = this.#exports.notLess(this.#room, values.length, least, to);
    return new Int32Array(this.#bytes.buffer.slice(to, to + 4 * found));
  }
}

function eightfold(address: number): number {
  return (address + 7) & ~7;
}
