/** The last records of a file to which an agent appends JSON lines. */
import { closeSync, fstatSync, readSync } from "node:fs";
import type { Json } from "./fields.ts";
import { parseObject } from "./json.ts";
import { openForReading } from "../fs/foreign-file.ts";

/** The end of a turn and its context; tool results are rarely longer. */
const TAIL_BYTES = 256 * 1024;

/** Oldest first. Empty if unreadable, or if the last line alone exceeds the limit. */
export function lastRecords(path: string): Json[] {
  let fd: number;
  try {
    fd = openForReading(path);
  } catch {
    return []; // Not written yet, moved, or archived.
  }
  try {
    const { size } = fstatSync(fd);
    const start = Math.max(0, size - TAIL_BYTES);
    const bytes = Buffer.alloc(size - start);
    const got = readSync(fd, bytes, 0, bytes.length, start);
    const lines = bytes.toString("utf8", 0, got).split("\n");
    // The first is cut off unless the file begins there; the last is empty, or incomplete.
    return lines
      .slice(start === 0 ? 0 : 1, -1)
      .map(parseObject)
      .filter((record): record is Json => record !== undefined);
  } finally {
    closeSync(fd);
  }
}
