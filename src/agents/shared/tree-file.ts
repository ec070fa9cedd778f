/** A store of tree records in files: one, or several that form one session. */
import { codeOf } from "../../lib/fs/directory.ts";
import type { Json } from "../../lib/json/fields.ts";
import { parseRecord, readHeadAndTail, readLines } from "../../lib/json/jsonl.ts";
import { AgentMuxError } from "../../core/errors.ts";
import type { ReadNotes } from "../read-notes.ts";
import type { RecordSource, TreeOptions, TreeSummary } from "./jsonl-tree.ts";
import { isTreeRecord, isUser, readTreeEntry } from "./tree-format.ts";
import { TreeHeadCollector } from "./tree-head.ts";

export interface FileLocation {
  file: number;
  offset: number;
}

/** Streams the records of these files in order and loads them again by offset. Throws PARSE_ERROR from `scan`. */
export function fileRecords(paths: readonly string[], notes: ReadNotes): RecordSource<FileLocation> {
  let damageCounted = false;
  return {
    *scan() {
      for (const [file, path] of paths.entries()) yield* scanFile(path, file, damageCounted ? undefined : notes);
      // Later passes meet the same damage, so it is noted once.
      damageCounted = true;
    },
    *fetch(places) {
      for (let start = 0; start < places.length;) {
        const end = runEnd(places, start);
        yield* fetchRun(paths[places[start]!.file]!, places.slice(start, end));
        start = end;
      }
    },
  };
}

function* scanFile(
  path: string,
  file: number,
  notes: ReadNotes | undefined,
): Generator<{ record: Json; place: FileLocation }> {
  let [read, foreign, damaged] = [0, 0, 0];
  try {
    for (const line of readLines(path, { onLongLine: () => damaged++ })) {
      const record = parseRecord(line.bytes);
      if (record === undefined) damaged++;
      else {
        if (isTreeRecord(record)) read++;
        else foreign++;
        yield { record, place: { file, offset: line.offset } };
      }
    }
  } catch (error) {
    throw new AgentMuxError("PARSE_ERROR", `${path} cannot be read (${codeOf(error)}).`, { cause: error });
  }
  if (damaged > 0) notes?.damage(path, damaged);
  if (damaged + foreign > 0 && read === 0) throw new AgentMuxError("PARSE_ERROR", `${path} holds no readable record.`);
}

/** Splits places into runs of growing offsets in one file, which one pass can load. */
function runEnd(places: readonly FileLocation[], start: number): number {
  let end = start + 1;
  while (
    end < places.length &&
    places[end]!.file === places[start]!.file &&
    places[end]!.offset > places[end - 1]!.offset
  )
    end++;
  return end;
}

function* fetchRun(path: string, places: readonly FileLocation[]): Generator<Json | undefined> {
  let next = 0;
  for (const line of readLines(path, { from: places[0]!.offset, to: places.at(-1)!.offset + 1 })) {
    while (next < places.length && places[next]!.offset < line.offset) {
      yield undefined;
      next++;
    }
    if (next < places.length && places[next]!.offset === line.offset) {
      yield parseRecord(line.bytes);
      next++;
    }
  }
  for (; next < places.length; next++) yield undefined;
}

/** The first 64 KB hold the header, the system prompt and the first prompt; the last 32 KB the latest name and date. */
const HEAD_BYTES = 64 * 1024;
const TAIL_BYTES = 32 * 1024;
/** How far to search for a first prompt that is too long for the head: `pi @file` stores the file in it. */
const QUESTION_SEARCH_BYTES = 4 * 1024 * 1024;

/**
 * Head of a session from the first and last records of its files. Undefined if there is no conversation, or (noted) if no file
 * can be read.
 */
export function summarizeFiles(
  paths: readonly string[],
  notes: ReadNotes,
  options: Pick<TreeOptions, "userText"> = {},
): TreeSummary | undefined {
  const collector = new TreeHeadCollector(options.userText);
  let whole = true;
  for (const path of paths) whole = seeEdges(path, collector, notes) && whole;
  if (!collector.hasConversation && (whole || collector.header === undefined)) return undefined;
  return { head: collector.head(), header: collector.header, hasConversation: collector.hasConversation };
}

/** Passes the first and last records of a file to the collector; true if these are all. */
function seeEdges(path: string, collector: TreeHeadCollector, notes: ReadNotes): boolean {
  try {
    const { head, tail, whole } = readHeadAndTail(path, HEAD_BYTES, TAIL_BYTES);
    const seen = seeLines(head, collector);
    if (!whole && !collector.hasPrompt) seeFirstPrompt(path, collector);
    for (const record of seeLines(tail, collector)) seen.push(record);
    const damaged = head.length + tail.length - seen.length;
    if (!seen.some(isTreeRecord) && damaged + seen.length > 0) notes.skip(path, "holds no readable record");
    else if (damaged > 0) notes.damage(path, damaged);
    return whole;
  } catch (error) {
    notes.skip(path, `cannot be read (${codeOf(error)})`);
    return true;
  }
}

function seeLines(lines: readonly Buffer[], collector: TreeHeadCollector): Json[] {
  const records = lines.map(parseRecord).filter((record) => record !== undefined);
  for (const record of records) collector.see(record);
  return records;
}

function seeFirstPrompt(path: string, collector: TreeHeadCollector): void {
  for (const line of readLines(path, { to: QUESTION_SEARCH_BYTES })) {
    const record = parseRecord(line.bytes);
    const entry = record && readTreeEntry(record);
    if (entry && isUser(entry)) collector.see(record);
    if (collector.hasPrompt) return;
  }
}
