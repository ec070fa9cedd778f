/** Unpacks packed rollouts (.zst) as a stream: Codex packs cold threads, which can be of any size. */
import { closeSync, readSync } from "node:fs";
import { Decompress } from "fzstd";
import { MAX_LINE_BYTES, type Line } from "../../lib/json/jsonl.ts";
import { openForReading } from "../../lib/fs/foreign-file.ts";

/** Larger output is treated as a decompression bomb; rollouts of 1 GB exist. */
const MAX_UNPACKED_BYTES = 4 * 1024 * 1024 * 1024;
const CHUNK_BYTES = 256 * 1024;
/** The limit of the zstd program; the decoder allocates what a frame asks for. */
const MAX_WINDOW_BYTES = 128 * 1024 * 1024;

/** Lines of a packed file, like `readLines`; offsets are those of the unpacked text. */
export function* unpackedLines(path: string): Generator<Line> {
  let offset = 0;
  let carry: Uint8Array[] = [];
  let carried = 0;
  for (const chunk of unpackedChunks(path)) {
    let start = 0;
    for (;;) {
      const newline = chunk.indexOf(10, start);
      const piece = chunk.subarray(start, newline === -1 ? chunk.length : newline);
      carried += piece.length;
      // A line too long to be a record is only measured.
      if (carried <= MAX_LINE_BYTES) carry.push(newline === -1 ? Buffer.from(piece) : piece);
      if (newline === -1) break;
      if (carried > 0 && carried <= MAX_LINE_BYTES) yield { offset, bytes: joined(carry, carried), complete: true };
      offset += carried + 1;
      carry = [];
      carried = 0;
      start = newline + 1;
    }
  }
  if (carried > 0 && carried <= MAX_LINE_BYTES) yield { offset, bytes: joined(carry, carried), complete: false };
}

function joined(pieces: Uint8Array[], length: number): Buffer {
  const [first] = pieces;
  return pieces.length === 1 && first !== undefined
    ? Buffer.from(first.buffer, first.byteOffset, first.byteLength)
    : Buffer.concat(pieces, length);
}

function* unpackedChunks(path: string): Generator<Uint8Array> {
  const fd = openForReading(path);
  try {
    yield* unpackedInPieces(fd);
  } finally {
    closeSync(fd);
  }
}

/** Throws at damage, after yielding everything before it. */
function* unpackedInPieces(fd: number): Generator<Uint8Array> {
  let ready: Uint8Array[] = [];
  let unpacked = 0;
  const decoder = new Decompress((chunk) => ready.push(chunk));
  for (let position = 0; ;) {
    // A new buffer each time, because the decoder keeps references to unused input.
    const packed = Buffer.alloc(CHUNK_BYTES);
    const got = readSync(fd, packed, 0, CHUNK_BYTES, position);
    if (position === 0 && windowOf(packed) > MAX_WINDOW_BYTES) throw new Error("the frame asks for too much memory");
    position += got;
    let damage: unknown;
    try {
      decoder.push(packed.subarray(0, got), got === 0);
    } catch (error) {
      damage = error;
    }
    for (const chunk of ready) {
      unpacked += chunk.length;
      if (unpacked > MAX_UNPACKED_BYTES) throw new Error("it unpacks to more than any rollout");
      yield chunk;
    }
    ready = [];
    if (damage !== undefined) throw damage;
    if (got === 0) return;
  }
}

/** The window a zstd frame header asks for (RFC 8878, 3.1.1.1). */
function windowOf(header: Buffer): number {
  const descriptor = header[4] ?? 0;
  const singleSegment = (descriptor & 0x20) !== 0;
  if (singleSegment) {
    const sizeBytes = [1, 2, 4, 8][descriptor >> 6]!;
    const start = 5 + [0, 1, 2, 4][descriptor & 3]!;
    return sizeBytes === 8 ? Number(header.readBigUInt64LE(start)) : header.readUIntLE(start, sizeBytes);
  }
  const window = header[5] ?? 0;
  const base = 2 ** (10 + (window >> 3));
  return base + (base / 8) * (window & 7);
}
