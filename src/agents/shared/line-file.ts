/**
 * Sessions in one file with one record per line, in conversation order. Read as a stream, so that size does not matter; the
 * adapter interprets the records.
 */
import { AgentMuxError } from "../../core/errors.ts";
import type { SessionMessage } from "../../core/session.ts";
import { codeOf } from "../../lib/fs/directory.ts";
import type { Json } from "../../lib/json/fields.ts";
import { parseRecord, readHeadAndTail, readLines } from "../../lib/json/jsonl.ts";
import type { SessionHead, SessionReader } from "../adapter.ts";
import type { ReadNotes } from "../read-notes.ts";

export interface LineFormat {
  /** Undefined if these records contain no messages. */
  headOf(records: Iterable<Json>): SessionHead | undefined;
  messagesOf(records: Iterable<Json>): Iterable<SessionMessage>;
}

/** Header, system prompt and first prompt are in the first 64 KB; the latest name and date in the last 32 KB. */
const HEAD_BYTES = 64 * 1024;
const TAIL_BYTES = 32 * 1024;
/** Up to this size a file is read as a whole. */
export const EDGE_BYTES = HEAD_BYTES + TAIL_BYTES;
/** How far to read for a first prompt that is not in the head: a prompt can contain a file. */
const SEARCH_BYTES = 4 * 1024 * 1024;

/**
 * Passes the first and the last lines of a file to `see`, and more of the first ones until there are `enough`. Returns whether
 * these are all. Throws if the file cannot be opened.
 */
export function seeEdges(path: string, see: (line: Buffer, index: number) => void, enough = () => true): boolean {
  const { head, tail, whole, headEnd, tailStart } = readHeadAndTail(path, HEAD_BYTES, TAIL_BYTES);
  let index = 0;
  for (const line of head) see(line, index++);
  if (!whole && !enough()) {
    for (const { bytes } of readLines(path, { from: headEnd, to: Math.min(tailStart, SEARCH_BYTES) })) {
      see(bytes, index++);
      if (enough()) break;
    }
  }
  for (const line of tail) see(line, index++);
  return whole;
}

/** The head from both ends of the file. Throws if it cannot be read, or if no line is a record. */
export function summarizeLineFile(path: string, { headOf }: Pick<LineFormat, "headOf">): SessionHead | undefined {
  const records: (Json | undefined)[] = [];
  try {
    seeEdges(path, (line) => records.push(parseRecord(line)));
  } catch (error) {
    throw new Error(`cannot be read (${codeOf(error)})`, { cause: error });
  }
  const readable = records.filter((record) => record !== undefined);
  if (readable.length === 0 && records.length > 0) throw new Error("holds no readable message");
  return headOf(readable);
}

/** Undefined if there is no conversation. Throws PARSE_ERROR if nothing can be read. */
export function readLineFile(
  path: string,
  { headOf, messagesOf }: LineFormat,
  notes: ReadNotes,
): SessionReader | undefined {
  let damaged = 0;
  let head: SessionHead | undefined;
  try {
    head = headOf(recordsIn(path, () => damaged++));
  } catch (error) {
    throw new AgentMuxError("PARSE_ERROR", `${path} cannot be read (${codeOf(error)}).`, { cause: error });
  }
  if (damaged > 0) notes.damage(path, damaged);
  if (head === undefined) {
    if (damaged === 0) return undefined;
    throw new AgentMuxError("PARSE_ERROR", `${path} holds no readable message.`);
  }
  return {
    head,
    messages: () => messagesOf(recordsIn(path)),
    usage: () => [],
    raw: () => [...recordsIn(path)],
  };
}

/** The records of a file; `onDamage` is called for each line that is not one. Throws if the file cannot be opened. */
export function* recordsIn(path: string, onDamage?: () => void): Generator<Json> {
  for (const line of readLines(path, onDamage === undefined ? {} : { onLongLine: onDamage })) {
    const record = parseRecord(line.bytes);
    if (record !== undefined) yield record;
    else onDamage?.();
  }
}

/** Every line for `Session.raw`: records, and other lines as text. */
export function rawLines(path: string): unknown[] {
  return Array.from(readLines(path), ({ bytes }) => parseRecord(bytes) ?? { unreadable: bytes.toString("utf8") });
}
