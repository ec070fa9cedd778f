/**
 * Which program a tree belongs to. omp began as a copy of Pi and also uses `PI_CODING_AGENT_DIR`, so one folder can hold sessions
 * of both. A file belongs to the program that began it, and is listed and billed only there.
 */
import { parseRecord, readHeadAndTail } from "../../lib/json/jsonl.ts";
import { authorIn } from "./tree-format.ts";

export type TreeAuthor = "pi" | "omp";

/** The signs are in the first lines: title slot, header, and the first model. */
const OPENING_BYTES = 16 * 1024;

/** A file without any sign, such as version 1, is Pi's. */
export function authorOf(path: string): TreeAuthor {
  try {
    for (const line of readHeadAndTail(path, OPENING_BYTES, 0).head) {
      const author = authorIn(parseRecord(line) ?? {});
      if (author !== undefined) return author;
    }
  } catch {
    // The owner's reader reports that it cannot be read.
  }
  return "pi";
}
