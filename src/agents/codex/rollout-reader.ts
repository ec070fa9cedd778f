/** The records of one rollout file, plain, packed, or a single JSON document: all of them, or its two ends. */
import { readFileSync } from "node:fs";
import { asArray, asObject } from "../../lib/fields.ts";
import { readHeadAndTail, readLines, type Line } from "../../lib/jsonl.ts";
import type { ReadNotes } from "../read-notes.ts";
import type { RolloutFile } from "./rollout-files.ts";
import { RolloutRecord } from "./rollout-record.ts";
import { unpackedLines } from "./unpack.ts";

export interface PlacedRecord {
  record: RolloutRecord;
  /** Byte offset in the (unpacked) file. */
  offset: number;
}

/** In order, one held at a time. Throws when the file cannot be opened; damage on the way is noted. */
export function* recordsOf(file: RolloutFile, notes?: ReadNotes): Generator<PlacedRecord> {
  if (file.document) {
    for (const record of recordsOfDocument(file)) yield { record, offset: 0 };
    return;
  }
  let any = false;
  try {
    for (const line of file.compressed ? unpackedLines(file.path) : linesOnDisk(file, notes)) {
      const record = RolloutRecord.fromLine(line);
      if (record) yield { record, offset: line.offset };
      else notes?.damage(file.path);
      any ||= record !== undefined;
    }
  } catch (error) {
    if (!any) throw error;
    notes?.skip(file.path, `cannot be read to the end (${String(error)})`);
  }
}

/** Something is in there, readable or not. */
export function hasContent(file: RolloutFile): boolean {
  try {
    const lines = file.compressed ? unpackedLines(file.path) : readLines(file.path);
    return lines.next().done !== true;
  } catch {
    // Not even opened or unpacked: there may well be.
    return true;
  }
}

function linesOnDisk(file: RolloutFile, notes: ReadNotes | undefined): Generator<Line> {
  return readLines(file.path, { onLongLine: () => notes?.damage(file.path) });
}

/** `{session:{id,timestamp},items:[…]}`, pretty-printed; these files end with 2025 and are small. */
function recordsOfDocument(file: RolloutFile): RolloutRecord[] {
  const document = asObject(JSON.parse(readFileSync(file.path, "utf8").replace(/^\uFEFF/, "")));
  const session = asObject(document?.["session"]);
  const items = asArray(document?.["items"]) ?? [];
  return [session, ...items]
    .map(asObject)
    .filter((item) => item !== undefined)
    .map((item) => RolloutRecord.fromObject(item));
}

const HEAD_BYTES = 64 * 1024;
const TAIL_BYTES = 32 * 1024;
/** Of a packed file, whose end cannot be reached without unpacking all before it. */
const PACKED_BYTES = 4 * 1024 * 1024;

export interface Ends {
  head: RolloutRecord[];
  tail: RolloutRecord[];
  /** Head and tail are the whole file. */
  whole: boolean;
}

/** The first and the last records, for what a list shows. */
export function endsOf(file: RolloutFile, notes: ReadNotes): Ends {
  if (file.document) return { head: recordsOfDocument(file), tail: [], whole: true };
  if (file.compressed) return startOfPacked(file, notes);
  const ends = readHeadAndTail(file.path, HEAD_BYTES, TAIL_BYTES);
  const parse = (lines: Buffer[]): RolloutRecord[] =>
    lines.flatMap((bytes, index) => {
      // The very last line may be torn in a way that does not show.
      const isLast = index === lines.length - 1 && (lines === ends.tail || ends.whole);
      const record = RolloutRecord.fromLine({ bytes, offset: 0, complete: !isLast });
      if (record === undefined) notes.damage(file.path);
      return record ?? [];
    });
  return { head: parse(ends.head), tail: parse(ends.tail), whole: ends.whole };
}

function startOfPacked(file: RolloutFile, notes: ReadNotes): Ends {
  const head: RolloutRecord[] = [];
  for (const { record, offset } of recordsOf(file, notes)) {
    // Parsed at once: the bytes are gone with the next line.
    head.push(RolloutRecord.fromObject(record.object));
    if (offset > PACKED_BYTES) return { head, tail: [], whole: false };
  }
  return { head, tail: [], whole: true };
}
