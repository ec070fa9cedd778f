/** Walks foreign directories: missing, unreadable and looping ones are reported, not thrown. */
import { readdirSync, statSync, type Dirent, type Stats } from "node:fs";
import { join, sep } from "node:path";
import { isKeptDirectory, keptStat, withKeptEntries } from "./kept-files.ts";
import { reportUndecoded } from "./undecoded-name.ts";

export interface FileStat {
  path: string;
  size: number;
  mtimeMs: number;
  /** Inode number; it identifies a moved file. */
  ino?: number;
}

export type OnProblem = (path: string, reason: string) => void;

/** Everything a listing looked at. */
export interface FilesSeen {
  /** Listed directories with their state before; undefined if there was none. */
  directories: Map<string, FileStat | undefined>;
  /** Files and directories whose own state was read. */
  files: Map<string, FileStat | undefined>;
  /** Files that were also read. */
  opened: Set<string>;
  /** Something could not be examined, so sizes and times cannot prove that nothing changed. */
  isUnsure: boolean;
  /** Time before the first look. */
  startedMs: number;
}

/**
 * File system clocks tick in steps, so a second change within this time can go unnoticed. Anything changed this recently is not
 * cached.
 */
export const SETTLING_MS = 50;

let sights: FilesSeen | undefined;

/** Runs `work` and records what it looked at through the functions of this file. */
export function recordingReads<T>(work: () => T): { result: T; seen: FilesSeen } {
  const outer = sights;
  const seen: FilesSeen = {
    directories: new Map(),
    files: new Map(),
    opened: new Set(),
    isUnsure: false,
    startedMs: Date.now(),
  };
  sights = seen;
  try {
    return { result: work(), seen };
  } finally {
    sights = outer;
  }
}

/** Call this when a listing reads a file. */
export function noteOpened(path: string): void {
  sights?.opened.add(path);
}

/** The record of a larger listing would take too much memory. */
const MAX_SEEN = 500_000;

function noteFile(path: string, stat: Omit<FileStat, "path"> | undefined): void {
  if (sights === undefined) return;
  if (sights.files.size < MAX_SEEN) return void sights.files.set(path, stat && stampOf(path, stat));
  sights.isUnsure = true;
  sights.files.clear();
}

function stampOf(path: string, { size, mtimeMs, ino }: Omit<FileStat, "path">): FileStat {
  return { path, size, mtimeMs, ...(ino === undefined ? {} : { ino }) };
}

/** State of a path (links followed); undefined if it is missing or cannot be examined. */
function stampAt(path: string): FileStat | undefined {
  try {
    const stat = statSync(path, { throwIfNoEntry: false });
    return stat && stampOf(path, stat);
  } catch {
    // A path below a file does not exist; other failures remain failures.
    return undefined;
  }
}

/** False for a path that cannot be examined: something may be there. */
export function isNothingAt(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) === undefined && !isKeptDirectory(path) && !keptStat(path);
  } catch {
    // The caller that reads it reports the reason.
    return false;
  }
}

export function isDirectoryAt(path: string): boolean {
  let stat: Stats | undefined;
  try {
    stat = statSync(path, { throwIfNoEntry: false });
  } catch {
    // A symbolic link loop is not a directory.
    if (sights) sights.isUnsure = true;
  }
  noteFile(path, stat);
  return stat?.isDirectory() ?? isKeptDirectory(path);
}

/** Entries of a directory; none if it does not exist. Other failures go to `onProblem`. */
export function entriesOf(directory: string, onProblem?: OnProblem): Dirent[] {
  sights?.directories.set(directory, stampAt(directory));
  try {
    return withKeptEntries(directory, readdirSync(directory, { withFileTypes: true }));
  } catch (error) {
    const code = codeOf(error);
    if (code === "ENOENT" && isKeptDirectory(directory)) return withKeptEntries(directory, []);
    // Something else in the directory's place is worth reporting; a path below a file just does not exist.
    if (code === "ENOTDIR" && isThere(directory)) onProblem?.(directory, "is not a directory");
    else if (code !== "ENOENT" && code !== "ENOTDIR") onProblem?.(directory, `cannot be listed (${code})`);
    else reportUndecoded(directory, onProblem);
    if (sights && code !== "ENOENT") sights.isUnsure = true;
    return [];
  }
}

