/** Sessions archived by `omp gc --archive`: the same lines, gzipped. */
import { closeSync } from "node:fs";
import { AgentMuxError } from "../../core/errors.ts";
import { codeOf } from "../../lib/fs/directory.ts";
import type { Json } from "../../lib/json/fields.ts";
import { parseRecord, readAt } from "../../lib/json/jsonl.ts";
import type { ReadNotes } from "../read-notes.ts";
import { MAX_DOCUMENT_BYTES, openForReading, readBytes } from "../../lib/fs/foreign-file.ts";

/** The limit of an unpacked archive, which is held in memory; larger ones are refused. */
const MAX_UNPACKED_BYTES = 1024 * 1024 * 1024;
/** Compressed bytes that contain title, header and first prompt. */
const HEAD_BYTES = 64 * 1024;

/** All records of an archive. Throws PARSE_ERROR if it is not gzip or has no record. */
export function archivedRecords(path: string, notes: ReadNotes): Json[] {
  let bytes: Buffer;
  try {
    const { gunzipSync } = process.getBuiltinModule("node:zlib");
    bytes = gunzipSync(readBytes(path, MAX_DOCUMENT_BYTES), { maxOutputLength: MAX_UNPACKED_BYTES });
  } catch (error) {
    throw new AgentMuxError("PARSE_ERROR", `${path} cannot be unpacked (${codeOf(error)}).`, { cause: error });
  }
  const lines = linesOf(bytes);
  const records = lines.map((line) => parseRecord(line)).filter((record) => record !== undefined);
  if (lines.length > 0 && records.length === 0) {
    throw new AgentMuxError("PARSE_ERROR", `${path} holds no readable record.`);
  }
  if (records.length < lines.length) notes.damage(path, lines.length - records.length);
  return records;
}

/** The first records of an archive, from its first compressed bytes. */
export function firstArchivedRecords(path: string, notes: ReadNotes): Json[] {
  try {
    const fd = openForReading(path);
    try {
      const packed = readAt(fd, 0, HEAD_BYTES);
      // A sync flush returns the decoded part of a truncated stream instead of failing.
      const { constants, gunzipSync } = process.getBuiltinModule("node:zlib");
      const bytes = gunzipSync(packed, { finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength: MAX_UNPACKED_BYTES });
      return linesOf(bytes)
        .map((line) => parseRecord(line))
        .filter((record) => record !== undefined);
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    notes.skip(path, `cannot be unpacked (${codeOf(error)})`);
    return [];
  }
}

function linesOf(bytes: Buffer): Buffer[] {
  const lines: Buffer[] = [];
  for (let start = 0; start < bytes.length;) {
    const newline = bytes.indexOf(10, start);
    const end = newline === -1 ? bytes.length : newline;
    if (end > start) lines.push(bytes.subarray(start, end));
    start = end + 1;
  }
  return lines;
}
