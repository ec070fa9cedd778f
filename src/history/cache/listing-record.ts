/**
 * The paths that a listing of an agent's store looked at, with their stat values. While none has changed, a new listing would
 * give the same sessions. Files are compared by size, time and inode, directories by time and inode.
 */
import { statSync, type Stats } from "node:fs";
import { dirname } from "node:path";
import type { SkippedFile } from "../../agents/read-notes.ts";
import { SETTLING_MS, type FileStat, type FilesSeen } from "../../lib/fs/directory.ts";
import { keptStat } from "../../lib/fs/kept-files.ts";
import { EventLoopYielder } from "../../lib/process/yield-to-event-loop.ts";

export interface ListingRecord {
  paths: string[];
  /** Per path: inode, size, time; -1 if it did not exist. */
  stamps: number[];
  /** Per path: the number (from 1) of the only session that owns the file; 0 for other files and for directories. */
  owners: number[];
}

/** The serialized form. An owner is the index of its session. */
export interface Listing extends ListingRecord {
  /** The directories that were searched. */
  roots: string[];
  /** Notes of the listing, to be reported again. */
  skipped: readonly SkippedFile[];
  sessions: ListedSession[];
}

export type ListedSession = [
  ...[id: string, path: string, updatedMs: number, locator: unknown, stamp: string],
  /** The session's files, as indexes into `paths`. */
  files: number[],
  elsewhere?: string,
];

/** Undefined if a change was so recent that a further one might not show in the stat values. */
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
    // A session's own file may change at any time; its signature covers that.
    const isFresh = stat !== undefined && stat.mtimeMs > seen.startedMs - SETTLING_MS && stat.mtimeMs <= now;
    if (isFresh && owner === 0) isSure = false;
  };
  for (const [directory, files] of byDirectory) {
    if (seen.directories.has(directory)) add(directory, seen.directories.get(directory), 0);
    // The listing depends on the contents of the files it opened.
    for (const path of files) add(path, seen.files.get(path), seen.opened.has(path) ? 0 : ownerOf(path));
  }
  return isSure ? record : undefined;
}

/** Paths checked between two looks at the clock. */
const LOOKS = 32;

/** Numbers of the sessions whose own files have changed. Undefined if sessions or names may have been added or removed. */
export async function changedSince(record: ListingRecord): Promise<Set<number> | undefined> {
  const yielder = new EventLoopYielder();
  const changed = new Set<number>();
  for (let at = 0; at < record.paths.length; at++) {
    if (!isKnown(record, at, changed)) return undefined;
    if (at % LOOKS === 0) await yielder.yieldIfDue();
  }
  return changed;
}

/** False if the path requires a new listing. A session's own file may change without one. */
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

function statAt(path: string): (Pick<Stats, "size" | "mtimeMs"> & { ino?: number }) | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false }) ?? keptStat(path);
  } catch {
    // Nothing exists below a file. Any other error is taken to persist.
    return undefined;
  }
}
