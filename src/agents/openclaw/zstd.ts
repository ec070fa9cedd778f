/** Compressed transcripts: single events in the database and whole archives. Node 20 has no decoder of its own. */
import { Decompress } from "fzstd";

/** More than this from one archive is a broken or hostile file; OpenClaw itself stops at 64 MB. */
const MAX_BYTES = 512 * 1024 * 1024;
/** Fed in pieces, so that reading a beginning does not decode the rest. */
const PIECE_BYTES = 64 * 1024;

export interface Inflated {
  bytes: Buffer;
  /** Nothing follows: neither was decoding stopped early nor is the rest damaged. */
  whole: boolean;
  damaged: boolean;
}

/**
 * Decodes until there are `enough` bytes. Data that is cut off or damaged gives what came before; it throws
 * when that is nothing.
 */
export function inflate(compressed: Uint8Array, enough: number = MAX_BYTES): Inflated {
  const pieces: Uint8Array[] = [];
  let size = 0;
  const decoder = new Decompress((piece) => {
    pieces.push(piece);
    size += piece.length;
  });
  let offset = 0;
  let damaged = false;
  try {
    while (offset < compressed.length && size < enough) {
      const end = offset + PIECE_BYTES;
      decoder.push(compressed.subarray(offset, end), end >= compressed.length);
      offset = end;
    }
  } catch (error) {
    if (size === 0) throw error;
    damaged = true;
  }
  return { bytes: Buffer.concat(pieces, size), whole: !damaged && offset >= compressed.length, damaged };
}
