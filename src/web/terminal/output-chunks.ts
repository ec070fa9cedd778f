/**
 * Output cut into pieces that each take the emulator a few milliseconds. Between two of them the page can draw and hear keys.
 * Text is cheap and lines are dear: a kilobyte of nothing but line ends takes as long as fifty of text.
 */

const MAX_BYTES = 4096;
const MAX_LINES = 100;
const LINE_FEED = 10;

/** Where the piece ends that begins at `from`. */
export function pieceEnd(bytes: Uint8Array, from: number): number {
  const most = Math.min(bytes.length, from + MAX_BYTES);
  let lines = 0;
  for (let at = from; at < most; at++) if (bytes[at] === LINE_FEED && ++lines === MAX_LINES) return at + 1;
  return most;
}
