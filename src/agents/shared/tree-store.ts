/** Store layouts of Pi and omp: a bucket per directory, flat in the root, or, as documented, a folder per session. */
import type { Dirent } from "node:fs";
import { basename, join } from "node:path";
import { entriesOf, filesBelow, fileStat, type FileStat, type OnProblem } from "../../lib/fs/directory.ts";
import { parseRecord, readHeadAndTail } from "../../lib/json/jsonl.ts";
import type { SessionSource } from "../adapter.ts";
import { lastChange } from "./source-list.ts";
import { authorIn, readTreeHeader } from "./tree-format.ts";

/** The adapters' data in `SessionSource.locator`. */
export interface TreeLocator {
  /** The files that hold the tree, in order. */
  records: string[];
  /** Files of sub-agents in the session's artifact folder. */
  subagents: string[];
  /** The documented folder layout, with the documented rules for id and leaf. */
  documented?: true;
}

export interface StoreLayout {
  /** Whether a folder in the root holds sessions of a working directory. */
  isBucket(name: string): boolean;
  /** Folders in the root to skip. */
  skips?(name: string): boolean;
  /** Extension of session files. */
  suffix: string;
  /** Whether a session may have a folder of the same name beside it. */
  hasArtifacts: boolean;
  onProblem: OnProblem;
}

/** Every session below a root, from names and stats. */
export function* treeSources(root: string, layout: StoreLayout): Generator<SessionSource> {
  const entries = entriesOf(root, layout.onProblem);
  yield* sessionFiles(root, entries, layout);
  for (const entry of entries) {
    // A folder named like a session is its artifact folder.
    if (entry.isFile() || isNamedByStart(entry.name) || layout.skips?.(entry.name)) continue;
    const folder = join(root, entry.name);
    const inside = entriesOf(folder, layout.onProblem);
    if (layout.isBucket(entry.name)) yield* sessionFiles(folder, inside, layout);
    else {
      yield* sessionFiles(
        folder,
        inside.filter(({ name }) => isNamedByStart(name)),
        layout,
      );
      yield* documentedSession(folder, inside, layout);
    }
  }
}

/** One session in one file, with the sub-agents in its artifact folder (omp: the path without its extension). */
export function sourceOfFile(stat: FileStat, suffix: string, artifacts?: string, onProblem?: OnProblem): SessionSource {
  const subagents =
    artifacts === undefined ? [] : [...filesBelow(artifacts, (name) => name.endsWith(".jsonl"), onProblem)];
  subagents.sort((a, b) => (a.path < b.path ? -1 : 1));
  const locator: TreeLocator = { records: [stat.path], subagents: subagents.map(({ path }) => path) };
  const files = [stat, ...subagents];
  return { sessionId: sessionIdOf(stat.path, suffix), path: stat.path, files, updatedMs: lastChange(files), locator };
}

/** The session id in a file name `<start>_<id>.jsonl`, the stem of any other name. */
export function idInName(path: string, suffix = ".jsonl"): string {
  const name = basename(path.replaceAll("\\", "/"));
  const stem = name.endsWith(suffix) ? name.slice(0, -suffix.length) : name;
  return START_NAME.exec(stem)?.[1] ?? stem;
}

const START_NAME = /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-\d{3}Z_(.+)$/s;
const UUID_V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4/;

function isNamedByStart(name: string): boolean {
  return START_NAME.test(name);
}

function* sessionFiles(folder: string, entries: readonly Dirent[], layout: StoreLayout): Generator<SessionSource> {
  const folders = new Set(entries.filter((entry) => !entry.isFile()).map(({ name }) => name));
  for (const { name } of entries) {
    // omp 14 leaves `.<name>.jsonl.<n>.tmp` behind; hidden files are never sessions.
    if (!name.endsWith(layout.suffix) || name.startsWith(".")) continue;
    const stat = fileStat(join(folder, name), layout.onProblem);
    if (stat === undefined) continue;
    const stem = name.slice(0, -layout.suffix.length);
    const artifacts = layout.hasArtifacts && folders.has(stem) ? join(folder, stem) : undefined;
    yield sourceOfFile(stat, layout.suffix, artifacts, layout.onProblem);
  }
}

function* documentedSession(folder: string, entries: readonly Dirent[], layout: StoreLayout): Generator<SessionSource> {
  const files = entries
    .filter(({ name }) => name.endsWith(layout.suffix) && !name.startsWith(".") && !isNamedByStart(name))
    .map(({ name }) => fileStat(join(folder, name), layout.onProblem))
    .filter((stat) => stat !== undefined)
    .sort((a, b) => (a.path < b.path ? -1 : 1));
  if (files.length === 0) return;
  const locator: TreeLocator = { records: files.map(({ path }) => path), subagents: [], documented: true };
  yield { sessionId: basename(folder), path: files[0]!.path, files, updatedMs: lastChange(files), locator };
}

/**
 * The id is in the file name, except in two cases that require reading the header: Pi up to 0.27 put one random (v4) UUID in the
 * name and another in the header, and `--session <path>` creates a file of any name.
 */
function sessionIdOf(path: string, suffix: string): string {
  const name = idInName(path, suffix);
  const certain = isNamedByStart(basename(path)) && !UUID_V4.test(name);
  return certain ? name : (headerIdOf(path) ?? name);
}

/** Enough for a title slot and a header with several directories in it. */
const HEADER_BYTES = 4096;

/** The id in a file's header; undefined when there is none at its start. */
export function headerIdOf(path: string): string | undefined {
  try {
    for (const line of readHeadAndTail(path, HEADER_BYTES, 0).head) {
      const header = readTreeHeader(parseRecord(line) ?? {});
      if (header) return header.id;
    }
  } catch {
    // Unreadable files are reported when they are summarised; use the name here.
  }
  return undefined;
}

/** The signs are in the first lines: title slot, header, and the first model. */
const OPENING_BYTES = 16 * 1024;

/**
 * Which program a tree belongs to. omp began as a copy of Pi and also uses `PI_CODING_AGENT_DIR`, so one folder can hold
 * sessions of both. A file belongs to the program that began it, and is listed and billed only there. A file without any sign,
 * such as version 1, is Pi's.
 */
export function authorOf(path: string): "pi" | "omp" {
  try {
    for (const line of readHeadAndTail(path, OPENING_BYTES, 0).head) {
      const author = authorIn(parseRecord(line) ?? {});
      if (author !== undefined) return author;
    }
  } catch {
    // The owner's reader reports that it cannot be read.
  }
  return "pi";
}
