/** How large the table of a file's ids is at first. */

/** What an id takes of a transcript, roughly: the table starts at the size it will need. */
const BYTES_PER_ID = 256;
/** A table for a larger file grows while it is read. */
const MAX_BYTES = 2 ** 26;
const LEAST_SLOTS = 512;

/** For a file of so many bytes; a power of two. */
export function idSlots(bytes: number): number {
  const ids = Math.ceil(Math.min(bytes, MAX_BYTES) / BYTES_PER_ID);
  return ids <= LEAST_SLOTS ? LEAST_SLOTS : 2 ** (32 - Math.clz32(ids - 1));
}
