/** Loads records of compressed transcripts and of those in the database. */
import { errorText } from "../../lib/text/error-text.ts";
import type { Json } from "../../lib/json/fields.ts";
import { parseRecord } from "../../lib/json/jsonl.ts";
import { withDatabase } from "../../lib/sqlite/sqlite.ts";
import { AgentMuxError } from "../../core/errors.ts";
import type { ReadNotes } from "../read-notes.ts";
import { readBlob, readEvents, uncovered } from "./format.ts";
import type { Transcript } from "./locator.ts";

import { inflate } from "./zstd.ts";
import { MAX_DOCUMENT_BYTES, readBytes } from "../../lib/fs/foreign-file.ts";

type LoadedTranscript = Extract<Transcript, { kind: "compressed" | "rows" | "blob" }>;

/** All records. Throws PARSE_ERROR if there are some and none is readable. */
export function loadRecords(path: string, transcript: LoadedTranscript, notes: ReadNotes): Json[] {
  let damaged = 0;
  let records: Json[];
  try {
    if (transcript.kind === "rows") {
      records = withDatabase(path, (database) => {
        damaged = 0;
        return [...readEvents(database, transcript.windowId, () => damaged++)];
      });
    } else {
      const loaded = decode(compressedBytes(path, transcript));
      records = recordsOf(loaded.bytes, () => damaged++);
      if (!loaded.whole) damaged++;
    }
  } catch (error) {
    throw new AgentMuxError("PARSE_ERROR", `A session in ${path} cannot be read.`, { cause: error });
  }
  if (damaged > 0) notes.damage(path, damaged);
  if (damaged > 0 && records.length === 0) {
    throw new AgentMuxError("PARSE_ERROR", `A session in ${path} has no readable record.`);
  }
  return records;
}

/** Only the beginning of an archive: its end requires decoding everything. */
const OPENING_BYTES = 64 * 1024;

export interface OpeningRecords {
  records: Json[];
  whole: boolean;
}

/** The first records of a compressed transcript; undefined (and noted) if it is unreadable. */
export function loadOpening(
  path: string,
  transcript: Exclude<LoadedTranscript, { kind: "rows" }>,
  notes: ReadNotes,
): OpeningRecords | undefined {
  try {
    const { bytes, whole, damaged } = decode(compressedBytes(path, transcript), OPENING_BYTES);
    if (damaged) notes.damage(path);
    // Partial decoding ends within a line, which is not damage.
    const lines = whole ? bytes : bytes.subarray(0, bytes.lastIndexOf(10) + 1);
    return { records: recordsOf(lines, () => notes.damage(path)), whole };
  } catch (error) {
    notes.skip(path, `cannot be read (${errorText(error)})`);
    return undefined;
  }
}

interface StoredBytes {
  bytes: Uint8Array;
  compressed: boolean;
}

function compressedBytes(path: string, transcript: Exclude<LoadedTranscript, { kind: "rows" }>): StoredBytes {
  if (transcript.kind === "compressed") return { bytes: readBytes(path, MAX_DOCUMENT_BYTES), compressed: true };
  const { table, windowId, generation } = transcript;
  const blob = withDatabase(path, (database) => readBlob(database, table, windowId, generation));
  if (blob === undefined) throw new Error(`the archive of ${windowId} is gone`);
  return blob;
}

function decode(stored: StoredBytes, enough?: number): { bytes: Buffer; whole: boolean; damaged: boolean } {
  if (stored.compressed) return inflate(stored.bytes, enough);
  return { bytes: Buffer.from(stored.bytes), whole: true, damaged: false };
}

function recordsOf(bytes: Buffer, onDamage: () => void): Json[] {
  const records: Json[] = [];
  for (let start = 0; start < bytes.length;) {
    let end = bytes.indexOf(10, start);
    if (end === -1) end = bytes.length;
    const line = bytes.subarray(start, end);
    start = end + 1;
    if (line.length === 0) continue;
    const record = parseRecord(line);
    if (record === undefined) onDamage();
    else records.push(...uncovered(record));
  }
  return records;
}
