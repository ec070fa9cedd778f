/** The rest of a line that is too long to be scanned, up to what a line may have at all. */
import { MAX_LINE_BYTES } from "./jsonl.ts";
import { LINE_FEED } from "./read-ahead.ts";

export interface LongLine {
  /** All of it; undefined when it is longer than a line may be. */
  line: Buffer | undefined;
  /** A line feed has ended it. */
  complete: boolean;
  /** What was read behind it. */
  next: Buffer;
}

/** `begin`: what is known of it. `read` gives how many of so many bytes there were. */
export function readLongLine(begin: Buffer, chunk: number, read: (piece: Buffer) => number): LongLine {
  const pieces = [begin];
  let length = begin.length;
  for (;;) {
    const piece = Buffer.allocUnsafe(chunk);
    const got = read(piece);
    const lineFeed = piece.subarray(0, got).indexOf(LINE_FEED);
    const end = lineFeed === -1 ? got : lineFeed;
    length += end;
    if (length <= MAX_LINE_BYTES) pieces.push(piece.subarray(0, end));
    if (lineFeed === -1 && got > 0) continue;
    const line = length <= MAX_LINE_BYTES ? Buffer.concat(pieces) : undefined;
    return { line, complete: lineFeed !== -1, next: piece.subarray(end + 1, got) };
  }
}
