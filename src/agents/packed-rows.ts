/**
 * Rows of a list that are made where an agent's files are read: as bytes, for a list of thousands of sessions of which
 * nothing is shown but what their first and last lines tell. The modules that scan those write them (wasm/json/list-rows.ts
 * has the same numbers).
 */
import type { FileEnds } from "../lib/file-ends.ts";
import type { ReadAhead } from "../lib/read-ahead.ts";
import { oneLine, printableJson } from "../lib/text.ts";
import type { WasmMemory } from "../lib/wasm.ts";
import type { AgentEnv, SessionBill, SessionCounts, SessionHead, SessionSource } from "./adapter.ts";
import type { ReadNotes } from "./read-notes.ts";
import type { UsageRows } from "./usage-rows.ts";

/** What stands before each value of a row, in this order. */
export interface RowPieces {
  agentAndId: string;
  unifiedId: string;
  title: string;
  createdAt: string;
  updatedAt: string;
  /** Between that and the first of those that may be left out. */
  counts: string;
  model: string;
  cwd: string;
  forkedFrom: string;
  parentId: string;
  branch: string;
  agentVersion: string;
  /** These two have no value behind them. */
  archived: string;
  partial: string;
  /** In place of `counts` and `partial` for a session that was counted; the third has no value behind it. */
  turnCount: string;
  messageCount: string;
  tags: string;
}

/** The row was packed, behind those of all sessions that were given with it. */
export const PACKED_LATER = "later";
export type LaterAnswer = typeof PACKED_LATER | false | SessionHead;
export type PackedAnswer = true | LaterAnswer;

/** Packs the rows of one list. */
export interface RowPacker {
  /** As many as it takes at a time. */
  readonly atOnce: number;
  /**
   * For each of these sessions: false when its head has to be made by `summarize`, for whatever reason; the head itself where
   * it is known. All of them are read before the first is looked at: to go to and fro between the two takes longer.
   */
  pack(sources: readonly SessionSource[]): PackedAnswer[];
  /** When all are packed. Undefined when another list was begun meanwhile. */
  rows(): PackedRows | undefined;
}

/** A scanner that packs. */
export interface PackingScan {
  startRows(pieces: RowPieces): void;
  rows(): PackedRows;
}

/** A session whose row was packed, counts and all. Of its head only what a bill needs is told. */
export interface PackedBill extends SessionBill {
  packed: true;
}

export function isPacked(bill: SessionBill): bill is PackedBill {
  return (bill as Partial<PackedBill>).packed === true;
}

/** As `tallyInto`, which gives what could not be packed. */
type CountInto = (
  source: SessionSource,
  env: AgentEnv,
  notes: ReadNotes,
  usage: UsageRows,
) => PackedBill | SessionCounts | undefined;

/** Packs the rows of one list of sessions that are counted; what they cost is not in them. */
export interface CountPacker {
  count: CountInto;
  /** Reads what `count` will look at of these sessions, from one of them on; gives the one that comes after those it has. */
  readAhead(sources: readonly SessionSource[], from: number): number;
  /** Sessions that were read ahead are not counted after all. */
  endAhead(): void;
  /** As a `RowPacker` gives them. */
  rows(): PackedRows | undefined;
}

/** How sessions are counted, and their rows packed. */
interface Counting {
  count: CountInto;
  /** For what is counted when another list was begun. */
  tallyInto: CountInto;
  /** Reads what of a session is read first; false when there is no room for it. */
  readAhead(source: SessionSource): boolean;
}

export function countPacker(
  scan: PackingScan & { readonly ahead: ReadAhead },
  pieces: RowPieces,
  { count, tallyInto, readAhead }: Counting,
): CountPacker {
  const isOver = begin(scan, pieces);
  return {
    readAhead(sources, from) {
      if (isOver()) return sources.length;
      scan.ahead.clear();
      let next = from;
      while (next < sources.length && readAhead(sources[next]!)) next++;
      return Math.max(next, from + 1);
    },
    endAhead: () => scan.ahead.clear(),
    count: (source, env, notes, usage) => (isOver() ? tallyInto : count)(source, env, notes, usage),
    rows: () => (isOver() ? undefined : scan.rows()),
  };
}

/** Begins a list; tells when another one was begun. */
function begin(scan: PackingScan, pieces: RowPieces): () => boolean {
  const own = {};
  const use = inUse.get(scan) ?? { by: own };
  use.by = own;
  inUse.set(scan, use);
  scan.startRows(pieces);
  return () => use.by !== own;
}

/** How rows are made of files' ends. All of it may fail as the system does. */
interface EndsPacking {
  atOnce: number;
  /** Reads them beside those of other sessions; undefined when the session is none to be packed. */
  read(source: SessionSource, slot: number): FileEnds | undefined;
  /** Gives what is to be done when the ends of all others were looked at, if it writes over them. */
  pack(source: SessionSource, ends: FileEnds): boolean | (() => LaterAnswer);
}

