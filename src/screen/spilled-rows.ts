/**
 * Rows that scrolled out of the emulator, copied as cells: converting to text costs as much as parsing, and in a flood nearly all
 * rows are dropped unseen.
 */
import { WORDS_PER_CELL } from "./cells.ts";
import type { Line } from "./emulator.ts";

/** Large enough that a dropped chunk's memory returns to the system. */
const ROWS_PER_CHUNK = 256;

type SpecialCells = Pick<Line, "_combined" | "_extendedAttrs">;

const NO_SPECIAL_CELLS: SpecialCells = { _combined: {}, _extendedAttrs: {} };

/** Rows of one width, oldest first. */
class RowChunk {
  readonly cols: number;
  rows = 0;
  readonly words: Uint32Array;
  private readonly wrapped = new Uint8Array(ROWS_PER_CHUNK);
  private readonly special = new Map<number, SpecialCells>();

  constructor(cols: number, words: Uint32Array) {
    this.cols = cols;
    this.words = words;
  }

  get isFull(): boolean {
    return this.rows === ROWS_PER_CHUNK;
  }

  add(line: Line): void {
    const length = this.cols * WORDS_PER_CELL;
    // The emulator keeps extra words for a line that was once longer.
    this.words.set(line._data.length === length ? line._data : line._data.subarray(0, length), this.rows * length);
    this.wrapped[this.rows] = line.isWrapped ? 1 : 0;
    const { _combined, _extendedAttrs } = line;
    // A recycled line gives up both objects, so they need no copy.
    if (hasEntries(_combined) || hasEntries(_extendedAttrs)) this.special.set(this.rows, { _combined, _extendedAttrs });
    this.rows++;
  }

  line(row: number): Line {
    const length = this.cols * WORDS_PER_CELL;
    const _data = this.words.subarray(row * length, (row + 1) * length);
    return {
      length: this.cols,
      isWrapped: this.wrapped[row] === 1,
      _data,
      ...(this.special.get(row) ?? NO_SPECIAL_CELLS),
    };
  }
}

export class SpilledRows {
  private chunks: RowChunk[] = [];
  /** Memory of a dropped chunk, reused: a flood needs no new memory. */
  private spare: Uint32Array | undefined;
  private rowCount = 0;

  get rows(): number {
    return this.rowCount;
  }

  get chunkCount(): number {
    return this.chunks.length;
  }

  get bytes(): number {
    return this.chunks.reduce((sum, chunk) => sum + chunk.words.byteLength, 0);
  }

  add(line: Line): void {
    let chunk = this.chunks.at(-1);
    if (chunk === undefined || chunk.isFull || chunk.cols !== line.length) chunk = this.begin(line.length);
    chunk.add(line);
    this.rowCount++;
  }

  /** The current chunk has just filled up: time to check the limits. */
  get isFull(): boolean {
    return this.chunks.at(-1)?.isFull === true;
  }

  /** The rows to be dropped next; dropping is by whole chunks. */
  get oldestRows(): number {
    return this.chunks[0]?.rows ?? 0;
  }

  dropOldest(): void {
    const dropped = this.chunks.shift();
    if (dropped === undefined) return;
    this.rowCount -= dropped.rows;
    this.spare = dropped.words;
  }

  /** Passes the rows of the oldest chunk, each with its successor, and drops them. `after` follows the last. */
  takeOldest(after: Line | undefined, take: (line: Line, next: Line | undefined) => void): void {
    const chunk = this.chunks.shift();
    if (chunk === undefined) return;
    this.rowCount -= chunk.rows;
    const beyond = this.chunks[0]?.line(0) ?? after;
    for (let row = 0; row < chunk.rows; row++)
      take(chunk.line(row), row + 1 < chunk.rows ? chunk.line(row + 1) : beyond);
    if (this.chunks.length === 0) this.spare = undefined;
  }

  clear(): void {
    this.chunks = [];
    this.rowCount = 0;
    this.spare = undefined;
  }

  private begin(cols: number): RowChunk {
    const words = ROWS_PER_CHUNK * cols * WORDS_PER_CELL;
    const memory = this.spare?.length === words ? this.spare : new Uint32Array(words);
    this.spare = undefined;
    const chunk = new RowChunk(cols, memory);
    this.chunks.push(chunk);
    return chunk;
  }
}

function hasEntries(map: object): boolean {
  for (const _ in map) return true;
  return false;
}
