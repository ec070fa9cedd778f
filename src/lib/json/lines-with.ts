/**
 * Finds the lines of a file that contain a needle. Transcripts are mostly tool output, which `Buffer.indexOf` skips much faster
 * than `JSON.parse` reads it.
 */
import { closeSync, fstatSync } from "node:fs";
import { openForReading } from "../fs/foreign-file.ts";
import { readAt, readLines, trim, type Line } from "./jsonl.ts";

/** A larger file is read line by line. */
const MAX_HELD_BYTES = 64 * 1024 * 1024;

/** Lines that contain one of the needles, in order. */
export function* linesWith(path: string, needles: readonly string[]): Generator<Line> {
  const bytes = contentsOf(path);
  if (bytes === undefined) {
    for (const line of readLines(path))
      if (needles.some((needle) => line.bytes.includes(needle, 0, "latin1"))) yield line;
    return;
  }
  /** Next position of each needle; past the end if there is none. */
  const next = needles.map(() => -1);
  for (let start = 0; start < bytes.length;) {
    const place = nextPlace(bytes, needles, next, start);
    if (place >= bytes.length) return;
    const from = bytes.lastIndexOf(LINE_FEED, place) + 1;
    const feed = bytes.indexOf(LINE_FEED, from);
    const end = feed === -1 ? bytes.length : feed;
    const line = bytes.subarray(from, end);
    const trimmed = trim(line, from === 0);
    if (trimmed.length > 0)
      yield { offset: from + trimmed.byteOffset - line.byteOffset, bytes: trimmed, complete: feed !== -1 };
    start = end + 1;
  }
}

function nextPlace(bytes: Buffer, needles: readonly string[], next: number[], start: number): number {
  let first = bytes.length;
  needles.forEach((needle, index) => {
    if (next[index]! < start) {
      const found = bytes.indexOf(needle, start, "latin1");
      next[index] = found === -1 ? bytes.length : found;
    }
    first = Math.min(first, next[index]!);
  });
  return first;
}

const LINE_FEED = 10;

/** Undefined if the file is too large to hold in memory. */
function contentsOf(path: string): Buffer | undefined {
  const fd = openForReading(path);
  try {
    const { size } = fstatSync(fd);
    return size > MAX_HELD_BYTES ? undefined : readAt(fd, 0, size);
  } finally {
    closeSync(fd);
  }
}
