/**
 * Reads JSONL as it exists on disk: torn last lines, CRLF, BOM, NUL blocks after a crash, huge lines, files that grow or vanish.
 * Splits on LF bytes only (U+2028 is legal inside a JSON string) and holds one line at a time.
 */
import { closeSync, fstatSync, readSync } from "node:fs";
import { openForReading } from "../fs/foreign-file.ts";

const CHUNK_BYTES = 256 * 1024;
/** A longer line is skipped and counted; the longest seen in practice is about 50 MB. */
export const MAX_LINE_BYTES = 256 * 1024 * 1024;

export interface Line {
  /** Byte offset of `bytes` in the file. */
  offset: number;
  /** The line without its break and padding. Valid until the next iteration. */
  bytes: Buffer;
  /** False for a last line without a line break: it may still be incomplete. */
  complete: boolean;
}

export interface LineRange {
  from?: number;
  /** Stop at this offset (a line that starts before it is read whole). */
  to?: number;
  onLongLine?: (offset: number, bytes: number) => void;
}

/** Lines of a file in order, without blank and NUL-only ones. Throws only if the file cannot be opened. */
export function* readLines(path: string, range: LineRange = {}): Generator<Line> {
  const fd = openForReading(path);
  try {
    yield* linesOf(fd, range);
  } finally {
    closeSync(fd);
  }
}

function* linesOf(fd: number, range: LineRange): Generator<Line> {
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  const end = range.to ?? Number.POSITIVE_INFINITY;
  let position = range.from ?? 0;
  let lineStart = position;
  let carry: Buffer[] = [];
  let carried = 0;
  let skipping = false;

  for (;;) {
    const got = readSync(fd, chunk, 0, CHUNK_BYTES, position);
    if (got === 0) break;
    let start = 0;
    while (start < got) {
      const newline = chunk.indexOf(10, start);
      if (newline === -1 || newline >= got) break;
      const piece = chunk.subarray(start, newline);
      if (skipping) {
        range.onLongLine?.(lineStart, carried + piece.length);
        skipping = false;
        carried = 0;
      } else {
        const bytes = carried > 0 ? Buffer.concat([...carry, piece]) : piece;
        carry = [];
        carried = 0;
        const trimmed = trim(bytes, lineStart === 0);
        if (trimmed.length > 0)
          yield { offset: lineStart + trimmed.byteOffset - bytes.byteOffset, bytes: trimmed, complete: true };
      }
      start = newline + 1;
      lineStart = position + start;
      if (lineStart >= end) return;
    }
    if (start < got) {
      const rest = chunk.subarray(start, got);
      carried += rest.length;
      if (carried > MAX_LINE_BYTES) {
        skipping = true;
        carry = [];
      } else if (!skipping) carry.push(Buffer.from(rest));
    }
    position += got;
  }
  if (skipping) range.onLongLine?.(lineStart, carried);
  else if (carried > 0) {
    const bytes = Buffer.concat(carry);
    const trimmed = trim(bytes, lineStart === 0);
    if (trimmed.length > 0)
      yield { offset: lineStart + trimmed.byteOffset - bytes.byteOffset, bytes: trimmed, complete: false };
  }
}

/** Strips CR at the end, BOM at the file's start, and the NUL bytes a crash leaves around a record. */
export function trim(bytes: Buffer, first: boolean): Buffer {
  let start = first && hasBom(bytes, 0) ? 3 : 0;
  let end = bytes.length;
  while (start < end && isPadding(bytes[start]!)) start++;
  while (end > start && isPadding(bytes[end - 1]!)) end--;
  return start === 0 && end === bytes.length ? bytes : bytes.subarray(start, end);
}

function hasBom(bytes: Buffer, start: number): boolean {
  return bytes[start] === 0xef && bytes[start + 1] === 0xbb && bytes[start + 2] === 0xbf;
}

function isPadding(byte: number): boolean {
  return byte === 0 || byte === 32 || byte === 9 || byte === 13;
}

/** The record on a line, or undefined when it is not a JSON object. */
export function parseRecord(bytes: Buffer): Record<string, unknown> | undefined {
  return bytes[0] === 123 /* { */ ? recordIn(bytes.toString("utf8")) : undefined;
}

/** The same for text that begins like an object. */
function recordIn(json: string): Record<string, unknown> | undefined {
  try {
    return JSON.parse(json) as Record<string, unknown>;
  } catch {
    // A torn or damaged line; the caller counts it.
    return undefined;
  }
}

