/** The beginning and the end of a file, read into a buffer that is there already. */
import { rawFiles } from "./raw-files.ts";

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
/** Behind both: whoever looks at lines looks some bytes beyond their end. */
const GAP_BYTES = 64;

/** What they take of a buffer, with some bytes behind them. */
export function endsRoom(headBytes: number, tailBytes: number): number {
  return headBytes + tailBytes + 2 * GAP_BYTES;
}

/** Of how many files they can be held beside each other in so many bytes. */
export function endsAtOnce(bytes: number, headBytes: number, tailBytes: number): number {
  return Math.floor(bytes / endsRoom(headBytes, tailBytes));
}

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
  const { head, headEnd, tail, tailEnd, whole } = readCutEnds(path, known, headBytes, tailBytes, bytes, start);
  if (whole) return { head, headEnd, tail, tailEnd, whole };
  // Looked for in the whole buffer: a view of a part of it takes longer to make than most searches.
  const lastBreak = bytes.lastIndexOf(LINE_FEED, headEnd - 1);
  const firstBreak = bytes.indexOf(LINE_FEED, tail);
  return {
    head,
    headEnd: Math.max(lastBreak + 1, head),
    tail: firstBreak === -1 || firstBreak >= tailEnd ? tailEnd : firstBreak + 1,
    tailEnd,
    whole,
  };
}

/** The same as they were cut, in the middle of lines; the file may be shorter by now than it was known to be. */
export function readCutEnds(
  path: string,
  known: number | undefined,
  headBytes: number,
  tailBytes: number,
  bytes: Buffer,
  start: number,
): FileEnds {
  const files = rawFiles();
  const fd = files.open(path);
  try {
    // What fits into the head is known to be all of it without asking for its size, which takes as long as reading it.
    const first = known === undefined ? files.read(fd, bytes, start, headBytes, 0) : 0;
    const isAll = known === undefined && first < headBytes;
    const size = isAll ? first : (known ?? files.size(fd));
    if (size <= headBytes + tailBytes) {
      const rest = isAll ? 0 : files.read(fd, bytes, start + first, headBytes + tailBytes - first, first);
      return { head: start, headEnd: start + first + rest, tail: 0, tailEnd: 0, whole: true };
    }
    const head = known === undefined ? first : files.read(fd, bytes, start, headBytes, 0);
    const tail = start + headBytes + GAP_BYTES;
    const tailEnd = tail + files.read(fd, bytes, tail, tailBytes, size - tailBytes);
    return { head: start, headEnd: start + head, tail, tailEnd, whole: false };
  } finally {
    files.close(fd);
  }
}
