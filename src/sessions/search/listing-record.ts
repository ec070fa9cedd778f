/**
 * What the listing of an agent's store looked at, kept in a form that is compared with the disk in one go: as long as no
 * directory has changed and no file has, listing anew would give the same sessions. A file's size, time and number tell
 * whether it has changed; a directory's time and number whether names came or went.
 */
import { dirname } from "node:path";
import { Breather } from "../../lib/breathe.ts";
import { SETTLING_MS, type FileStat, type Sights } from "../../lib/directory.ts";
import { cutPaths, PathSweep, type CutPaths } from "../../lib/path-sweep.ts";

export interface ListingRecord extends CutPaths {
  /** For each path: inode, size, time; -1 for what was not there. */
  stamps: Float64Array;
  /** For each path: the session a file is of, and nothing else, by its number in the index; 0 for others, and for directories. */
  owners: Int32Array;
}

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
    ...cutPaths(paths),
    stamps: Float64Array.from(stamps),
    owners: Int32Array.from(owners),
  };
}

function isFresh(mtimeMs: number, now: number): boolean {
  return now - mtimeMs <= SETTLING_MS && mtimeMs <= now;
}

/** Sessions whose own files have changed since, by number. Undefined: there may be others, or other names. */
export function changedSince(record: ListingRecord): Set<number> | undefined {
  const comparison = new Comparison(record);
  while (comparison.goOn());
  return comparison.changed;
}

/** The same, with turns of the event loop now and then. */
export async function changedSoFar(record: ListingRecord): Promise<Set<number> | undefined> {
  const breather = new Breather();
  const comparison = new Comparison(record);
  while (comparison.goOn()) await breather.breathe();
  return comparison.changed;
}

class Comparison {
  /** Undefined: not to be told any more. */
  changed: Set<number> | undefined = new Set();
  readonly #owners: Int32Array;
  readonly #sweep: PathSweep;

  constructor({ owners, stamps, ...paths }: ListingRecord) {
    this.#owners = owners;
    this.#sweep = new PathSweep(paths, stamps);
  }

  /** False when there is nothing left to be looked at. */
  goOn(): boolean {
    for (const { number, isGone } of this.#sweep.goOn()) {
      const owner = this.#owners[number]!;
      // A file that is gone is missing in its directory, too, unless it is a link to somewhere else.
      if (owner === 0 || isGone) {
        this.changed = undefined;
        return false;
      }
      this.changed!.add(owner);
    }
    return this.#sweep.done < this.#sweep.length;
  }
}