/** Reads `length` bytes at `offset`; fewer if the file has shrunk. */
export function readAt(fd: number, offset: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafe(length);
  let filled = 0;
  while (filled < length) {
    const got = readSync(fd, bytes, filled, length - filled, offset + filled);
    if (got === 0) break;
    filled += got;
  }
  return filled === length ? bytes : bytes.subarray(0, filled);
}

/** Gives what `use` makes of parts of a file, which it loads by their offsets. */
export function* loadingParts<T>(
  path: string,
  use: (load: (offset: number, length: number) => Buffer) => Iterable<T>,
): Generator<T> {
  const fd = openForReading(path);
  try {
    yield* use((offset, length) => readAt(fd, offset, length));
  } finally {
    closeSync(fd);
  }
}

/** The first bytes of a file. Throws if it cannot be opened. */
export function readStart(path: string, length: number): Buffer {
  const fd = openForReading(path);
  try {
    return readAt(fd, 0, length);
  } finally {
    closeSync(fd);
  }
}

export interface HeadAndTail<Part = Buffer[]> {
  size: number;
  /** Whole lines from the start. */
  head: Part;
  /** Whole lines from the end, none of them in `head`. */
  tail: Part;
  /** True when head and tail together are the whole file. */
  whole: boolean;
}

/** The first and the last lines of a file without the middle. */
export function readHeadAndTail(
  path: string,
  headBytes: number,
  tailBytes: number,
): HeadAndTail & { headEnd: number; tailStart: number } {
  const { head, tail, ...rest } = readEnds(path, headBytes, tailBytes);
  const bounds = { headEnd: head.length, tailStart: rest.size - tail.length };
  return { ...rest, ...bounds, head: splitLines(head, true), tail: splitLines(tail, false) };
}

/**
 * The raw bytes of both ends. A longer first line is read to its end (headers of 27 KB exist), up to `MAX_HEADER_BYTES`; a longer
 * last line from its start, up to `MAX_LAST_BYTES`.
 */
export function readEnds(path: string, headBytes: number, tailBytes: number): HeadAndTail<Buffer> {
  const fd = openForReading(path);
  try {
    const size = fstatSync(fd).size;
    if (size <= headBytes + tailBytes) {
      return { size, head: readAt(fd, 0, size), tail: NOTHING, whole: true };
    }
    let head = readAt(fd, 0, headBytes);
    while (head.indexOf(10) === -1 && head.length < Math.min(size, MAX_HEADER_BYTES)) {
      const longer = readAt(fd, 0, Math.min(size, head.length * 4));
      // The file was truncated meanwhile.
      if (longer.length <= head.length) break;
      head = longer;
    }
    const headEnd = head.lastIndexOf(10) + 1;
    let tailStart = Math.max(headEnd, size - tailBytes);
    let tail = readAt(fd, tailStart, size - tailStart);
    while (tail.length > 0 && tail.length < MAX_LAST_BYTES && tailStart > headEnd && !hasWholeLine(tail)) {
      const earlier = Math.max(headEnd, size - Math.min(tail.length * 8, MAX_LAST_BYTES));
      const longer = readAt(fd, earlier, size - earlier);
      if (longer.length <= tail.length) break;
      [tailStart, tail] = [earlier, longer];
    }
    const firstBreak = tailStart === headEnd ? -1 : tail.indexOf(10);
    return {
      size,
      head: head.subarray(0, headEnd),
      tail: tailStart > headEnd && firstBreak === -1 ? NOTHING : tail.subarray(firstBreak + 1),
      whole: tailStart === headEnd,
    };
  } finally {
    closeSync(fd);
  }
}

/** One that starts after another line's end. */
function hasWholeLine(bytes: Buffer): boolean {
  const firstBreak = bytes.indexOf(10);
  return firstBreak !== -1 && firstBreak < bytes.length - 1;
}

const NOTHING = Buffer.alloc(0);
const MAX_HEADER_BYTES = 4 * 1024 * 1024;
const MAX_LAST_BYTES = 8 * 1024 * 1024;

export function splitLines(bytes: Buffer, first: boolean): Buffer[] {
  const lines: Buffer[] = [];
  let start = 0;
  while (start < bytes.length) {
    let end = bytes.indexOf(10, start);
    if (end === -1) end = bytes.length;
    const line = trim(bytes.subarray(start, end), first && start === 0);
    if (line.length > 0) lines.push(line);
    start = end + 1;
  }
  return lines;
}
