/**
 * A file of segments, read in one go and only ever appended to or replaced. A segment is a name, some JSON and some columns
 * of numbers, which are used where they lie. What does not match its checksum (a process that was killed, a full disk, a
 * damaged one) ends the file there. A cache: whoever cannot read it does without.
 */
import { closeSync, fstatSync, ftruncateSync, openSync, readFileSync, statSync, writeSync } from "node:fs";
import { crc32 } from "node:zlib";
import { writeFileAtomic } from "../lib/atomic-file.ts";
import { openForReading } from "../lib/foreign-file.ts";

export interface Segment {
  name: string;
  /** JSON texts and columns, each as bytes on an address that 8 divides. */
  parts: Buffer[];
}

/** How the file was when it was read. */
export interface KeptFileState {
  segments: Segment[];
  /** Up to where it is sound. */
  end: number;
  size: number;
  ino: number;
}

const NOTHING: KeptFileState = { segments: [], end: 0, size: 0, ino: 0 };
const HEADER_BYTES = 64;
const MAGIC = 0x6b78_6d61;

/** `version`: what the file must have been written by; of any other nothing is used. */
export function readKeptFile(path: string, version: string): KeptFileState {
  let bytes: Buffer;
  let ino: number;
  try {
    const fd = openForReading(path);
    try {
      ino = fstatSync(fd).ino;
      bytes = readFileSync(fd);
    } finally {
      closeSync(fd);
    }
  } catch {
    // Not there, or not to be read.
    return NOTHING;
  }
  if (bytes.byteOffset % 8 !== 0) bytes = Buffer.from(new Uint8Array(bytes).buffer);
  const state: KeptFileState = { segments: [], end: 0, size: bytes.length, ino };
  if (bytes.length < HEADER_BYTES || !bytes.subarray(0, HEADER_BYTES).equals(headerOf(version))) return state;
  state.end = HEADER_BYTES;
  for (let next = segmentAt(bytes, state.end); next; next = segmentAt(bytes, state.end)) {
    state.segments.push(next.segment);
    state.end = next.end;
  }
  return state;
}

/** Adds segments, unless somebody else has changed the file since it was read. How it is then; undefined when they were not added. */
export function appendToKeptFile(
  path: string,
  state: KeptFileState,
  segments: readonly Segment[],
): KeptFileState | undefined {
  if (state.end === 0) return undefined;
  const fd = openSync(path, "r+");
  try {
    const { size, ino } = fstatSync(fd);
    if (size !== state.size || ino !== state.ino) return undefined;
    if (state.end < size) ftruncateSync(fd, state.end);
    const all = [...state.segments];
    let end = state.end;
    for (const segment of segments) {
      const bytes = bytesOf(segment);
      for (let at = 0; at < bytes.length;) at += writeSync(fd, bytes, at, bytes.length - at, end + at);
      end += bytes.length;
      all.push(segmentAt(bytes, 0)!.segment);
    }
    return { segments: all, end, size: end, ino };
  } finally {
    closeSync(fd);
  }
}

export function replaceKeptFile(path: string, version: string, segments: readonly Segment[]): void {
  writeFileAtomic(path, Buffer.concat([headerOf(version), ...segments.map(bytesOf)]));
}

/** Whether the file is as it was when it was read, or still not there. */
export function isUnchanged(path: string, state: KeptFileState): boolean {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat === undefined ? state.ino === 0 : stat.ino === state.ino && stat.size === state.size;
}

function headerOf(version: string): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  header.write(`amux sessions ${version}`, 0, HEADER_BYTES - 1, "utf8");
  return header;
}

// A segment: u32 magic, length of all of it, checksum of what follows, number of parts; u32 length of each part (the
// first is the name); then the parts, each on an address that 8 divides.
const FIXED_BYTES = 16;

function bytesOf({ name, parts }: Segment): Buffer {
  const all = [Buffer.from(name), ...parts];
  let length = aligned(FIXED_BYTES + 4 * all.length);
  const places = all.map((part) => {
    const place = length;
    length = aligned(length + part.length);
    return place;
  });
  const bytes = Buffer.alloc(length);
  bytes.writeUInt32LE(MAGIC, 0);
  bytes.writeUInt32LE(length, 4);
  bytes.writeUInt32LE(all.length, 12);
  all.forEach((part, index) => {
    bytes.writeUInt32LE(part.length, FIXED_BYTES + 4 * index);
    part.copy(bytes, places[index]);
  });
  bytes.writeUInt32LE(crc32(bytes.subarray(12, length)), 8);
  return bytes;
}

function segmentAt(bytes: Buffer, start: number): { segment: Segment; end: number } | undefined {
  if (start + FIXED_BYTES > bytes.length || bytes.readUInt32LE(start) !== MAGIC) return undefined;
  const length = bytes.readUInt32LE(start + 4);
  const end = start + length;
  if (length % 8 !== 0 || length < FIXED_BYTES || end > bytes.length) return undefined;
  if (crc32(bytes.subarray(start + 12, end)) !== bytes.readUInt32LE(start + 8)) return undefined;
  const count = bytes.readUInt32LE(start + 12);
  const parts: Buffer[] = [];
  let place = aligned(start + FIXED_BYTES + 4 * count);
  for (let index = 0; index < count; index++) {
    const size = bytes.readUInt32LE(start + FIXED_BYTES + 4 * index);
    parts.push(bytes.subarray(place, place + size));
    place = aligned(place + size);
  }
  const [name, ...rest] = parts;
  return { segment: { name: String(name), parts: rest }, end };
}

function aligned(place: number): number {
  return (place + 7) & ~7;
}

export function jsonPart(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value));
}

export function numbersPart(numbers: Float64Array | Int32Array | Uint32Array | Uint16Array): Buffer {
  return Buffer.from(numbers.buffer, numbers.byteOffset, numbers.byteLength);
}
