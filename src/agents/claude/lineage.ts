/**
 * Parents of forks. `--fork-session` copies all chain records (same uuids) and leaves no pointer; resuming with
 * 1.0.85 or older copies them under new uuids with the same message ids. Only `/branch` writes `forkedFrom`.
 */
import { basename, dirname, join } from "node:path";
import { entriesOf } from "../../lib/directory.ts";
import { readLines } from "../../lib/jsonl.ts";
import type { SessionHead, SessionSource } from "../adapter.ts";
import { recordIds, type IdSet } from "./record-ids.ts";

export function lineage(family: readonly Member[]): Map<string, string> {
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
  const [eldest, second] = members;
  // Two that share a record, one of them older: nothing has to be counted.
  if (second !== undefined && second.head.forkedFrom === undefined && shareKey(eldest!.head, second.head)) {
    parents.set(second.source.sessionId, eldest!.source.sessionId);
  }
  // What a copy keeps: its records' ids or, where those are new, its replies' and calls'.
  for (const mark of [UUID_MARK, ID_MARK]) {
    const isOpen = ({ source, head }: Member): boolean =>
      head.forkedFrom === undefined && !parents.has(source.sessionId);
    const last = members.findLastIndex(isOpen);
    if (last < 1) continue;
    records.startHolders();
    members.slice(0, last + 1).forEach((member, index) => {
      const own = ids(member.source, mark);
      const { inherited, youngest } = records.handOn(own, index);
      if (inherited === 0 || !isOpen(member)) return;
      // Nobody older than it has what it had first: if it has all the rest, no other shares as much.
      const likely = members[youngest]!.source;
      const isNearest = records.sharedCount(ids(likely, mark), own) === inherited;
      parents.set(member.source.sessionId, isNearest ? likely.sessionId : nearest(own, members.slice(0, index), mark));
    });
  }
  return parents;

  /** Of the older files, the one that shares most is the nearest ancestor; the first of equals is the original. */
  function nearest(own: IdSet, older: readonly Member[], mark: string): string {
    let parent = "";
    let most = 0;
    for (const { source } of older) {
      const shared = records.sharedCount(ids(source, mark), own);
      if (shared > most) [parent, most] = [source.sessionId, shared];
    }
    return parent;
  }
}

interface Member {
  source: SessionSource;
  head: SessionHead;
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
