/** Walking directories that belong to somebody else: missing, unreadable and looping ones are facts, not failures. */
import { readdirSync, statSync, type Dirent, type Stats } from "node:fs";
import { sep } from "node:path";
import { tellUndecoded } from "./undecoded-name.ts";

export interface FileStat {
  path: string;
  size: number;
  mtimeMs: number;
  /** The file's number in its file system, by which it is known when it was moved. */
  ino?: number;
}

export type OnProblem = (path: string, reason: string) => void;

/** All that a listing looked at. */
export interface Sights {
  /** Directories that were listed, as they stood before; undefined: there was none. */
  directories: Map<string, FileStat | undefined>;
  /** What was looked at itself. */
  files: Map<string, FileStat | undefined>;
  /** Files whose contents mattered, too. */
  opened: Set<string>;
  /** Something could not be looked at: what becomes of it is not to be told from sizes and times. */
  isUnsure: boolean;
  /** Before the first look. */
  startedMs: number;
}

/**
 * Within this time of a change another one can go unnoticed: clocks of file systems tick in steps. What was changed so
 * shortly before it is read is not kept.
 */
export const SETTLING_MS = 50;

let sights: Sights | undefined;

/** Does some work, and tells what it looked at through the functions of this file. */
export function witnessed<T>(work: () => T): { result: T; seen: Sights } {
  const outer = sights;
  const seen: Sights = {
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

/** To be called by a listing that reads a file. */
export function noteOpened(path: string): void {
  sights?.opened.add(path);
}

function noteFile(path: string, stat: Stats | undefined): void {
  sights?.files.set(path, stat && stampOf(path, stat));
}

function stampOf(path: string, { size, mtimeMs, ino }: Stats): FileStat {
  return { path, size, mtimeMs, ino };
}

/** Whatever is there (links followed); undefined for nothing, and for what cannot be looked at. */
function stampAt(path: string): FileStat | undefined {
  try {
    const stat = statSync(path, { throwIfNoEntry: false });
    return stat && stampOf(path, stat);
  } catch {
    // Below a file there is nothing; what else is in the way stays in the way.
    return undefined;
  }
}

/** False for what cannot be looked at: something may be there. */
export function isNothingAt(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) === undefined;
  } catch {
    // Whoever reads it tells why.
    return false;
  }
}

export function isDirectoryAt(path: string): boolean {
  let stat: Stats | undefined;
  try {
    stat = statSync(path, { throwIfNoEntry: false });
  } catch {
    // A link that leads to itself is no directory.
    if (sights) sights.isUnsure = true;
  }
  noteFile(path, stat);
  return stat?.isDirectory() ?? false;
}

/** Entries of a directory; none when it does not exist. Any other failure is told to `onProblem`. */
export function entriesOf(directory: string, onProblem?: OnProblem): Dirent[] {
  sights?.directories.set(directory, stampAt(directory));
  try {
    return readdirSync(directory, { withFileTypes: true });
  } catch (error) {
    const code = codeOf(error);
    // Something else in its own place is worth telling; below a file there simply is no directory.
    if (code === "ENOTDIR" && isThere(directory)) onProblem?.(directory, "is not a directory");
    else if (code !== "ENOENT" && code !== "ENOTDIR") onProblem?.(directory, `cannot be listed (${code})`);
    else tellUndecoded(directory, onProblem);
    if (sights && code !== "ENOENT") sights.isUnsure = true;
    return [];
  }
}

function isThere(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    // A file stands where one of its parent directories should be.
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
  noteFile(path, stat);
  if (stat === undefined) {
    tellUndecoded(path, onProblem);
    return undefined;
  }
  if (!stat.isFile()) {
    onProblem?.(path, stat.isDirectory() ? "is a directory" : "is not a regular file");
    return undefined;
  }
  return { path, size: stat.size, mtimeMs: stat.mtimeMs, ino: stat.ino };
}

/** Deeper trees do not occur in any agent's store; the limit ends symbolic-link loops. */
const MAX_DEPTH = 12;

/** All files below a directory whose name passes `wanted`, links to directories followed once. */
export function filesBelow(directory: string, wanted: (name: string) => boolean, onProblem?: OnProblem): FileStat[] {
  const walk: Walk = { wanted, onProblem, seen: new Set(), found: [] };
  walkDirectory(walk, directory, 0);
  return walk.found;
}

interface Walk {
  wanted: (name: string) => boolean;
  onProblem: OnProblem | undefined;
  /** Directories that links have led to. */
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
  else if (stat === undefined) tellUndecoded(path, walk.onProblem);
}

/** There is no such file, nor can there be where something else stands in place of its directory. */
export function isMissing(error: unknown): boolean {
  return codeOf(error) === "ENOENT" || codeOf(error) === "ENOTDIR";
}

export function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException | undefined)?.code ?? "unknown error";
}
