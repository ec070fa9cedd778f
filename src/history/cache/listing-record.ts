/**
 * What the listing of an agent's store looked at, kept in a form that is compared with the disk in one go: as long as no
 * directory has changed and no file has, listing anew would give the same sessions. A file's size, time and number tell
 * whether it has changed; a directory's time and number whether names came or went.
 */
import { statSync, type Stats } from "node:fs";
import { dirname } from "node:path";
import { EventLoopYielder } from "../../lib/process/yield-to-event-loop.ts";
import { SETTLING_MS, type FileStat, type Sights } from "../../lib/fs/directory.ts";

export interface ListingRecord {
  paths: readonly string[];
  /** For each path: inode, size, time; -1 for what was not there. */
  stamps: Float64Array;
  /** For each path: the session a file is of, and nothing else, by its number in the index; 0 for others, and for directories. */
  owners: Int32Array;
}

/** The same as plain data. */
type Looks = Pick<ListingRecord, "paths"> & { stamps: ArrayLike<number>; owners: ArrayLike<number> };

/** Undefined when something was changed so shortly before that a further change might not show. */
export function recordOf(seen: Sights, ownerOf: (path: string) => number, now = Date.now()): ListingRecord | undefined {
  const byDirectory = new Map<string, string[]>([...seen.directories.keys()].map((path) => [path, []]));
  for (const path of seen.files.keys()) {
    const names = byDirectory.get(dirname(path));
    if (names) names.push(path);
    else byDirectory.set(dirname(path), [path]);
  }
  const paths: string[] = [];
  const stamps: number[] = [];
  const owners: number[] = [];
  const add = (path: string, stat: FileStat | undefined, owner: number): boolean => {
    paths.push(path);
    stamps.push(...(stat ? [stat.ino ?? 0, stat.size, stat.mtimeMs] : [-1, -1, -1]));
    owners.push(owner);
    return !(stat && isFresh(stat.mtimeMs, now));
  };
  let isSure = true;
  for (const [directory, files] of byDirectory) {
    if (seen.directories.has(directory)) isSure = add(directory, seen.directories.get(directory), 0) && isSure;
    for (const path of files) {
      const file = seen.files.get(path);
      // A session's own file may change at any moment; its signature is what tells. Not so if the listing depends on its contents.
      const owner = seen.opened.has(path) ? 0 : ownerOf(path);
      isSure = (add(path, file, owner) || owner !== 0) && isSure;
    }
  }
  if (!isSure) return undefined;
  return {
    paths,
    stamps: Float64Array.from(stamps),
    owners: Int32Array.from(owners),
  };
}

function isFresh(mtimeMs: number, now: number): boolean {
  return now - mtimeMs <= SETTLING_MS && mtimeMs <= now;
}

/** Sessions whose own files have changed since, by number. Undefined: there may be others, or other names. */
export function changedSince(record: ListingRecord): Set<number> | undefined {
  const changed = new Set<number>();
  for (let at = 0; at < record.paths.length; at++) if (!isKnown(record, at, changed)) return undefined;
  return changed;
}

/** The same, with turns of the event loop now and then. */
export async function changedSoFar(record: Looks): Promise<Set<number> | undefined> {
  const yielder = new EventLoopYielder();
  const changed = new Set<number>();
  for (let at = 0; at < record.paths.length; at++) {
    if (!isKnown(record, at, changed)) return undefined;
    if (at % LOOKS === 0) await yielder.yieldIfDue();
  }
  return changed;
}

/** Between two looks at the clock. */
const LOOKS = 32;

/** False when what is at this path now takes a new listing; a session's own file may have changed. */
function isKnown({ paths, stamps, owners }: Looks, at: number, changed: Set<number>): boolean {
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