export function rowPacker(scan: PackingScan, pieces: RowPieces, { atOnce, read, pack }: EndsPacking): RowPacker {
  const isOver = begin(scan, pieces);
  return {
    atOnce,
    pack(sources) {
      if (isOver()) return sources.map(() => false);
      const ends = sources.map((source, slot) => unlessItFails(read, source, slot));
      const answers = sources.map((source, slot) => {
        const own = ends[slot];
        return own !== undefined && unlessItFails(pack, source, own);
      });
      return answers.map(
        (answer) => (typeof answer === "function" ? unlessItFails(later, answer, 0) : answer) ?? false,
      );
    },
    rows: () => (isOver() ? undefined : scan.rows()),
  };
}

/** Whoever makes the head of a session says why it cannot be read. */
function unlessItFails<A, B, T>(work: (a: A, b: B) => T, a: A, b: B): T | undefined {
  try {
    return work(a, b);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).syscall === undefined) throw error;
    return undefined;
  }
}

function later(work: () => LaterAnswer): LaterAnswer {
  return work();
}

/** By whom. */
const inUse = new WeakMap<PackingScan, { by: object }>();

/** What a module exports that can do so. */
export interface PackingExports {
  memory: WasmMemory;
  setPiece(piece: number, address: number, length: number): number;
  startRows(): void;
  packedCount(): number;
  packedRows(): number;
  packedTexts(): number;
  relateRows(): void;
  relateKey(address: number, length: number): void;
}

type Put = (text: string) => [address: number, length: number];

export function startRows(exports: PackingExports, pieces: RowPieces, put: Put): void {
  Object.values(pieces as unknown as Record<string, string>).forEach((piece, index) => {
    if (exports.setPiece(index, ...put(piece)) === 0) throw new Error(`"${piece}" is too long for a row.`);
  });
  exports.startRows();
}

/** A title between its quotes, as a row shows it and as it is printed. */
export function titleJson(title: string): string {
  return printableJson(JSON.stringify(oneLine(title))).slice(1, -1);
}

/** Where texts lie in a buffer. */
export interface TextSpans {
  starts: Uint32Array;
  ends: Uint32Array;
}

const ROW_BYTES = 64;

export class PackedRows {
  readonly count: number;
  readonly #exports: PackingExports;
  readonly #put: Put;
  #bytes!: Buffer;
  #ints!: Uint32Array;
  #doubles!: Float64Array;
  readonly #rows: number;
  readonly #texts: number;

  constructor(exports: PackingExports, put: Put) {
    this.#exports = exports;
    this.#put = put;
    this.count = exports.packedCount();
    this.#rows = exports.packedRows();
    this.#texts = exports.packedTexts();
    this.#look();
  }

  #look(): void {
    const { buffer } = this.#exports.memory;
    this.#bytes = Buffer.from(buffer);
    this.#ints = new Uint32Array(buffer);
    this.#doubles = new Float64Array(buffer);
  }

  /** When each was last written to, from a place on. */
  putTimes(times: Float64Array, first: number): void {
    const doubles = this.#doubles;
    for (let row = 0, place = this.#rows >> 3; row < this.count; row++, place += ROW_BYTES >> 3)
      times[first + row] = doubles[place]!;
  }

  /** Of all their texts, or more. */
  get textBytes(): number {
    return this.count === 0 ? 0 : this.#ints[(this.#rows + ROW_BYTES * (this.count - 1) + 44) >> 2]!;
  }

  /** Copies all their texts; tells of each, from a place on, where it begins and ends in the target. */
  copyTexts(target: Buffer, start: number, spans: TextSpans, first: number): void {
    this.#bytes.copy(target, start, this.#texts, this.#texts + this.textBytes);
    const ints = this.#ints;
    for (let row = 0, place = (this.#rows + 40) >> 2; row < this.count; row++, place += ROW_BYTES >> 2) {
      spans.starts[first + row] = start + ints[place]!;
      spans.ends[first + row] = start + ints[place + 1]!;
    }
  }

  /** Rows that may share a key with another one, or have one of these. */
  related(keys: Iterable<string>): number[] {
    this.#exports.relateRows();
    for (const key of keys) this.#exports.relateKey(...this.#put(key));
    this.#look();
    const related: number[] = [];
    for (let row = 0; row < this.count; row++)
      if (this.#ints[(this.#rows + ROW_BYTES * row + 60) >> 2] === 1) related.push(row);
    return related;
  }

  /** Of its head, what tells who was copied from whom. */
  kinFacts(row: number): SessionHead {
    const [double, int] = [(this.#rows + ROW_BYTES * row) >> 3, (this.#rows + ROW_BYTES * row + 48) >> 2];
    const startedMs = this.#doubles[double + 2]!;
    const first = this.#texts + this.#ints[int]!;
    const second = first + this.#ints[int + 1]!;
    const end = second + this.#ints[int + 2]!;
    const keys = [this.#bytes.toString("latin1", first, second), this.#bytes.toString("latin1", second, end)];
    return {
      title: "",
      createdMs: this.#doubles[double + 1]!,
      updatedMs: this.#doubles[double]!,
      ...(Number.isNaN(startedMs) ? {} : { startedMs }),
      familyKeys: keys.filter((key) => key !== ""),
    };
  }
}
