/** Parses a session's record: its size, and the terminal output that rebuilds its screen and history. */
import { Cols, Rows } from "./frames.ts";
import { check, object } from "./shape.ts";

export interface RecordedScreen {
  cols: number;
  rows: number;
  output: Buffer;
}

const NEWLINE = 0x0a;
const Head = object({ cols: Cols, rows: Rows });

/** Size for a record whose first line does not state one: an ordinary terminal's. */
const UNKNOWN_SIZE = { cols: 80, rows: 24 };

/** Never fails: the file may contain anything. */
export function parseRecord(bytes: Buffer): RecordedScreen {
  const end = bytes.indexOf(NEWLINE);
  const head = check(Head, jsonOf(bytes.toString("utf8", 0, Math.max(0, end))));
  if (!head.ok) return { ...UNKNOWN_SIZE, output: bytes };
  return { cols: head.value.cols, rows: head.value.rows, output: bytes.subarray(end + 1) };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
