/**
 * Rows that lie in the memory of the module that settles them from the beginning: to copy hundreds of thousands there touches as much
 * memory again, which takes the system longer to give than it takes to settle them.
 */
import type { RowColumns, RowRoom } from "../../agents/row-columns.ts";
import { DOUBLES, FLAGS, KEY_LENGTH, KEY_START, KEYS, LedgerModule } from "./ledger-module.ts";

/** What a row takes with all that is made of it, roughly: memory that grows by and by keeps V8 looking at all it holds. */
const BYTES_PER_ROW = 200;

/** Of rows that are not needed any more: memory that was touched before is there at once. */
let free: LedgerModule | undefined;

/** Memory that nobody has written to is not taken from the system, so there may be more of it than is needed. */
export class LedgerRoom implements RowRoom {
  readonly module: LedgerModule;
  readonly #places: number[] = [];
  #rows = 0;
  #keyBytes = 0;
  #isClosed = false;

  /** `expected`: how many rows there will be, roughly. */
  constructor(expected: number) {
    this.module = free ?? new LedgerModule(expected * BYTES_PER_ROW);
    this.module.exports.forget();
    free = undefined;
  }

  close(): void {
    if (!this.#isClosed) free = this.module;
    this.#isClosed = true;
  }

  columns(rows: number): RowColumns {
    if (rows > this.#rows) {
      for (let column = 0; column <= FLAGS; column++) this.#move(column, bytesOf(column), rows);
      this.module.exports.keep();
      this.#rows = rows;
    }
    const doubles = (column: number): Float64Array => new Float64Array(this.#buffer, this.#places[column], this.#rows);
    const ints = (column: number): Int32Array => new Int32Array(this.#buffer, this.#places[column], this.#rows);
    const words = (column: number): Uint32Array => new Uint32Array(this.#buffer, this.#places[column], this.#rows);
    const first = DOUBLES.length;
    return {
      at: doubles(0),
      input: doubles(1),
      cached: doubles(2),
      cacheWrite: doubles(3),
      cacheWrite1h: doubles(4),
      output: doubles(5),
      thinking: doubles(6),
      webSearches: doubles(7),
      reported: doubles(8),
      model: ints(first),
      cwd: ints(first + 1),
      branch: ints(first + 2),
      subagent: ints(first + 3),
      modifiers: ints(first + 4),
      keyNumber: words(first + 5),
      keyStart: words(KEY_START),
      keyLength: words(KEY_LENGTH),
      flags: new Uint8Array(this.#buffer, this.#places[FLAGS], this.#rows),
    };
  }

  keys(bytes: number): Buffer {
    const { exports } = this.module;
    if (bytes > this.#keyBytes) {
      const place = this.#places[KEYS];
      // What comes last can be added to where it lies.
      if (place !== undefined && place + this.#keyBytes === exports.keep()) exports.allocate(bytes - this.#keyBytes);
      else this.#move(KEYS, 1, bytes, this.#keyBytes);
      this.#keyBytes = exports.keep() - this.#places[KEYS]!;
    }
    return Buffer.from(this.#buffer, this.#places[KEYS], this.#keyBytes);
  }

  get #buffer(): ArrayBuffer {
    if (this.#isClosed) throw new Error("These rows were discarded.");
    return this.module.exports.memory.buffer;
  }

  /** Gives a column another place, with room for so many values, and takes along those it has. */
  #move(column: number, size: number, count: number, before = this.#rows): void {
    const { exports } = this.module;
    const place = exports.allocate(size * count);
    const old = this.#places[column];
    if (old !== undefined) new Uint8Array(this.#buffer).copyWithin(place, old, old + size * before);
    this.#places[column] = place;
    exports.setColumn(column, place);
  }
}

function bytesOf(column: number): number {
  if (column === FLAGS) return 1;
  return column < DOUBLES.length ? 8 : 4;
}
