/**
 * Billed requests as rows of numbers. A store with years of work holds hundreds of thousands: as objects they would take
 * longer to make and to throw away than their files take to read. A row says the same as a `UsageRecord`.
 */
import { Texts } from "../lib/texts.ts";
import type { UsageRecord } from "./adapter.ts";
import { columnsOf, type RowColumns, type RowRoom } from "./row-columns.ts";

export const LOWER_BOUND = 1;
export const UNKNOWN = 2;
export const COPIED = 4;

/** What a row holds beside its key. */
export interface UsageNumbers {
  /** Milliseconds; NaN for none. */
  at: number;
  input: number;
  cached: number;
  cacheWrite: number;
  cacheWrite1h: number;
  output: number;
  thinking: number;
  webSearches: number;
  /** Micro-dollars; NaN for none. */
  reported: number;
  flags: number;
  /** Numbers of texts; 0 for none. */
  model: number;
  cwd: number;
  branch: number;
  subagent: number;
  modifiers: number;
}

const FEW_ROWS = 256;
const BYTES_PER_KEY = 32;

/** Rows as plain data. */
export interface RowData {
  length: number;
  texts: string[];
  columns: RowColumns;
  keys: Uint8Array;
}

/** Holds the last rows, and their keys, until somebody looks at them. */
interface Holder {
  /** Writes them into the columns, up to a row; gives the bytes of their keys. */
  release(columns: RowColumns, end: number): Uint8Array;
}

export class UsageRows implements RowColumns {
  length = 0;
  readonly texts: Texts;
  readonly room: RowRoom | undefined;
  #own: RowColumns;
  #holder: Holder | undefined;
  #ownKeys: Buffer;
  #keyBytes = 0;

  /** `expected`: how many there will be, roughly. Columns that grow leave behind what they were. */
  constructor(texts = new Texts(), expected = FEW_ROWS, room?: RowRoom) {
    this.texts = texts;
    this.room = room;
    this.#own = room ? room.columns(expected) : columnsOf(expected);
    this.#ownKeys = room ? room.keys(expected * BYTES_PER_KEY) : Buffer.allocUnsafe(expected * BYTES_PER_KEY);
  }

  /** Those of another thread. */
  static from({ length, texts, columns, keys }: RowData): UsageRows {
    const rows = new UsageRows(new Texts(texts), 0);
    rows.length = length;
    rows.#own = columns;
    rows.#ownKeys = Buffer.from(keys.buffer, keys.byteOffset, keys.byteLength);
    rows.#keyBytes = keys.length;
    return rows;
  }

