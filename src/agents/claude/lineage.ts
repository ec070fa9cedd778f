/**
 * Parents of forks. `--fork-session` copies all chain records (same uuids) and leaves no pointer; resuming with
 * 1.0.85 or older copies them under new uuids with the same message ids. Only `/branch` writes `forkedFrom`.
 */
import { basename, dirname, join } from "node:path";
import { entriesOf } from "../../lib/directory.ts";
import { readLines } from "../../lib/jsonl.ts";
import type { SessionHead, SessionSource } from "../adapter.ts";
import { recordIds, type IdSet } from "./record-ids.ts";

export function lineage(family: readonly { source: SessionSource; head: SessionHead }[]): Map<string, string> {
  const records = recordIds();
  const known = new Map<string, IdSet>();
  const ids = (source: SessionSource, mark: string): IdSet => {
    const key = `${mark}${source.sessionId}`;
    let found = known.get(key);
    if (found === undefined) known.set(key, (found = records.idsIn(source.path, mark)));
    return found;
  };
  const members = family.toSorted(
    (a, b) =>
      firstOwn(a.head) - firstOwn(b.head) ||
      // Where copies keep all dates, what was left first is what the others went on from.
      (a.head.updatedMs ?? 0) - (b.head.updatedMs ?? 0) ||
      sizeOf(ids(a.source, UUID_MARK)) - sizeOf(ids(b.source, UUID_MARK)) ||
      (a.source.sessionId < b.source.sessionId ? -1 : 1),
  );
  const parents = new Map<string, string>();
  members.forEach(({ source, head }, index) => {
    if (head.forkedFrom !== undefined) return;
    const [eldest] = members;
    // Two that share a record, one of them older: nothing has to be counted.
    if (index === 1 && shareKey(eldest!.head, head))
      return void parents.set(source.sessionId, eldest!.source.sessionId);
    const older = members.slice(0, index);
    // What a copy keeps: its records' ids or, where those are new, its replies' and calls'.
    const parent = nearest(source, older, UUID_MARK) ?? nearest(source, older, ID_MARK);
    if (parent !== undefined) parents.set(source.sessionId, parent);
  });
  return parents;

  /** Of the older files, the one that shares most is the nearest ancestor; the first of equals is the original. */
  function nearest(
    source: SessionSource,
    older: readonly { source: SessionSource }[],
    mark: string,
  ): string | undefined {
    let parent: string | undefined;
    let most = 0;
    for (const other of older) {
      const shared = records.sharedCount(ids(other.source, mark), ids(source, mark));
      if (shared > most) [parent, most] = [other.source.sessionId, shared];
    }
    return parent;
  }
}

/** Their keys are ids of records. */
function shareKey(a: SessionHead, b: SessionHead): boolean {
  return a.familyKeys?.some((key) => b.familyKeys?.includes(key)) ?? false;
}

function firstOwn(head: SessionHead): number {
  return head.startedMs ?? head.createdMs ?? Number.MAX_SAFE_INTEGER;
}

const UUID_MARK = '"uuid":"';
const ID_MARK = '"id":"';

function sizeOf({ from, to }: IdSet): number {
  return to - from;
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
