/**
 * Parents of forks. `--fork-session` copies all chain records (same uuids) and leaves no pointer; resuming with
 * 1.0.85 or older copies them under new uuids with the same message ids. Only `/branch` writes `forkedFrom`.
 */
import { basename, dirname, join } from "node:path";
import { entriesOf } from "../../lib/directory.ts";
import { asText, type Json } from "../../lib/fields.ts";
import { DAMAGED, END, JsonLines, ODD, TRUE } from "../../lib/json-lines.ts";
import { parseRecord, readLines } from "../../lib/jsonl.ts";
import type { SessionHead, SessionSource } from "../adapter.ts";
import { isChain, kindOf, replyId, UNREAD_PREFIXES } from "./record.ts";

export function lineage(family: readonly { source: SessionSource; head: SessionHead }[]): Map<string, string> {
  const recordsOf = new Map<string, Set<number>>();
  const records = (source: SessionSource): Set<number> => {
    let ids = recordsOf.get(source.sessionId);
    if (ids === undefined) recordsOf.set(source.sessionId, (ids = recordIds(source, recordsOf.size === 0)));
    return ids;
  };
  const members = family.toSorted(
    (a, b) =>
      firstOwn(a.head) - firstOwn(b.head) ||
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

const FIELDS = [
  { path: "type", as: "word" },
  { path: "uuid", as: "id" },
  { path: "isApiErrorMessage" },
  { path: "message.id", as: "id" },
  { path: "message.model", as: "word" },
] as const;
let lines: JsonLines | undefined;

/**
 * Uuids of chain records and ids of replies: what a copy keeps at least one kind of. As numbers that are the same in all
 * files since the `first` one.
 */
function recordIds({ path, files }: SessionSource, first: boolean): Set<number> {
  const ids = new Set<number>();
  lines ??= new JsonLines(FIELDS, UNREAD_PREFIXES);
  const [type, uuid, isError, reply, model] = FIELDS.map((field) => lines!.field(field.path)) as [
    number,
    number,
    number,
    number,
    number,
  ];
  try {
    if (first) lines.open(path, files[0]!.size);
    else lines.openNext(path);
    for (let state = lines.next(); state !== END; state = lines.next()) {
      if (state === DAMAGED) continue;
      if (state === ODD) addIds(parseRecord(lines.line()), ids);
      else if (isChain(lines.word(type))) {
        if (lines.isText(uuid)) ids.add(lines.id(uuid));
        const isReply = lines.word(type) === "assistant" && lines.kind(isError) !== TRUE;
        if (!isReply || lines.word(model) === "<synthetic>") continue;
        ids.add(lines.isText(reply) ? lines.id(reply) : lines.idOf(`uuid:${lines.text(uuid)}`));
      }
    }
  } catch {
    // Vanished since it was listed: it is nobody's parent any more.
    lines.close();
  }
  return ids;
}

function addIds(record: Json | undefined, ids: Set<number>): void {
  if (!record || !isChain(asText(record["type"]))) return;
  const uuid = asText(record["uuid"]);
  if (uuid !== undefined) ids.add(lines!.idOf(uuid));
  if (kindOf(record) === "reply") ids.add(lines!.idOf(replyId(record)));
}

function sharedCount(a: ReadonlySet<number>, b: ReadonlySet<number>): number {
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