  /** All of them as plain data; not of those in a room. `buffers`: what it lies in, to be handed over; then these rows are of no more use. */
  data(): { data: RowData; buffers: ArrayBuffer[] } {
    const columns = this.#columns;
    const keys = new Uint8Array(this.#keys.subarray(0, this.#keyBytes));
    const data = { length: this.length, texts: this.texts.all(), columns, keys };
    const buffers = [...Object.values(columns as unknown as Record<string, Uint8Array>), keys];
    return { data, buffers: buffers.map(({ buffer }) => buffer as ArrayBuffer) };
  }

  /** None of them is needed any more. */
  discard(): void {
    this.settle();
    this.length = 0;
    this.#keyBytes = 0;
    this.#own = columnsOf(0);
    this.#ownKeys = Buffer.alloc(0);
    this.room?.close();
  }

  get at(): Float64Array {
    return this.#columns.at;
  }
  get input(): Float64Array {
    return this.#columns.input;
  }
  get cached(): Float64Array {
    return this.#columns.cached;
  }
  get cacheWrite(): Float64Array {
    return this.#columns.cacheWrite;
  }
  get cacheWrite1h(): Float64Array {
    return this.#columns.cacheWrite1h;
  }
  get output(): Float64Array {
    return this.#columns.output;
  }
  get thinking(): Float64Array {
    return this.#columns.thinking;
  }
  get webSearches(): Float64Array {
    return this.#columns.webSearches;
  }
  get reported(): Float64Array {
    return this.#columns.reported;
  }
  get flags(): Uint8Array {
    return this.#columns.flags;
  }
  get model(): Int32Array {
    return this.#columns.model;
  }
  get cwd(): Int32Array {
    return this.#columns.cwd;
  }
  get branch(): Int32Array {
    return this.#columns.branch;
  }
  get subagent(): Int32Array {
    return this.#columns.subagent;
  }
  get modifiers(): Int32Array {
    return this.#columns.modifiers;
  }
  get keyNumber(): Uint32Array {
    return this.#columns.keyNumber;
  }
  get keyStart(): Uint32Array {
    return this.#columns.keyStart;
  }
  get keyLength(): Uint32Array {
    return this.#columns.keyLength;
  }

  get #columns(): RowColumns {
    if (this.#holder) this.settle();
    return this.#settled;
  }

  get #settled(): RowColumns {
    if (this.room !== undefined && this.#own.at.length === 0) this.#own = this.room.columns(this.length);
    return this.#own;
  }

  get #keys(): Buffer {
    if (this.room !== undefined && this.#ownKeys.length === 0) this.#ownKeys = this.room.keys(this.#keyBytes);
    return this.#ownKeys;
  }

  /** What is added next is held elsewhere, by whoever counts it in `length`; gives how many bytes of keys there are before. */
  hold(holder: Holder): number {
    this.settle();
    this.#holder = holder;
    return this.#keyBytes;
  }

  /** Takes over what is held elsewhere. */
  settle(): void {
    const holder = this.#holder;
    if (holder === undefined) return;
    this.#holder = undefined;
    this.#widen(this.length);
    this.addKeys(holder.release(this.#settled, this.length));
  }

  /** Takes over bytes that keys lie in; the first of them has the number that is given. */
  addKeys(bytes: Uint8Array): number {
    this.settle();
    const start = this.#keyBytes;
    if (start + bytes.length > this.#keys.length) this.#widenKeys(start + bytes.length);
    this.#keys.set(bytes, start);
    this.#keyBytes += bytes.length;
    return start;
  }

  /** New rows, all of which the caller sets, column by column; gives the first. Columns are others after it. */
  extend(count: number): number {
    this.settle();
    const first = this.length;
    this.#widen(first + count);
    this.length += count;
    return first;
  }

  /** A new row whose key lies among those that were taken over; everything else of it is the caller's to set. */
  #begin(keyStart: number, keyLength: number, keyNumber: number): number {
    const row = this.extend(1);
    const columns = this.#columns;
    columns.keyNumber[row] = keyNumber;
    columns.keyStart[row] = keyStart;
    columns.keyLength[row] = keyLength;
    return row;
  }

  /** Takes the last rows away, back to this many. */
  cut(length: number): void {
    this.settle();
    if (length < this.length) this.#keyBytes = this.keyStart[length]!;
    this.length = length;
  }

  set(row: number, numbers: UsageNumbers): void {
    const columns = this.#columns;
    columns.at[row] = numbers.at;
    columns.input[row] = numbers.input;
    columns.cached[row] = numbers.cached;
    columns.cacheWrite[row] = numbers.cacheWrite;
    columns.cacheWrite1h[row] = numbers.cacheWrite1h;
    columns.output[row] = numbers.output;
    columns.thinking[row] = numbers.thinking;
    columns.webSearches[row] = numbers.webSearches;
    columns.reported[row] = numbers.reported;
    columns.flags[row] = numbers.flags;
    columns.model[row] = numbers.model;
    columns.cwd[row] = numbers.cwd;
    columns.branch[row] = numbers.branch;
    columns.subagent[row] = numbers.subagent;
    columns.modifiers[row] = numbers.modifiers;
  }

  add(record: UsageRecord): void {
    const key = Buffer.from(record.key);
    this.put(this.#begin(this.addKeys(key), key.length, keyNumberOf(key)), record);
  }

  /** All of a record but its key. */
  put(row: number, record: UsageRecord): void {
    const { tokens, modifiers } = record;
    const { texts } = this;
    this.set(row, {
      at: record.at ?? Number.NaN,
      ...tokens,
      webSearches: record.webSearches ?? 0,
      reported: record.reportedMicroUsd ?? Number.NaN,
      flags: (record.lowerBound ? LOWER_BOUND : 0) | (record.unknown ? UNKNOWN : 0) | (record.copied ? COPIED : 0),
      model: texts.numberOf(record.model),
      cwd: texts.numberOf(record.cwd),
      branch: texts.numberOf(record.branch),
      subagent: texts.numberOf(record.subagent),
      modifiers: this.modifiersNumber(modifiers ?? []),
    });
  }

  modifiersNumber(modifiers: readonly string[]): number {
    return modifiers.length === 0 ? 0 : this.texts.numberOf(JSON.stringify(modifiers));
  }

  modifiersOf(row: number): string[] | undefined {
    const text = this.texts.text(this.modifiers[row]!);
    return text === undefined ? undefined : (JSON.parse(text) as string[]);
  }

  keyOf(row: number): string {
    const start = this.keyStart[row]!;
    return this.#keys.toString("utf8", start, start + this.keyLength[row]!);
  }

  /** Where the keys lie in all their bytes. */
  keyColumns(): { start: Uint32Array; lengths: Uint32Array; bytes: Uint8Array } {
    const { length } = this;
    return {
      start: this.keyStart.subarray(0, length),
      lengths: this.keyLength.subarray(0, length),
      bytes: this.#keys.subarray(0, this.#keyBytes),
    };
  }

  /** Whether two rows are of one request. */
  isSameKey(a: number, b: number): boolean {
    const length = this.keyLength[a]!;
    if (this.keyNumber[a] !== this.keyNumber[b] || length !== this.keyLength[b]) return false;
    const [from, other] = [this.keyStart[a]!, this.keyStart[b]!];
    return this.#keys.compare(this.#keys, other, other + length, from, from + length) === 0;
  }

  record(row: number): UsageRecord {
    const { texts } = this;
    const flags = this.flags[row]!;
    const record: UsageRecord = {
      key: this.keyOf(row),
      tokens: {
        input: this.input[row]!,
        cached: this.cached[row]!,
        cacheWrite: this.cacheWrite[row]!,
        cacheWrite1h: this.cacheWrite1h[row]!,
        output: this.output[row]!,
        thinking: this.thinking[row]!,
      },
    };
    const [at, reported, webSearches] = [this.at[row]!, this.reported[row]!, this.webSearches[row]!];
    const modifiers = this.modifiersOf(row);
    if (!Number.isNaN(at)) record.at = at;
    if (!Number.isNaN(reported)) record.reportedMicroUsd = reported;
    for (const name of ["model", "cwd", "branch", "subagent"] as const) {
      const text = texts.text(this[name][row]!);
      if (text !== undefined) record[name] = text;
    }
    if (flags & LOWER_BOUND) record.lowerBound = true;
    if (flags & UNKNOWN) record.unknown = true;
    if (flags & COPIED) record.copied = true;
    if (modifiers) record.modifiers = modifiers;
    if (webSearches > 0) record.webSearches = webSearches;
    return record;
  }

  records(from: number, to = this.length): UsageRecord[] {
    return Array.from({ length: to - from }, (_, index) => this.record(from + index));
  }

  #widenKeys(bytes: number): void {
    let size = Math.max(BYTES_PER_KEY, this.#keys.length);
    while (size < bytes) size *= 2;
    if (this.room !== undefined) {
      this.#ownKeys = this.room.keys(size);
      return;
    }
    const wider = Buffer.allocUnsafe(size);
    wider.set(this.#ownKeys);
    this.#ownKeys = wider;
  }

  #widen(rows: number): void {
    let size = Math.max(FEW_ROWS, this.#settled.at.length);
    if (rows <= this.#own.at.length) return;
    while (size < rows) size *= 2;
    if (this.room !== undefined) {
      this.#own = this.room.columns(size);
      return;
    }
    const wider = columnsOf(size);
    for (const name of Object.keys(wider) as (keyof RowColumns)[]) wider[name].set(this.#own[name]);
    this.#own = wider;
  }
}

function keyNumberOf(key: Buffer): number {
  let number = 0x811c9dc5;
  for (const byte of key) number = Math.imul(number ^ byte, 0x01000193);
  return number;
}
