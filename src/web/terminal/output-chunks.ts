/**
 * Splits output into chunks that take the emulator a few milliseconds each, so that the page can render and handle keys
 * between them. Lines cost more than text: 1 KB of line ends takes as long as 50 KB of text.
 */

const MAX_BYTES = 4096;
const MAX_LINES = 100;
const LINE_FEED = 10;

/** The end of the chunk that begins at `from`. */
export function pieceEnd(bytes: Uint8Array, from: number): number {
  const most = Math.min(bytes.length, from + MAX_BYTES);
  let lines = 0;
  for (let at = from; at < most; at++) if (bytes[at] === LINE_FEED && ++lines === MAX_LINES) return at + 1;
  return most;
}
