/**
 * Values at given paths of every line of a JSON-lines file, without building objects: the bytes are read straight into
 * the memory of a small WebAssembly module (wasm/json-lines.as.ts), which checks each line as strictly as JSON.parse and
 * notes what lies where. A line it is not sure about is given as `odd`, to be parsed as a whole by the caller.
 * Lines are those of `jsonl.ts`: blank ones left out, padding trimmed, a torn last one marked.
 */
import { endsRoom, readFileEnds, type FileEnds } from "./file-ends.ts";
import { idSlots } from "./id-slots.ts";
import { unescaped } from "./json.ts";
import type { JsonLinesExports } from "./json-lines-exports.ts";
import { JSON_LINES_WASM } from "./json-lines.gen.ts";
import { ITEM_FIELD, namePaths, SCRATCH, type FieldSpec } from "./json-line-paths.ts";
import { hasBom, trim } from "./jsonl.ts";
import { readLongLine } from "./long-line.ts";
import { rawFiles, type RawFiles } from "./raw-files.ts";
import { AHEAD_BYTES, LINE_FEED, ON_FROM_HERE, ReadAhead } from "./read-ahead.ts";
import { scannerModule } from "./scanner-module.ts";
import { instantiateWasm, type WasmMemory } from "./wasm.ts";

/** What a line has at a path. */
export const NULL = 1;
export const TRUE = 3;
export const NUMBER = 4;
export const STRING = 5;
export const OBJECT = 7;

/** What `next` found. */
export const END = 0;
/** Valid JSON, or too deep to tell, that has to be parsed. */
export const ODD = 2;
/** Not JSON, or no object. */
export const DAMAGED = 3;

// The module's memory map.
const KINDS = 192;
const PLACES = 256;
const NUMBERS = 1280;
const SCRATCH_BYTES = 8_900;
const ITEMS = 16_384;
export const MOVED = 4;

/** Large enough that a read is worth its call, small enough to stay in the processor's cache until it is scanned. */
export const CHUNK_BYTES = 256 * 1024;
/** A longer line is given to the caller as bytes: the module's memory never shrinks again. */
const MAX_SCANNED_BYTES = 16 * 1024 * 1024;

type PlainExports = JsonLinesExports & { next(): number };

/** `Exports`: of a module that has more to offer than the plain one. */
export class JsonLines<Exports extends JsonLinesExports = PlainExports> {
  protected readonly exports: Exports & { memory: WasmMemory };
  readonly #nodes = new Map<string, number>();
  readonly #itemFields: number;
  readonly #words: string[] = [];
  /** Views of the module's memory; void whenever it grows. */
  protected bytes!: Buffer;
  protected ints!: Int32Array;
  protected doubles!: Float64Array;
  #buffer: number;
  #capacity = CHUNK_BYTES;
  #files: RawFiles = rawFiles();
  #ahead: ReadAhead | undefined;
  #fd = -1;
  /** Bytes of the file that were read so far. */
  #read = 0;
  #atEnd = true;
  /** A line too long for the module. */
  #long: Buffer | undefined;
  #longOffset = 0;
  #complete = true;

