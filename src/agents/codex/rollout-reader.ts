/** The records of one rollout file, plain, packed, or a single JSON document: all of them, or its two ends. */
import { readEnds, readLines, splitLines, type Line } from "../../lib/json/jsonl.ts";
import type { ReadNotes } from "../read-notes.ts";
import type { RolloutFile } from "./rollout-files.ts";
import { recordsInDocument } from "./format.ts";
import { RolloutRecord } from "./rollout-record.ts";
import { unpackedLines } from "./unpack.ts";
import { MAX_DOCUMENT_BYTES, readText } from "../../lib/fs/foreign-file.ts";

export interface PlacedRecord {
  record: RolloutRecord;
  /** Byte offset in the (unpacked) file. */
  offset: number;
}

/** In order, one in memory at a time. Throws if the file cannot be opened; later damage is noted. */
export function* recordsOf(file: RolloutFile, notes?: ReadNotes): Generator<PlacedRecord> {
  if (file.document) {
    for (const record of recordsOfDocument(file)) yield { record, offset: 0 };
    return;
  }
  let any = false;
  try {
    for (const line of file.compressed ? unpackedLines(file.path) : linesOnDisk(file, notes)) {
      const record = RolloutRecord.fromLine(line.bytes);
      if (record) yield { record, offset: line.offset };
      else notes?.damage(file.path);
      any ||= record !== undefined;
    }
  } catch (error) {
    if (!any) throw error;
    notes?.skip(file.path, `cannot be read to the end (${String(error)})`);
  }
}

/** The file is not empty, readable or not. */
export function hasContent(file: RolloutFile): boolean {
  try {
    const lines = file.compressed ? unpackedLines(file.path) : readLines(file.path);
    // Breaking the loop closes the file.
    for (const _ of lines) return true;
    return false;
  } catch {
    // Not opened or unpacked: assume that there is something.
    return true;
  }
}

function linesOnDisk(file: RolloutFile, notes: ReadNotes | undefined): Generator<Line> {
  return readLines(file.path, { onLongLine: () => notes?.damage(file.path) });
}

/** Pretty-printed; these files are small and end with 2025. */
function recordsOfDocument(file: RolloutFile): RolloutRecord[] {
  const document: unknown = JSON.parse(readText(file.path, MAX_DOCUMENT_BYTES).replace(/^\uFEFF/, ""));
  return recordsInDocument(document).map((item) => new RolloutRecord(item));
}

const HEAD_BYTES = 64 * 1024;
const TAIL_BYTES = 32 * 1024;
/** For a packed file, whose end requires unpacking all of it. */
const PACKED_BYTES = 4 * 1024 * 1024;

export interface Ends {
  head: RolloutRecord[];
  tail: RolloutRecord[];
  /** Head and tail are the whole file. */
  whole: boolean;
}

/** The first and the last records, for a list. */
export function endsOf(file: RolloutFile, notes: ReadNotes): Ends {
  if (file.document) return { head: recordsOfDocument(file), tail: [], whole: true };
  if (file.compressed) return startOfPacked(file, notes);
  const { head, tail, whole } = readEnds(file.path, HEAD_BYTES, TAIL_BYTES);
  return { head: recordsIn(file, head, notes), tail: recordsIn(file, tail, notes), whole };
}

function recordsIn(file: RolloutFile, bytes: Buffer, notes: ReadNotes): RolloutRecord[] {
  return splitLines(bytes, true).flatMap((line) => {
    const record = RolloutRecord.fromLine(line);
    if (record === undefined) notes.damage(file.path);
    return record ?? [];
  });
}

function startOfPacked(file: RolloutFile, notes: ReadNotes): Ends {
  const head: RolloutRecord[] = [];
  for (const { record, offset } of recordsOf(file, notes)) {
    head.push(record);
    if (offset > PACKED_BYTES) return { head, tail: [], whole: false };
  }
  return { head, tail: [], whole: true };
}
