/**
 * Billed requests as rows of numbers. A store with years of work holds hundreds of thousands: as objects they would take
 * longer to make and to throw away than their files take to read. A row says the same as a `UsageRecord`.
 */
import { Texts } from "../lib/texts.ts";
import type { UsageRecord } from "./adapter.ts";

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

export class UsageRows {
  length = 0;
  readonly texts: Texts;
  at: Float64Array;
  input: Float64Array;
  cached: Float64Array;
  cacheWrite: Float64Array;
  cacheWrite1h: Float64Array;
  output: Float64Array;
  thinking: Float64Array;
  webSearches: Float64Array;
  reported: Float64Array;
  flags: Uint8Array;
  model: Int32Array;
  cwd: Int32Array;
  branch: Int32Array;
  subagent: Int32Array;
  modifiers: Int32Array;
  /** FNV-1a of the key: rows with different numbers are different requests. */
  keyNumber: Uint32Array;
  /** Where its key lies among those that were taken over. */
  keyStart: Uint32Array;
  keyLength: Uint32Array;
  #keys: Buffer;
  #keyBytes = 0;

  /** `expected`: how many there will be, roughly. Columns that grow leave behind what they were. */
  constructor(texts = new Texts(), expected = FEW_ROWS) {
    this.texts = texts;
    this.at = new Float64Array(expected);
    this.input = new Float64Array(expected);
    this.cached = new Float64Array(expected);
    this.cacheWrite = new Float64Array(expected);
    this.cacheWrite1h = new Float64Array(expected);
    this.output = new Float64Array(expected);
    this.thinking = new Float64Array(expected);
    this.webSearches = new Float64Array(expected);
    this.reported = new Float64Array(expected);
    this.flags = new Uint8Array(expected);
    this.model = new Int32Array(expected);
    this.cwd = new Int32Array(expected);
    this.branch = new Int32Array(expected);
    this.subagent = new Int32Array(expected);
    this.modifiers = new Int32Array(expected);
    this.keyNumber = new Uint32Array(expected);
    this.keyStart = new Uint32Array(expected);
    this.keyLength = new Uint32Array(expected);
    this.#keys = Buffer.allocUnsafe(expected * BYTES_PER_KEY);
  }

  /** Takes over bytes that keys lie in; the first of them has the number that is given. */
  addKeys(bytes: Uint8Array): number {
    const start = this.#keyBytes;
    while (start + bytes.length > this.#keys.length) this.#keys = doubled(this.#keys, Buffer.allocUnsafe);
    this.#keys.set(bytes, start);
    this.#keyBytes += bytes.length;
    return start;
  }

  /** New rows, all of which the caller sets, column by column; gives the first. Columns are others after it. */
  extend(count: number): number {
    const first = this.length;
    while (first + count > this.at.length) this.#grow();
    this.length += count;
    return first;
  }

  /** A new row whose key lies among those that were taken over; everything else of it is the caller's to set. */
  #begin(keyStart: number, keyLength: number, keyNumber: number): number {
    const row = this.length++;
    if (row === this.at.length) this.#grow();
    this.keyNumber[row] = keyNumber;
    this.keyStart[row] = keyStart;
    this.keyLength[row] = keyLength;
    return row;
  }

  /** Takes the last rows away, back to this many. */
  cut(length: number): void {
    if (length < this.length) this.#keyBytes = this.keyStart[length]!;
    this.length = length;
  }

  set(row: number, numbers: UsageNumbers): void {
    this.at[row] = numbers.at;
    this.input[row] = numbers.input;
    this.cached[row] = numbers.cached;
    this.cacheWrite[row] = numbers.cacheWrite;
    this.cacheWrite1h[row] = numbers.cacheWrite1h;
    this.output[row] = numbers.output;
    this.thinking[row] = numbers.thinking;
    this.webSearches[row] = numbers.webSearches;
    this.reported[row] = numbers.reported;
    this.flags[row] = numbers.flags;
    this.model[row] = numbers.model;
    this.cwd[row] = numbers.cwd;
    this.branch[row] = numbers.branch;
    this.subagent[row] = numbers.subagent;
    this.modifiers[row] = numbers.modifiers;
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

  #grow(): void {
    const doubles = (column: Float64Array): Float64Array => doubled(column, (size) => new Float64Array(size));
    const ints = (column: Int32Array): Int32Array => doubled(column, (size) => new Int32Array(size));
    const words = (column: Uint32Array): Uint32Array => doubled(column, (size) => new Uint32Array(size));
    this.at = doubles(this.at);
    this.input = doubles(this.input);
    this.cached = doubles(this.cached);
    this.cacheWrite = doubles(this.cacheWrite);
    this.cacheWrite1h = doubles(this.cacheWrite1h);
    this.output = doubles(this.output);
    this.thinking = doubles(this.thinking);
    this.webSearches = doubles(this.webSearches);
    this.reported = doubles(this.reported);
    this.flags = doubled(this.flags, (size) => new Uint8Array(size));
    this.model = ints(this.model);
    this.cwd = ints(this.cwd);
    this.branch = ints(this.branch);
    this.subagent = ints(this.subagent);
    this.modifiers = ints(this.modifiers);
    this.keyNumber = words(this.keyNumber);
    this.keyStart = words(this.keyStart);
    this.keyLength = words(this.keyLength);
  }
}

function keyNumberOf(key: Buffer): number {
  let number = 0x811c9dc5;
  for (const byte of key) number = Math.imul(number ^ byte, 0x01000193);
  return number;
}

function doubled<Column extends { length: number; set(from: Column): void }>(
  column: Column,
  make: (size: number) => Column,
): Column {
  const wider = make(column.length * 2);
  wider.set(column);
  return wider;
}
