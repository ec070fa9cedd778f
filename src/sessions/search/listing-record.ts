/**
 * What the listing of an agent's store looked at, kept in a form that is compared with the disk in one go: as long as no
 * directory has changed and no file has, listing anew would give the same sessions. A file's size, time and number tell
 * whether it has changed; a directory's time and number whether names came or went.
 */
import { statSync, type Stats } from "node:fs";
import { basename, dirname } from "node:path";
import { SETTLING_MS, type FileStat, type Sights } from "../../lib/directory.ts";
import type { TreeChange } from "../../lib/tree-survey.ts";

export interface ListingRecord {
  /**
   * A line each, with a letter before it: `d` a directory that was listed, `p` one that was not, `f` the name of a file in
   * the one above, `o` of one whose contents mattered to the listing.
   */
  names: string;
  /** For each line but `p`: inode, size (0 for directories), time; -1 for what was not there. */
  stamps: Float64Array;
  /** For each line: the session a file is of, by its number in the index; 0 for others. */
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
  const lines: string[] = [];
  const stamps: number[] = [];
  const owners: number[] = [];
  const add = (line: string, stat: FileStat | undefined, size: number, owner: number): boolean => {
    lines.push(line);
    stamps.push(...(stat ? [stat.ino ?? 0, size, stat.mtimeMs] : [-1, -1, -1]));
    owners.push(owner);
    return !line.includes("\n") && !(stat && isFresh(stat.mtimeMs, now));
  };
  let isSure = true;
  for (const [directory, paths] of byDirectory) {
    const isListed = seen.directories.has(directory);
    const stat = seen.directories.get(directory);
    isSure = add(`${isListed ? "d" : "p"}${directory}`, isListed ? stat : undefined, 0, 0) && isSure;
    for (const path of paths) {
      const file = seen.files.get(path);
      const letter = seen.opened.has(path) ? "o" : "f";
      // A session's own file may change at any moment; its signature is what tells.
      const owner = letter === "o" ? 0 : ownerOf(path);
      isSure = (add(`${letter}${basename(path)}`, file, file?.size ?? 0, owner) || owner !== 0) && isSure;
    }
  }
  return isSure
    ? { names: lines.join("\n"), stamps: Float64Array.from(stamps), owners: Int32Array.from(owners) }
    : undefined;
}

function isFresh(mtimeMs: number, now: number): boolean {
  return now - mtimeMs <= SETTLING_MS && mtimeMs <= now;
}

const DIRECTORY = "d".charCodeAt(0);
const PLACE = "p".charCodeAt(0);
const FILE = "f".charCodeAt(0);

/**
 * Sessions whose own files have changed since, by number. Undefined: there may be others, or other names. Thousands of paths
 * are looked at for every question, so nothing is made that is not needed.
 */
export function changedSince({ names, stamps, owners }: ListingRecord): Set<number> | undefined {
  const changed = new Set<number>();
  const lines = names.split("\n");
  let directory = "";
  for (let number = 0; number < lines.length; number++) {
    const line = lines[number]!;
    const letter = line.charCodeAt(0);
    if (letter === DIRECTORY || letter === PLACE) directory = line.slice(1);
    if (letter === PLACE) continue;
    const isDirectory = letter === DIRECTORY;
    const stat = statAt(isDirectory ? directory : `${directory}/${line.slice(1)}`);
    if (isAsItWas(stat, isDirectory, stamps, 3 * number)) continue;
    const owner = owners[number]!;
    // A file that is gone is missing in its directory, too, unless it is a link to somewhere else.
    if (letter !== FILE || owner === 0 || stat === undefined) return undefined;
    changed.add(owner);
  }
  return changed;
}

/**
 * The same, where it is known which paths may have changed. What is not among them was not looked at again.
 */
export function changedAmong(record: ListingRecord, changes: readonly TreeChange[]): Set<number> | undefined {
  const changed = new Set<number>();
  if (changes.length === 0) return changed;
  const byPath = new Map(changes.map((change) => [change.path, change]));
  const lines = record.names.split("\n");
  let directory = "";
  for (let number = 0; number < lines.length; number++) {
    const line = lines[number]!;
    const letter = line.charCodeAt(0);
    if (letter === DIRECTORY || letter === PLACE) directory = line.slice(1);
    const path = letter === DIRECTORY || letter === PLACE ? directory : `${directory}/${line.slice(1)}`;
    const change = byPath.get(path);
    if (change === undefined) continue;
    // Names came or went, maybe one that was looked at.
    if (letter === PLACE) return changedSince(record);
    byPath.delete(path);
    if (isAsItWas(change.stat, letter === DIRECTORY, record.stamps, 3 * number)) continue;
    const owner = record.owners[number]!;
    if (letter !== FILE || owner === 0 || change.stat === undefined) return undefined;
    changed.add(owner);
  }
  // The same for those that were not listed themselves.
  for (const { path, isDirectory } of byPath.values())
    if (isDirectory && record.names.includes(`${path}/`)) return changedSince(record);
  return changed;
}

const NO_THROW = { throwIfNoEntry: false } as const;

function statAt(path: string): Stats | undefined {
  try {
    return statSync(path, NO_THROW);
  } catch {
    // As `stampAt` has it.
    return undefined;
  }
}

function isAsItWas(
  stat: Pick<FileStat, "ino" | "size" | "mtimeMs"> | undefined,
  isDirectory: boolean,
  stamps: Float64Array,
  at: number,
): boolean {
  if (stat === undefined) return stamps[at] === -1;
  return stamps[at] === stat.ino && (isDirectory || stamps[at + 1] === stat.size) && stamps[at + 2] === stat.mtimeMs;
}
