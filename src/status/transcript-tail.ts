/** The last records of a file to which an agent appends lines of JSON. */
import { closeSync, fstatSync, readSync } from "node:fs";
import type { Json } from "../lib/json/fields.ts";
import { parseObject } from "../lib/json/json.ts";
import { openForReading } from "../lib/fs/foreign-file.ts";

/** The end of a turn and what came shortly before it; one tool result rarely is longer. */
const TAIL_BYTES = 256 * 1024;

/** Oldest first. Empty when it cannot be read, or its last line alone is longer than what is looked at. */
export function lastRecords(path: string): Json[] {
  let fd: number;
  try {
    fd = openForReading(path);
  } catch {
    return []; // Not written yet, moved, or packed away: it tells nothing.
  }
  try {
    const { size } = fstatSync(fd);
    const start = Math.max(0, size - TAIL_BYTES);
    const bytes = Buffer.alloc(size - start);
    const got = readSync(fd, bytes, 0, bytes.length, start);
    const lines = bytes.toString("utf8", 0, got).split("\n");
    // The first is cut off unless the file begins there; the last is empty, or still being written.
    return lines
      .slice(start === 0 ? 0 : 1, -1)
      .map(parseObject)
      .filter((record): record is Json => record !== undefined);
  } finally {
    closeSync(fd);
  }
}
