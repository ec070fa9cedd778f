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
  const decoded = { pieces: [] as Uint8Array[], size: 0 };
  const decoder = new Decompress((piece) => {
    decoded.pieces.push(piece);
    decoded.size += piece.length;
    // A few bytes can stand for gigabytes.
    if (decoded.size > MAX_BYTES) throw new RangeError(`decodes to more than ${MAX_BYTES} bytes`);
  });
  let offset = 0;
  let damaged = false;
  try {
    for (; offset < compressed.length && decoded.size < enough; offset += PIECE_BYTES) {
      const end = offset + PIECE_BYTES;
      decoder.push(compressed.subarray(offset, end), end >= compressed.length);
    }
  } catch (error) {
    if (decoded.size === 0) throw error;
    damaged = true;
  }
  const whole = !damaged && offset >= compressed.length;
  return { bytes: Buffer.concat(decoded.pieces, decoded.size), whole, damaged };
}
