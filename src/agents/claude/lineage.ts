/**
 * Parents of forks. `--fork-session` copies all chain records (same uuids) and leaves no pointer; resuming with
 * 1.0.85 or older copies them under new uuids with the same message ids. Only `/branch` writes `forkedFrom`.
 */
import { closeSync, openSync, readSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { entriesOf } from "../../lib/directory.ts";
import { readLines } from "../../lib/jsonl.ts";
import type { SessionHead, SessionSource } from "../adapter.ts";

export function lineage(family: readonly { source: SessionSource; head: SessionHead }[]): Map<string, string> {
  const recordsOf = new Map<string, Set<string>>();
  const records = (source: SessionSource): Set<string> => {
    let ids = recordsOf.get(source.sessionId);
    if (ids === undefined) recordsOf.set(source.sessionId, (ids = recordIds(source)));
    return ids;
  };
  const members = family.toSorted(
    (a, b) =>
      firstOwn(a.head) - firstOwn(b.head) ||
      // Where copies keep all dates, what was left first is what the others went on from.
      (a.head.updatedMs ?? 0) - (b.head.updatedMs ?? 0) ||
      records(a.source).size - records(b.source).size ||
      (a.source.sessionId < b.source.sessionId ? -1 : 1),
  );
  const parents = new Map<string, string>();
  members.forEach(({ source, head }, index) => {
    if (head.forkedFrom !== undefined) return;
    const [eldest] = members;
    // Two that share a record, one of them older: nothing has to be counted.
    if (index === 1 && shareKey(eldest!.head, head))
      return void parents.set(source.sessionId, eldest!.source.sessionId);
    let parent: string | undefined;
    let most = 0;
    // Of the older files, the one that shares most is the nearest ancestor; the first of equals is the original.
    for (const older of members.slice(0, index)) {
      const shared = sharedCount(records(older.source), records(source));
      if (shared > most) [parent, most] = [older.source.sessionId, shared];
    }
    if (parent !== undefined) parents.set(source.sessionId, parent);
  });
  return parents;
}

/** Their keys are ids of records. */
function shareKey(a: SessionHead, b: SessionHead): boolean {
  return a.familyKeys?.some((key) => b.familyKeys?.includes(key)) ?? false;
}

function firstOwn(head: SessionHead): number {
  return head.startedMs ?? head.createdMs ?? Number.MAX_SAFE_INTEGER;
}

/** Of records and of replies; what is shorter than this is a number in somebody's list. */
const ID_MARKS = ['"uuid":"', '"id":"'].map((mark) => Buffer.from(mark));
const LEAST_ID = 16;
const LONGEST_ID = 128;
const CHUNK_BYTES = 256 * 1024;
const QUOTE = 0x22;

/**
 * Uuids of records and ids of replies: what a copy keeps at least one kind of. A quote inside of a text is escaped, so these
 * are keys wherever they stand.
 */
function recordIds({ path }: SessionSource): Set<string> {
  const ids = new Set<string>();
  const bytes = Buffer.allocUnsafe(CHUNK_BYTES);
  let kept = 0;
  try {
    const fd = openSync(path, "r");
    try {
      for (let got = -1; got !== 0;) {
        got = readSync(fd, bytes, kept, CHUNK_BYTES - kept, null);
        const end = kept + got;
        // An id that the end cuts through is found again in the next piece.
        const from = got === 0 ? end : Math.max(0, end - LONGEST_ID);
        for (const mark of ID_MARKS) addIds(bytes.subarray(0, end), mark, from, ids);
        bytes.copyWithin(0, from, end);
        kept = end - from;
      }
    } finally {
      closeSync(fd);
    }
  } catch {
    // Vanished since it was listed: it is nobody's parent any more.
  }
  return ids;
}

function addIds(bytes: Buffer, mark: Buffer, to: number, ids: Set<string>): void {
  for (let at = bytes.indexOf(mark); at !== -1 && at < to; at = bytes.indexOf(mark, at + mark.length)) {
    const start = at + mark.length;
    const end = bytes.indexOf(QUOTE, start);
    if (end - start >= LEAST_ID && end - start < LONGEST_ID - mark.length)
      ids.add(bytes.toString("latin1", start, end));
  }
}

function sharedCount(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  let shared = 0;
  for (const id of b) if (a.has(id)) shared++;
  return shared;
}

/**
 * The session beside `path` that holds a record in its middle. A fork of a compacted session begins with the
 * compaction boundary, which its parent has deep inside; another fork has it at the start, so the deepest wins.
 */
export function holderOf(uuid: string, path: string): string | undefined {
  const directory = dirname(path);
  let holder: string | undefined;
  let deepest = -1;
  for (const entry of entriesOf(directory)) {
    if (!entry.isFile() || !entry.name.endsWith(".jsonl") || entry.name === basename(path)) continue;
    const offset = offsetOfRecord(join(directory, entry.name), uuid);
    if (offset > deepest) [holder, deepest] = [entry.name.slice(0, -".jsonl".length), offset];
  }
  return holder;
}

function offsetOfRecord(path: string, uuid: string): number {
  const needle = Buffer.from(`"uuid":"${uuid}"`);
  try {
    for (const line of readLines(path)) if (line.bytes.includes(needle)) return line.offset;
  } catch {
    // Gone or unreadable: not the holder.
  }
  return -1;
}
