/**
 * Parents of forks. `--fork-session` copies all chain records (same uuids) and leaves no pointer; resuming with
 * 1.0.85 or older copies them under new uuids with the same message ids. Only `/branch` writes `forkedFrom`.
 */
import { basename, dirname, join } from "node:path";
import { entriesOf } from "../../lib/directory.ts";
import { asText } from "../../lib/fields.ts";
import { parseRecord, readLines } from "../../lib/jsonl.ts";
import type { SessionHead, SessionSource } from "../adapter.ts";
import { isChain, isUnread, kindOf, replyId } from "./record.ts";

export function lineage(family: readonly { source: SessionSource; head: SessionHead }[]): Map<string, string> {
  const members = family
    .map(({ source, head }) => ({ id: source.sessionId, head, records: recordIds(source.path) }))
    .sort((a, b) => firstOwn(a.head) - firstOwn(b.head) || a.records.size - b.records.size || (a.id < b.id ? -1 : 1));
  const parents = new Map<string, string>();
  members.forEach((member, index) => {
    if (member.head.forkedFrom !== undefined) return;
    let parent: string | undefined;
    let most = 0;
    // Of the older files, the one that shares most is the nearest ancestor; the first of equals is the original.
    for (const older of members.slice(0, index)) {
      const shared = sharedCount(older.records, member.records);
      if (shared > most) [parent, most] = [older.id, shared];
    }
    if (parent !== undefined) parents.set(member.id, parent);
  });
  return parents;
}

function firstOwn(head: SessionHead): number {
  return head.startedMs ?? head.createdMs ?? Number.MAX_SAFE_INTEGER;
}

/** Uuids of chain records and ids of replies: what a copy keeps at least one kind of. */
function recordIds(path: string): Set<string> {
  const ids = new Set<string>();
  try {
    for (const line of readLines(path)) {
      const record = isUnread(line.bytes) ? undefined : parseRecord(line.bytes);
      if (!record || !isChain(asText(record["type"]))) continue;
      const uuid = asText(record["uuid"]);
      if (uuid !== undefined) ids.add(uuid);
      if (kindOf(record) === "reply") ids.add(replyId(record));
    }
  } catch {
    // Vanished since it was listed: it is nobody's parent any more.
  }
  return ids;
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