function isThere(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    // A file is in the place of one of its parent directories.
    return false;
  }
}

/** Size and time of a regular file (symbolic links followed); undefined for anything else or when it is gone. */
export function fileStat(path: string, onProblem?: OnProblem): FileStat | undefined {
  let stat: Stats | undefined;
  try {
    stat = statSync(path, { throwIfNoEntry: false });
  } catch (error) {
    if (sights) sights.isUnsure = true;
    onProblem?.(path, `cannot be read (${codeOf(error)})`);
    return undefined;
  }
  const kept = stat === undefined ? keptStat(path) : undefined;
  noteFile(path, stat ?? kept);
  if (stat === undefined) {
    if (kept === undefined) reportUndecoded(path, onProblem);
    return kept;
  }
  if (!stat.isFile()) {
    onProblem?.(path, stat.isDirectory() ? "is a directory" : "is not a regular file");
    return undefined;
  }
  return { path, size: stat.size, mtimeMs: stat.mtimeMs, ino: stat.ino };
}

/** All names in a directory; none if it does not exist. */
export function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return [];
    throw error;
  }
}

/** The files in a directory whose names pass `wanted`. */
export function filesIn(directory: string, wanted: (name: string) => boolean, onProblem?: OnProblem): FileStat[] {
  const names = entriesOf(directory, onProblem).map(({ name }) => name);
  return names.filter(wanted).flatMap((name) => fileStat(join(directory, name), onProblem) ?? []);
}

/** Paths of the folders in a directory, and of the links, which may lead to one. */
export function foldersIn(directory: string, onProblem?: OnProblem): string[] {
  return entriesOf(directory, onProblem)
    .filter((entry) => entry.isDirectory() || entry.isSymbolicLink())
    .map(({ name }) => join(directory, name));
}

/** Deeper trees do not occur in any agent's store; the limit ends symbolic-link loops. */
const MAX_DEPTH = 12;

/** All files below a directory whose name passes `wanted`; links to directories are followed once. */
export function filesBelow(directory: string, wanted: (name: string) => boolean, onProblem?: OnProblem): FileStat[] {
  const walk: Walk = { wanted, onProblem, seen: new Set(), found: [] };
  walkDirectory(walk, directory, 0);
  return walk.found;
}

interface Walk {
  wanted: (name: string) => boolean;
  onProblem: OnProblem | undefined;
  /** Directories reached through links. */
  seen: Set<string>;
  found: FileStat[];
}

function walkDirectory(walk: Walk, directory: string, depth: number): void {
  if (depth > MAX_DEPTH) return;
  for (const entry of entriesOf(directory, walk.onProblem)) {
    const { name } = entry;
    const path = `${directory}${sep}${name}`;
    if (entry.isDirectory()) {
      if (walk.wanted(name)) walk.onProblem?.(path, "is a directory");
      walkDirectory(walk, path, depth + 1);
    } else if (entry.isSymbolicLink()) walkLink(walk, path, name, depth);
    else if (walk.wanted(name)) {
      const stat = fileStat(path, walk.onProblem);
      if (stat) walk.found.push(stat);
    }
  }
}

function walkLink(walk: Walk, path: string, name: string, depth: number): void {
  let stat: Stats | undefined;
  try {
    stat = statSync(path, { throwIfNoEntry: false });
  } catch (error) {
    if (sights) sights.isUnsure = true;
    walk.onProblem?.(path, `cannot be followed (${codeOf(error)})`);
    return;
  }
  noteFile(path, stat);
  if (stat?.isDirectory()) {
    const identity = `${stat.dev}:${stat.ino}`;
    if (walk.seen.has(identity)) return;
    walk.seen.add(identity);
    walkDirectory(walk, path, depth + 1);
  } else if (stat?.isFile() && walk.wanted(name))
    walk.found.push({ path, size: stat.size, mtimeMs: stat.mtimeMs, ino: stat.ino });
  else if (stat === undefined) reportUndecoded(path, walk.onProblem);
}

/** True if the file, or one of its parent directories, does not exist. */
export function isMissing(error: unknown): boolean {
  return codeOf(error) === "ENOENT" || codeOf(error) === "ENOTDIR";
}

export function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException | undefined)?.code ?? "unknown error";
}
