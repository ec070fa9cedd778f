/**
 * Finds parents of forks. `--fork-session` copies all chain records (same uuids) and leaves no pointer; resuming with 1.0.85 or
 * older copies them under new uuids with the same message ids. Only `/branch` writes `forkedFrom`.
 */
import { basename, dirname, join } from "node:path";
import { entriesOf } from "../../lib/fs/directory.ts";
import { readLines } from "../../lib/json/jsonl.ts";
import { linesWith } from "../../lib/json/lines-with.ts";
import type { SessionHead, SessionSource } from "../adapter.ts";
import { ANY_ID_MARK, RECORD_ID_MARK } from "./format.ts";

export function lineage(family: readonly Member[]): Map<string, string> {
  const known = new Map<string, IdSet>();
  const ids = (source: SessionSource, mark: string): IdSet => {
    const key = `${mark}${source.sessionId}`;
    let found = known.get(key);
    if (found === undefined) known.set(key, (found = idsIn(source.path, mark)));
    return found;
  };
  const members = family.toSorted(
    (a, b) =>
      firstOwn(a.head) - firstOwn(b.head) ||
      // If copies keep all dates, the session that ended first is the parent.
      (a.head.updatedMs ?? 0) - (b.head.updatedMs ?? 0) ||
      ids(a.source, RECORD_ID_MARK).size - ids(b.source, RECORD_ID_MARK).size ||
      (a.source.sessionId < b.source.sessionId ? -1 : 1),
  );
  const parents = new Map<string, string>();
  const [eldest, second] = members;
  // Two that share a record, one of them older: no counting needed.
  if (second !== undefined && second.head.forkedFrom === undefined && shareKey(eldest!.head, second.head)) {
    parents.set(second.source.sessionId, eldest!.source.sessionId);
  }
  // What a copy keeps: record ids or, if those are new, ids of replies and calls.
  for (const mark of [RECORD_ID_MARK, ANY_ID_MARK]) {
    const isOpen = ({ source, head }: Member): boolean =>
      head.forkedFrom === undefined && !parents.has(source.sessionId);
    const last = members.findLastIndex(isOpen);
    if (last < 1) continue;
    /** The first holder of each id. */
    const holders = new Map<string, number>();
    members.slice(0, last + 1).forEach((member, index) => {
      const own = ids(member.source, mark);
      let [inherited, youngest] = [0, 0];
      for (const id of own) {
        const holder = holders.get(id);
        if (holder === undefined) holders.set(id, index);
        else {
          inherited++;
          youngest = Math.max(youngest, holder);
        }
      }
      if (inherited === 0 || !isOpen(member)) return;
      // If it has all ids that no older one has, no other shares as many.
      const likely = members[youngest]!.source;
      const isNearest = sharedCount(ids(likely, mark), own) === inherited;
      parents.set(member.source.sessionId, isNearest ? likely.sessionId : nearest(own, members.slice(0, index), mark));
    });
  }
  return parents;

  /** Of the older files, the one that shares most is the nearest ancestor; on a tie the first is the original. */
  function nearest(own: IdSet, older: readonly Member[], mark: string): string {
    let parent = "";
    let most = 0;
    for (const { source } of older) {
      const shared = sharedCount(ids(source, mark), own);
      if (shared > most) [parent, most] = [source.sessionId, shared];
    }
    return parent;
  }
}

interface Member {
  source: SessionSource;
  head: SessionHead;
}

/** The family keys are record ids. */
function shareKey(a: SessionHead, b: SessionHead): boolean {
  return a.familyKeys?.some((key) => b.familyKeys?.includes(key)) ?? false;
}

function firstOwn(head: SessionHead): number {
  return head.startedMs ?? head.createdMs ?? Number.MAX_SAFE_INTEGER;
}

/** The maximum length of an id. */
const MAX_ID_BYTES = 120;

type IdSet = ReadonlySet<string>;

/** Values of a key in a file, written as `"key":"`. Quotes inside a text are escaped, so these bytes are always a key. */
function idsIn(path: string, mark: string): IdSet {
  const ids = new Set<string>();
  try {
    for (const { bytes } of linesWith(path, [mark])) addIds(bytes, mark, ids);
  } catch (error) {
    // Deleted or unreadable since the listing: not a parent.
    if (!(error instanceof Error && "code" in error)) throw error;
  }
  return ids;
}

function addIds(line: Buffer, mark: string, ids: Set<string>): void {
  for (let at = line.indexOf(mark, 0, "latin1"); at !== -1; at = line.indexOf(mark, at, "latin1")) {
    at += mark.length;
    const end = line.indexOf(QUOTE, at);
    if (end !== -1 && end - at <= MAX_ID_BYTES) ids.add(line.toString("latin1", at, end));
  }
}

const QUOTE = 34;

function sharedCount(a: IdSet, b: IdSet): number {
  let shared = 0;
  for (const id of a) if (b.has(id)) shared++;
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
  const needle = Buffer.from(`${RECORD_ID_MARK}${uuid}"`);
  try {
    for (const line of readLines(path)) if (line.bytes.includes(needle)) return line.offset;
  } catch {
    // Gone or unreadable: not the holder.
  }
  return -1;
}
