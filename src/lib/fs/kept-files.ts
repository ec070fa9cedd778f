/**
 * Files that are gone from their place and have a copy elsewhere. While a set of them is mounted, `directory.ts` and
 * `foreign-file.ts` find them as if they were still there. A file that exists always comes first.
 */
import { statSync, type Dirent } from "node:fs";

/** As `FileStat`. */
interface KeptStat {
  path: string;
  size: number;
  mtimeMs: number;
  ino?: number;
}

export interface KeptFiles {
  /** Its state when it was copied. */
  stat(path: string): KeptStat | undefined;
  /** Names in a directory, with whether each is a directory itself. */
  namesIn(directory: string): ReadonlyMap<string, boolean> | undefined;
  /** The path of a file with its contents. Throws if the copy is damaged. */
  contents(path: string): string;
}

const mounted = new Map<string, KeptFiles>();
let isOff = false;

/** `key` names the set; without files it is unmounted. */
export function mountKeptFiles(key: string, files: KeptFiles | undefined): void {
  if (files === undefined) mounted.delete(key);
  else mounted.set(key, files);
}

/** Runs `work` with only the files that exist. */
export function withoutKeptFiles<T>(work: () => T): T {
  const before = isOff;
  isOff = true;
  try {
    return work();
  } finally {
    isOff = before;
  }
}

function firstOf<T>(find: (files: KeptFiles) => T | undefined): T | undefined {
  if (isOff || mounted.size === 0) return undefined;
  for (const files of mounted.values()) {
    const found = find(files);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** For a path where nothing exists. */
export function keptStat(path: string): KeptStat | undefined {
  return firstOf((files) => files.stat(path));
}

/** For a path where nothing exists. */
export function isKeptDirectory(path: string): boolean {
  return firstOf((files) => files.namesIn(path)) !== undefined;
}

/** For a path where nothing exists. */
export function keptContents(path: string): string | undefined {
  return firstOf((files) => (files.stat(path) === undefined ? undefined : files.contents(path)));
}

/** Whether only the copy of a file is left. */
export function isOnlyKept(path: string): boolean {
  return keptStat(path) !== undefined && isGone(path);
}

/** Nothing exists there. False for a path that cannot be examined. */
export function isGone(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) === undefined;
  } catch (error) {
    return isNoDirectory(error);
  }
}

/** A folder of the path is a file. */
export function isBelowFile(path: string): boolean {
  try {
    statSync(path, { throwIfNoEntry: false });
    return false;
  } catch (error) {
    return isNoDirectory(error);
  }
}

function isNoDirectory(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === "ENOTDIR";
}

/** Adds the entries of a directory that are only kept. */
export function withKeptEntries(directory: string, present: Dirent[]): Dirent[] {
  const names = firstOf((files) => files.namesIn(directory));
  if (names === undefined) return present;
  const known = new Set(present.map(({ name }) => name));
  const gone = [...names].filter(([name]) => !known.has(name));
  return gone.length === 0
    ? present
    : [...present, ...gone.map(([name, isFolder]) => entry(directory, name, isFolder))];
}

/** Node has no documented way to make one. */
function entry(parentPath: string, name: string, isFolder: boolean): Dirent {
  const no = (): boolean => false;
  return {
    name,
    parentPath,
    path: parentPath,
    isDirectory: () => isFolder,
    isFile: () => !isFolder,
    isSymbolicLink: no,
    isBlockDevice: no,
    isCharacterDevice: no,
    isFIFO: no,
    isSocket: no,
  } as Dirent;
}
