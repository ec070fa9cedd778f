/**
 * What the listing of an agent's store looked at, kept in a form that is compared with the disk in one go: as long as no
 * directory has changed and no file has, listing anew would give the same sessions. A file's size, time and number tell
 * whether it has changed; a directory's time and number whether names came or went.
 */
import { isAscii } from "node:buffer";
import { statSync, type Stats } from "node:fs";
import { dirname } from "node:path";
import { Breather } from "../../lib/breathe.ts";
import { SETTLING_MS, type FileStat, type Sights } from "../../lib/directory.ts";
import { rawCompare, type Compare } from "../../lib/raw-stat.ts";
import { latin1Text, utf8Text } from "../../lib/text-of-bytes.ts";

export interface ListingRecord {
  /**
   * A line each, in UTF-8. Whole, as putting them together would take half as long as looking at them; and no text, as one of a
   * megabyte makes V8 collect memory.
   */
  paths: Buffer;
  /** For each line: what it was. */
  kinds: Uint8Array;
  /** For each line: inode, size (0 for directories), time; -1 for what was not there, or not looked at itself. */
  stamps: Float64Array;
  /** For each line: the session a file is of, by its number in the index; 0 for others. */
  owners: Int32Array;
}

const LINE_FEED = 10;

const FILE = 0;
/** One whose contents mattered to the listing. */
const OPENED = 1;
/** That was listed. */
const DIRECTORY = 2;
/** A directory that was not, in which something was looked at. */
const PLACE = 3;

/** Undefined when something was changed so shortly before that a further change might not show. */
export function recordOf(seen: Sights, ownerOf: (path: string) => number, now = Date.now()): ListingRecord | undefined {
  const byDirectory = new Map<string, string[]>([...seen.directories.keys()].map((path) => [path, []]));
  for (const path of seen.files.keys()) {
    const names = byDirectory.get(dirname(path));
    if (names) names.push(path);
    else byDirectory.set(dirname(path), [path]);
  }
  const lines: string[] = [];
  const kinds: number[] = [];
  const stamps: number[] = [];
  const owners: number[] = [];
  const add = (path: string, kind: number, stat: FileStat | undefined, size: number, owner: number): boolean => {
    lines.push(path);
    kinds.push(kind);
    stamps.push(...(stat ? [stat.ino ?? 0, size, stat.mtimeMs] : [-1, -1, -1]));
    owners.push(owner);
    return !path.includes("\n") && !(stat && isFresh(stat.mtimeMs, now));
  };
  let isSure = true;
  for (const [directory, paths] of byDirectory) {
    const isListed = seen.directories.has(directory);
    const stat = seen.directories.get(directory);
    isSure = add(directory, isListed ? DIRECTORY : PLACE, isListed ? stat : undefined, 0, 0) && isSure;
    for (const path of paths) {
      const file = seen.files.get(path);
      const kind = seen.opened.has(path) ? OPENED : FILE;
      // A session's own file may change at any moment; its signature is what tells.
      const owner = kind === OPENED ? 0 : ownerOf(path);
      isSure = (add(path, kind, file, file?.size ?? 0, owner) || owner !== 0) && isSure;
    }
  }
  if (!isSure) return undefined;
  return {
    paths: Buffer.from(lines.join("\n")),
    kinds: Uint8Array.from(kinds),
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

/** Paths of so many are looked at before anybody else may have a turn: some hundreds. */
const BYTES_AT_ONCE = 48 * 1024;

/** Thousands of paths are looked at for every question, so nothing is made that is not needed. */
class Comparison {
  /** Undefined: not to be told any more. */
  changed: Set<number> | undefined = new Set();
  readonly #record: ListingRecord;
  readonly #compare: Compare;
  readonly #textOf: typeof utf8Text;
  #next = 0;
  /** Where the line of the next one begins. */
  #at = 0;

  constructor(record: ListingRecord) {
    this.#record = record;
    this.#compare = rawCompare() ?? compareByStat;
    this.#textOf = isAscii(record.paths) ? latin1Text : utf8Text;
  }

  /** False when there is nothing left to be looked at. */
  goOn(): boolean {
    const { paths, kinds, stamps, owners } = this.#record;
    const compare = this.#compare;
    // Some at a time: thousands of strings at once would be moved about whenever memory is collected.
    const cut = paths.length - this.#at <= BYTES_AT_ONCE ? -1 : paths.indexOf(LINE_FEED, this.#at + BYTES_AT_ONCE);
    const lines = this.#textOf(paths, this.#at, cut === -1 ? paths.length : cut).split("\n");
    const first = this.#next;
    const end = first + lines.length;
    for (let number = first; number < end; number++) {
      const kind = kinds[number];
      if (kind === PLACE) continue;
      const now = compare(lines[number - first]!, stamps, 3 * number, kind !== DIRECTORY);
      if (now === 0) continue;
      const owner = owners[number]!;
      // A file that is gone is missing in its directory, too, unless it is a link to somewhere else.
      if (kind !== FILE || owner === 0 || now === -1) {
        this.changed = undefined;
        return false;
      }
      this.changed!.add(owner);
    }
    this.#next = end;
    this.#at = cut + 1;
    return cut !== -1;
  }
}

const NO_THROW = { throwIfNoEntry: false } as const;

const compareByStat: Compare = (path, stamps, at, hasSize) => {
  const stat = statAt(path);
  if (stat === undefined) return stamps[at] === -1 ? 0 : -1;
  const { ino, size, mtimeMs } = stat;
  return stamps[at] === ino && (!hasSize || stamps[at + 1] === size) && stamps[at + 2] === mtimeMs ? 0 : 1;
};

function statAt(path: string): Stats | undefined {
  try {
    return statSync(path, NO_THROW);
  } catch {
    // As `stampAt` has it.
    return undefined;
  }
}
