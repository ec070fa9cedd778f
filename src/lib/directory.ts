/** Walking directories that belong to somebody else: missing, unreadable and looping ones are facts, not failures. */
import { readdirSync, statSync, type Dirent, type Stats } from "node:fs";
import { join } from "node:path";

export interface FileStat {
  path: string;
  size: number;
  mtimeMs: number;
  /** The file's number in its file system, by which it is known when it was moved. */
  ino?: number;
}

export type OnProblem = (path: string, reason: string) => void;

/** Entries of a directory; none when it does not exist. Any other failure is told to `onProblem`. */
export function entriesOf(directory: string, onProblem?: OnProblem): Dirent[] {
  try {
    return readdirSync(directory, { withFileTypes: true });
  } catch (error) {
    const code = codeOf(error);
    // Something else in its own place is worth telling; below a file there simply is no directory.
    if (code === "ENOTDIR" && isThere(directory)) onProblem?.(directory, "is not a directory");
    else if (code !== "ENOENT" && code !== "ENOTDIR") onProblem?.(directory, `cannot be listed (${code})`);
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
    onProblem?.(path, `cannot be read (${codeOf(error)})`);
    return undefined;
  }
  if (stat === undefined) return undefined;
  if (!stat.isFile()) {
    onProblem?.(path, stat.isDirectory() ? "is a directory" : "is not a regular file");
    return undefined;
  }
  return { path, size: stat.size, mtimeMs: stat.mtimeMs, ino: stat.ino };
}

/** Deeper trees do not occur in any agent's store; the limit ends symbolic-link loops. */
const MAX_DEPTH = 12;

/** All files below a directory whose name passes `wanted`, links to directories followed once. */
export function* filesBelow(
  directory: string,
  wanted: (name: string) => boolean,
  onProblem?: OnProblem,
): Generator<FileStat> {
  yield* walk(directory, wanted, onProblem, 0, new Set());
}

function* walk(
  directory: string,
  wanted: (name: string) => boolean,
  onProblem: OnProblem | undefined,
  depth: number,
  seen: Set<string>,
): Generator<FileStat> {
  if (depth > MAX_DEPTH) return;
  for (const entry of entriesOf(directory, onProblem)) {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) {
      if (wanted(entry.name)) onProblem?.(path, "is a directory");
      yield* walk(path, wanted, onProblem, depth + 1, seen);
    } else if (entry.isSymbolicLink()) yield* throughLink(path, entry.name, wanted, onProblem, depth, seen);
    else if (wanted(entry.name)) {
      const stat = fileStat(path, onProblem);
      if (stat) yield stat;
    }
  }
}

function* throughLink(
  path: string,
  name: string,
  wanted: (name: string) => boolean,
  onProblem: OnProblem | undefined,
  depth: number,
  seen: Set<string>,
): Generator<FileStat> {
  let stat: Stats | undefined;
  try {
    stat = statSync(path, { throwIfNoEntry: false });
  } catch (error) {
    onProblem?.(path, `cannot be followed (${codeOf(error)})`);
    return;
  }
  if (stat?.isDirectory()) {
    const identity = `${stat.dev}:${stat.ino}`;
    if (seen.has(identity)) return;
    seen.add(identity);
    yield* walk(path, wanted, onProblem, depth + 1, seen);
  } else if (stat?.isFile() && wanted(name)) yield { path, size: stat.size, mtimeMs: stat.mtimeMs, ino: stat.ino };
}

/** There is no such file, nor can there be where something else stands in place of its directory. */
export function isMissing(error: unknown): boolean {
  return codeOf(error) === "ENOENT" || codeOf(error) === "ENOTDIR";
}

export function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException | undefined)?.code ?? "unknown error";
}
