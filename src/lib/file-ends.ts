/** The beginning and the end of a file, read into a buffer that is there already. */
import { closeSync, fstatSync, openSync, readSync } from "node:fs";

/** Places in the buffer. */
export interface FileEnds {
  head: number;
  headEnd: number;
  tail: number;
  tailEnd: number;
  /** The head is all of the file. */
  whole: boolean;
}

const LINE_FEED = 10;
/** Between the two: whoever looks at lines looks some bytes beyond their end. */
const GAP_BYTES = 64;

/**
 * Head and tail are whole lines, none of them in both; the head has none when the first line is longer than it. `known`: its
 * size, where it was looked at before.
 */
export function readFileEnds(
  path: string,
  known: number | undefined,
  headBytes: number,
  tailBytes: number,
  bytes: Buffer,
  start: number,
): FileEnds {
  const fd = openSync(path, "r");
  try {
    const size = known ?? fstatSync(fd).size;
    const whole = size <= headBytes + tailBytes;
    const head = readSync(fd, bytes, start, whole ? headBytes + tailBytes : headBytes, 0);
    if (whole) return { head: start, headEnd: start + head, tail: 0, tailEnd: 0, whole };
    // Looked for in the whole buffer: a view of a part of it takes longer to make than most searches.
    const headEnd = Math.max(bytes.lastIndexOf(LINE_FEED, start + head - 1) + 1, start);
    const from = Math.max(headEnd - start, size - tailBytes);
    const place = start + headBytes + GAP_BYTES;
    const tailEnd = place + readSync(fd, bytes, place, size - from, from);
    const isNext = from === headEnd - start;
    const firstBreak = isNext ? -1 : bytes.indexOf(LINE_FEED, place);
    const tail = isNext ? place : firstBreak === -1 || firstBreak >= tailEnd ? tailEnd : firstBreak + 1;
    return { head: start, headEnd, tail, tailEnd, whole };
  } finally {
    closeSync(fd);
  }
}
