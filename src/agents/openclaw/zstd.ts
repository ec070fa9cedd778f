/** Decodes zstd: single events in the database and whole archives. Node 20 has no decoder. */
import { Decompress } from "fzstd";

/** A larger archive is broken or hostile; OpenClaw itself stops at 64 MB. */
const MAX_BYTES = 512 * 1024 * 1024;
/** Decodes in chunks, so that reading the beginning does not decode the rest. */
const PIECE_BYTES = 64 * 1024;

export interface Inflated {
  bytes: Buffer;
  /** Complete: decoding did not stop early, and the rest is not damaged. */
  whole: boolean;
  damaged: boolean;
}

/** Decodes until there are `enough` bytes. Truncated or damaged data gives the part before; throws if that is empty. */
export function inflate(compressed: Uint8Array, enough: number = MAX_BYTES): Inflated {
  const decoded = { pieces: [] as Uint8Array[], size: 0 };
  const decoder = new Decompress((piece) => {
    decoded.pieces.push(piece);
    decoded.size += piece.length;
    // A few bytes can expand to gigabytes.
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
