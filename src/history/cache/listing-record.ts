/**
 * What the listing of an agent's store looked at, compared with the disk in one go: as long as no directory and no file has
 * changed, listing anew would give the same sessions. A file's size, time and number tell whether it has changed; a
 * directory's time and number whether names came or went.
 */
import { statSync, type Stats } from "node:fs";
import { dirname } from "node:path";
import type { SkippedFile } from "../../agents/read-notes.ts";
import { SETTLING_MS, type FileStat, type FilesSeen } from "../../lib/fs/directory.ts";
import { EventLoopYielder } from "../../lib/process/yield-to-event-loop.ts";

export interface ListingRecord {
  paths: string[];
  /** For each path: inode, size, time; -1 for what was not there. */
  stamps: number[];
  /** For each path: the session a file is of, and nothing else, by a number from 1; 0 for others, and for directories. */
  owners: number[];
}

/** As it is kept: plain data. An owner is the place of its session. */
export interface Listing extends ListingRecord {
  /** Where the sessions were looked for. */
  roots: string[];
  /** What the listing left out, which is to be told again. */
  skipped: readonly SkippedFile[];
  sessions: ListedSession[];
}

export type ListedSession = [
  ...[id: string, path: string, updatedMs: number, locator: unknown, stamp: string],
  /** Its files by their places in `paths`. */
  files: number[],
];

/** Undefined when something was changed so shortly before the look, or since, that a further change might not show. */
export function recordOf(seen: FilesSeen, ownerOf: (path: string) => number): ListingRecord | undefined {
  const byDirectory = new Map<string, string[]>([...seen.directories.keys()].map((path) => [path, []]));
  for (const path of seen.files.keys()) {
    const names = byDirectory.get(dirname(path));
    if (names) names.push(path);
    else byDirectory.set(dirname(path), [path]);
  }
  const record: ListingRecord = { paths: [], stamps: [], owners: [] };
  const now = Date.now();
  let isSure = true;
  const add = (path: string, stat: FileStat | undefined, owner: number): void => {
    record.paths.push(path);
    record.stamps.push(...(stat ? [stat.ino ?? 0, stat.size, stat.mtimeMs] : [-1, -1, -1]));
    record.owners.push(owner);
    // A session's own file may change at any moment; its signature is what tells.
    const isFresh = stat !== undefined && stat.mtimeMs > seen.startedMs - SETTLING_MS && stat.mtimeMs <= now;
    if (isFresh && owner === 0) isSure = false;
  };
  for (const [directory, files] of byDirectory) {
    if (seen.directories.has(directory)) add(directory, seen.directories.get(directory), 0);
    // The listing depends on the contents of those that were opened.
    for (const path of files) add(path, seen.files.get(path), seen.opened.has(path) ? 0 : ownerOf(path));
  }
  return isSure ? record : undefined;
}

/** Between two looks at the clock. */
const LOOKS = 32;

/** Sessions whose own files have changed since, by number. Undefined: there may be others, or other names. */
export async function changedSince(record: ListingRecord): Promise<Set<number> | undefined> {
  const yielder = new EventLoopYielder();
  const changed = new Set<number>();
  for (let at = 0; at < record.paths.length; at++) {
    if (!isKnown(record, at, changed)) return undefined;
    if (at % LOOKS === 0) await yielder.yieldIfDue();
  }
  return changed;
}

/** False when what is at this path now takes a new listing; a session's own file may have changed. */
function isKnown({ paths, stamps, owners }: ListingRecord, at: number, changed: Set<number>): boolean {
  const stat = statAt(paths[at]!);
  const [ino, size, mtimeMs] = [stamps[3 * at]!, stamps[3 * at + 1]!, stamps[3 * at + 2]!];
  if (stat === undefined) return ino === -1;
  if (stat.ino === ino && stat.size === size && stat.mtimeMs === mtimeMs) return true;
  const owner = owners[at]!;
  if (owner === 0) return false;
  changed.add(owner);
  return true;
}

function statAt(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    // Below a file there is nothing; what else is in the way stays in the way.
    return undefined;
  }
}
