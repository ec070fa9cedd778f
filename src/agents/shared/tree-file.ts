/** A store of tree records in files: one, or several that form one session. */
import { codeOf } from "../../lib/fs/directory.ts";
import type { Json } from "../../lib/json/fields.ts";
import { loadingParts, parseRecord, readLines } from "../../lib/json/jsonl.ts";
import { AgentMuxError } from "../../core/errors.ts";
import type { ReadNotes } from "../read-notes.ts";
import type { RecordSource, TreeOptions, TreeSummary } from "./jsonl-tree.ts";
import { seeEdges } from "./line-file.ts";
import { isTreeRecord } from "./tree-format.ts";
import { TreeHeadCollector } from "./tree-head.ts";

export interface FileLocation {
  file: number;
  offset: number;
  length: number;
}

/**
 * Streams the records of these files in order and loads them again by offset. `isOwn` tells a record of this format from other
 * JSON. Throws PARSE_ERROR from `scan`.
 */
export function fileRecords(
  paths: readonly string[],
  notes: ReadNotes,
  isOwn: (record: Json) => boolean = isTreeRecord,
): RecordSource<FileLocation> {
  let damageCounted = false;
  return {
    *scan() {
      for (const [file, path] of paths.entries()) {
        yield* scanFile(path, file, isOwn, damageCounted ? undefined : notes);
      }
      // Later passes meet the same damage, so it is noted once.
      damageCounted = true;
    },
    *fetch(places) {
      for (let start = 0, end = 0; start < places.length; start = end) {
        const { file } = places[start]!;
        while (places[end]?.file === file) end++;
        const run = places.slice(start, end);
        yield* loadingParts(paths[file]!, function* (load) {
          for (const { offset, length } of run) yield parseRecord(load(offset, length));
        });
      }
    },
  };
}

function* scanFile(
  path: string,
  file: number,
  isOwn: (record: Json) => boolean,
  notes: ReadNotes | undefined,
): Generator<{ record: Json; place: FileLocation }> {
  let [read, foreign, damaged] = [0, 0, 0];
  try {
    for (const line of readLines(path, { onLongLine: () => damaged++ })) {
      const record = parseRecord(line.bytes);
      if (record === undefined) damaged++;
      else {
        if (isOwn(record)) read++;
        else foreign++;
        yield { record, place: { file, offset: line.offset, length: line.bytes.length } };
      }
    }
  } catch (error) {
    throw new AgentMuxError("PARSE_ERROR", `${path} cannot be read (${codeOf(error)}).`, { cause: error });
  }
  if (damaged > 0) notes?.damage(path, damaged);
  if (damaged + foreign > 0 && read === 0) throw new AgentMuxError("PARSE_ERROR", `${path} holds no readable record.`);
}

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
  for (const path of paths) whole = seeRecords(path, collector, notes) && whole;
  if (!collector.hasConversation && (whole || collector.header === undefined)) return undefined;
  return { head: collector.head(), header: collector.header, hasConversation: collector.hasConversation };
}

/** Passes the first and last records of a file to the collector; true if these are all. */
function seeRecords(path: string, collector: TreeHeadCollector, notes: ReadNotes): boolean {
  let [read, foreign, damaged] = [0, 0, 0];
  const see = (line: Buffer): void => {
    const record = parseRecord(line);
    if (record === undefined) damaged++;
    else {
      if (isTreeRecord(record)) read++;
      else foreign++;
      collector.see(record);
    }
  };
  try {
    const whole = seeEdges(path, see, () => collector.hasPrompt);
    if (read === 0 && damaged + foreign > 0) notes.skip(path, "holds no readable record");
    else if (damaged > 0) notes.damage(path, damaged);
    return whole;
  } catch (error) {
    notes.skip(path, `cannot be read (${codeOf(error)})`);
    return true;
  }
}
