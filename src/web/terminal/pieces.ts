/**
 * Output cut into pieces that each take the emulator a few milliseconds. Between two of them the page can draw and hear keys.
 * Text is cheap and lines are dear: a kilobyte of nothing but line ends takes as long as fifty of text.
 */

const MAX_BYTES = 4096;
const MAX_LINES = 100;
const LINE_FEED = 10;

export function piecesOf(bytes: Uint8Array): Uint8Array[] {
  const pieces: Uint8Array[] = [];
  let from = 0;
  let lines = 0;
  for (let at = 0; at < bytes.length; at++) {
    if (bytes[at] === LINE_FEED) lines++;
    if (lines < MAX_LINES && at + 1 - from < MAX_BYTES) continue;
    pieces.push(bytes.subarray(from, at + 1));
    from = at + 1;
    lines = 0;
  }
  if (from < bytes.length) pieces.push(bytes.subarray(from));
  return pieces;
}
