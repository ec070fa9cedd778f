/**
 * The lines of a file that may say something, without looking at the others: a transcript is mostly the output of tools, and
 * `Buffer.indexOf` passes over that many times faster than `JSON.parse` reads it.
 */
import { closeSync, fstatSync } from "node:fs";
import { openForReading } from "../fs/foreign-file.ts";
import { readAt, readLines, trim, type Line } from "./jsonl.ts";

/** A larger file is read line by line. */
const MAX_HELD_BYTES = 64 * 1024 * 1024;

/** Lines that hold one of the needles, in order; before these, all lines as long as `isBeginning` says so. */
export function* linesWith(
  path: string,
  needles: readonly string[],
  isBeginning: () => boolean = () => false,
): Generator<Line> {
  const bytes = contentsOf(path);
  if (bytes === undefined) {
    for (const line of readLines(path))
      if (isBeginning() || needles.some((needle) => line.bytes.includes(needle, 0, "latin1"))) yield line;
    return;
  }
  /** Where each needle comes next; past the end when it does not any more. */
  const next = needles.map(() => -1);
  for (let start = 0; start < bytes.length;) {
    let from = start;
    if (!isBeginning()) {
      const place = nextPlace(bytes, needles, next, start);
      if (place >= bytes.length) return;
      from = bytes.lastIndexOf(LINE_FEED, place) + 1;
    }
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

/** Undefined when it is too large to be held. */
function contentsOf(path: string): Buffer | undefined {
  const fd = openForReading(path);
  try {
    const { size } = fstatSync(fd);
    return size > MAX_HELD_BYTES ? undefined : readAt(fd, 0, size);
  } finally {
    closeSync(fd);
  }
}