  /** Lines that begin with one of `passOver` are not looked at. */
  constructor(fields: readonly FieldSpec[], passOver: readonly string[] = [], wasm = JSON_LINES_WASM) {
    this.exports = instantiateWasm<Exports>(scannerModule(wasm));
    this.#buffer = this.exports.allocate(this.#capacity + 1);
    this.look();
    this.exports.configure(0);
    this.look();
    this.#itemFields = namePaths(this.bytes, this.exports, this.#nodes, fields, passOver);
    this.exports.configure(this.#itemFields);
    this.exports.forgetIds(1024);
    this.look();
  }

  /** The handle of a path that was asked for; of a field of an item, its number. */
  field(path: string): number {
    const node = this.#nodes.get(path);
    if (node === undefined) throw new Error(`${path} was not asked for.`);
    return path.includes("[]") ? this.bytes[ITEM_FIELD + node]! - 1 : node;
  }

  /** Starts on a file; throws when it cannot be opened. `bytes` is its size, as far as it is known. */
  open(path: string, bytes: number): void {
    this.openNext(path);
    this.exports.forgetIds(idSlots(bytes));
    this.look();
  }

  /** The same, but ids of the file before keep their numbers. */
  openNext(path: string): void {
    this.close();
    this.#files = rawFiles();
    const ahead = this.#ahead?.take(path);
    if (ahead !== undefined) {
      this.#fd = ahead.fd;
      this.#read = ahead.end - ahead.start;
      this.#atEnd = ahead.fd === -1;
      this.#feed(ahead.start, ahead.end, true);
      return;
    }
    this.#fd = this.#files.open(path);
    this.#read = 0;
    this.#atEnd = false;
    this.exports.feed(this.#buffer, this.#buffer, 0);
  }

  /** Files that are opened soon. */
  get ahead(): ReadAhead {
    this.#ahead ??= new ReadAhead(this.exports.allocate(AHEAD_BYTES), () => (this.look(), this.bytes));
    return this.#ahead;
  }

  /** Starts on bytes that were read already. False when they are more than it holds. */
  openBytes(bytes: Buffer): boolean {
    this.close();
    if (bytes.length > this.#capacity) return false;
    this.exports.forgetIds(idSlots(bytes.length));
    this.look();
    this.bytes.set(bytes, this.#buffer);
    this.#read = bytes.length;
    this.#end = this.#buffer + bytes.length;
    this.bytes[this.#end] = LINE_FEED;
    this.exports.feed(this.#buffer + (hasBom(bytes, 0) ? 3 : 0), this.#end, 1);
    return true;
  }

  /**
   * Reads the beginning and the end of a file, without the middle, to be looked at piece by piece. The end has whole lines
   * only, none of them in the beginning; a first line longer than `head` is not read on. `read`: how, if otherwise. `slot`:
   * beside those of how many other files.
   */
  readEnds(
    path: string,
    size: number | undefined,
    head: number,
    tail: number,
    read = readFileEnds,
    slot = 0,
  ): FileEnds {
    this.close();
    this.look();
    return read(path, size, head, tail, this.bytes, this.#buffer + slot * endsRoom(head, tail));
  }

  /** Starts on lines of what `readEnds` has read; `to` is the end of a line or of what was read. */
  protected openRange(from: number, to: number): void {
    this.look();
    // A line feed must end them: their own, since what follows may be looked at later.
    const end = this.bytes[to - 1] === LINE_FEED ? to - 1 : to;
    this.#read = end - from;
    this.#end = end;
    this.#atEnd = true;
    this.bytes[end] = LINE_FEED;
    this.exports.feed(from + (hasBom(this.bytes, from) ? 3 : 0), end, 1);
  }

  close(): void {
    if (this.#fd !== -1) this.#files.close(this.#fd);
    this.#fd = -1;
    this.#atEnd = true;
  }

  /** Goes to the next line that `step` stops at and tells what it is. The file is closed when there is none. */
  protected advance(step: () => number): number {
    this.#long = undefined;
    for (;;) {
      const state = step();
      if (state >= MOVED) this.look();
      if ((state & ~MOVED) !== END) return state & ~MOVED;
      if (this.#atEnd) {
        this.close();
        return END;
      }
      const found = this.#fill();
      if (found !== END) return found;
    }
  }

  /** Goes to the next line and tells what it is. The file is closed when there is none. */
  next(this: JsonLines): number {
    return this.advance(this.exports.next);
  }

  /** What lies at a path; 0 if nothing. */
  kind(field: number): number {
    return this.bytes[KINDS + field]!;
  }

  /** A number, or the milliseconds of a time; NaN for anything else. */
  number(field: number): number {
    const kind = this.bytes[KINDS + field];
    if (kind !== NUMBER && kind !== STRING) return Number.NaN;
    if (this.ints[(PLACES >> 2) + 4 * field + 3] === 1) return this.doubles[(NUMBERS >> 3) + field]!;
    return kind === NUMBER ? Number(this.#slice(field)) : Date.parse(this.text(field));
  }

  /** A string; empty for anything else. */
  text(field: number): string {
    if (this.bytes[KINDS + field] !== STRING) return "";
    return unescaped(this.#slice(field));
  }

  /** An object, parsed; it must be one. */
  protected object(field: number): Record<string, unknown> {
    return JSON.parse(this.#slice(field)) as Record<string, unknown>;
  }

  #slice(field: number): string {
    const place = (PLACES >> 2) + 4 * field;
    const start = this.ints[place]!;
    return this.textAt(start, this.ints[place + 1]! - start);
  }

  /** Whether there is a string that is not empty. */
  isText(field: number): boolean {
    const place = (PLACES >> 2) + 4 * field;
    return this.bytes[KINDS + field] === STRING && this.ints[place]! < this.ints[place + 1]!;
  }

  /** As `id`, but 0 for the empty string as well. */
  textId(field: number): number {
    return this.isText(field) ? this.ints[(PLACES >> 2) + 4 * field + 2]! : 0;
  }

  /** Number of an `id` or `word` string, from 1 up; 0 for anything else. */
  id(field: number): number {
    return this.bytes[KINDS + field] === STRING ? this.ints[(PLACES >> 2) + 4 * field + 2]! : 0;
  }

  /** A `word` string; empty for anything else. */
  word(field: number): string {
    const number = this.id(field);
    return number === 0 ? this.text(field) : this.wordText(number);
  }

  protected wordText(number: number): string {
    const known = this.#words[number];
    if (known !== undefined) return known;
    this.look();
    const place = this.exports.wordPlace(number) >> 2;
    const text = unescaped(this.textAt(this.ints[place]!, this.ints[place + 1]!));
    this.#words[number] = text;
    return text;
  }

  /** What is written at an address. */
  protected textAt(address: number, length: number): string {
    return this.bytes.toString("utf8", address, address + length);
  }

  /** A string as JSON writes it, without its quotes. */
  protected stringAt(address: number, length: number): string {
    return unescaped(this.textAt(address, length));
  }

  /** Where in the file an address lies. */
  protected offsetOf(address: number): number {
    return this.#read - (this.#end - address);
  }

  /** Items of the array whose fields were asked for. */
  get items(): number {
    return this.ints[2]!;
  }

  /** Number of an item's `id` or `word` string; 0 for anything else. */
  itemId(item: number, field: number): number {
    return this.ints[this.itemPlace(item, field) + 3]!;
  }

  /** The same, but 0 for the empty string as well. */
  itemTextId(item: number, field: number): number {
    const place = this.itemPlace(item, field);
    return this.ints[place + 1]! < this.ints[place + 2]! ? this.ints[place + 3]! : 0;
  }

  /** Where in `ints` it is noted: its kind, its start, its end, its number. */
  protected itemPlace(item: number, field: number): number {
    return (ITEMS >> 2) + 4 * (item * this.#itemFields + field);
  }

  /** The number an `id` string has or gets in this file. */
  idOf(text: string): number {
    return this.exports.idAt(...this.put(text));
  }

  /** The number of a `word`. */
  wordId(text: string): number {
    return this.exports.wordOf(...this.put(text));
  }

  /** Writes a text where the module finds it. */
  protected put(text: string): [address: number, length: number] {
    const length = Buffer.byteLength(text);
    const address = length <= SCRATCH_BYTES ? SCRATCH : this.exports.allocate(length);
    this.look();
    this.bytes.write(text, address);
    return [address, length];
  }

  /** The line itself. Valid until the next one. */
  line(): Buffer {
    return this.#long ?? this.bytes.subarray(this.ints[0], this.ints[1]);
  }

  /** Where in the file the line begins; of one that is too long for the module, only roughly. */
  get lineOffset(): number {
    return this.#long === undefined ? this.offsetOf(this.ints[0]!) : this.#longOffset;
  }

  /** False for a last line without a line break: it may still be being written. */
  get complete(): boolean {
    return this.#long === undefined ? this.ints[3] === 1 : this.#complete;
  }

  /** Makes the views of the module's memory anew if it has grown. */
  protected look(): void {
    // Views of what has grown have no length any more; to ask the memory itself takes as long as a short read.
    if (this.bytes !== undefined && this.bytes.length > 0) return;
    const { buffer } = this.exports.memory;
    this.bytes = Buffer.from(buffer);
    this.ints = new Int32Array(buffer);
    this.doubles = new Float64Array(buffer);
  }

  /** Reads on behind what is left of the last piece. Gives a line only if it is too long for the module. */
  #fill(): number {
    const start = this.exports.unread();
    const rest = this.#read === 0 ? 0 : this.#end - start;
    if (rest === this.#capacity) {
      if (rest >= MAX_SCANNED_BYTES) return this.#longLine(start);
      this.#widen(start, rest);
    } else if (rest > 0) this.bytes.copyWithin(this.#buffer, start, start + rest);
    this.#readBehind(rest);
    return END;
  }

  #end = 0;

  #readBehind(rest: number): void {
    const room = this.#capacity - rest;
    const got = this.#files.read(this.#fd, this.bytes, this.#buffer + rest, room, ON_FROM_HERE);
    const isFirst = this.#read === 0;
    this.#read += got;
    // A regular file that gives less than was asked for has no more.
    this.#atEnd = got < room;
    this.bytes[this.#buffer + rest + got] = LINE_FEED;
    this.#feed(this.#buffer, this.#buffer + rest + got, isFirst);
  }

  #feed(start: number, end: number, isFirst: boolean): void {
    this.#end = end;
    this.exports.feed(start + (isFirst && hasBom(this.bytes, start) ? 3 : 0), end, this.#atEnd ? 1 : 0);
  }

  #widen(start: number, rest: number): void {
    const capacity = this.#capacity * 4;
    const buffer = this.exports.allocate(capacity + 1);
    this.look();
    this.bytes.copyWithin(buffer, start, start + rest);
    this.#buffer = buffer;
    this.#capacity = capacity;
  }

  #longLine(start: number): number {
    const isFirst = this.#read === this.#capacity;
    this.#longOffset = this.offsetOf(start);
    const begin = Buffer.from(this.bytes.subarray(start, this.#end));
    const { line, complete, next } = readLongLine(begin, CHUNK_BYTES, (piece) => {
      const got = this.#files.read(this.#fd, piece, 0, CHUNK_BYTES, ON_FROM_HERE);
      this.#read += got;
      return got;
    });
    this.#complete = complete;
    this.bytes.set(next, this.#buffer);
    this.#readBehind(next.length);
    this.#long = line === undefined ? Buffer.alloc(0) : trim(line, isFirst);
    return line === undefined ? DAMAGED : ODD;
  }
}
