/** Copies a database file and its log while their owner may be writing. Knows SQLite's files only; `sqlite.ts` opens the copy. */
import { closeSync, mkdtempSync, openSync, readSync, rmSync, statSync, writeSync, type BigIntStats } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openForReading } from "../fs/foreign-file.ts";

/** Tries to copy a database while its owner writes. */
const COPY_TRIES = 5;
export const COPY_NAME = "copy.db";

/** The log beside a database, without which it is incomplete. */
export type Log = "-wal" | "-journal";

export interface DatabaseState {
  log: Log | undefined;
  /** Bytes of the database and its log. */
  bytes: number;
  /** True when a process has (or had, and died) the database open in WAL mode. */
  shared: boolean;
  /** Equal at two moments only if nothing was written in between. */
  fingerprint: string;
  /** Equal at two moments if a copy taken in between is consistent. */
  generation: string;
}

/** Current state of a database's files. Throws if `path` is not a regular file. */
export function stateOf(path: string): DatabaseState {
  const main = statSync(path, { bigint: true });
  if (!main.isFile()) throw new Error(`${path} is not a file.`);
  const shared = statOf(`${path}-shm`) !== undefined;
  const wal = statOf(`${path}-wal`);
  const journal = statOf(`${path}-journal`);

  // An empty -wal means the database is complete, but with -shm present a writer may be about to continue.
  let log: Log | undefined;
  if (wal !== undefined && (wal.size > 0n || shared)) log = "-wal";
  else if (journal !== undefined && journal.size > 0n) log = "-journal";

  const logStat = log === "-wal" ? wal : log === "-journal" ? journal : undefined;
  const head = log === undefined ? "" : headOf(`${path}${log}`);
  const identity = `${main.dev}:${main.ino}:${log ?? ""}:${head}`;
  const fingerprint = `${identity}:${stamp(main)}:${logStat ? stamp(logStat) : ""}`;
  return {
    log,
    bytes: Number(main.size) + Number(logStat?.size ?? 0n),
    shared,
    fingerprint,
    // A checkpoint only copies what the log still holds, so both files match until the log restarts with a new header. A rollback
    // journal gives no such guarantee.
    generation: log === "-wal" ? identity : fingerprint,
  };
}

/** Copies into a new private directory; undefined if the files changed during every try. */
export function copyDatabase(path: string): string | undefined {
  const directory = mkdtempSync(join(tmpdir(), "amux-sqlite-"));
  try {
    for (let attempt = 0; attempt < COPY_TRIES; attempt++) {
      if (copyOnce(path, join(directory, COPY_NAME))) return directory;
    }
  } catch (error) {
    rmSync(directory, { recursive: true, force: true });
    throw error;
  }
  rmSync(directory, { recursive: true, force: true });
  return undefined;
}

function copyOnce(path: string, copy: string): boolean {
  const before = stateOf(path);
  try {
    copyFile(path, copy);
    for (const log of ["-wal", "-journal"] as const) {
      if (before.log === log) copyFile(`${path}${log}`, `${copy}${log}`);
      else rmSync(`${copy}${log}`, { force: true });
    }
    return stateOf(path).generation === before.generation;
  } catch (error) {
    // The owner closed the database and removed its log.
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return false;
    throw error;
  }
}

/** Bytes copied at a time. */
const CHUNK_BYTES = 1024 * 1024;

/**
 * Copies up to the current end of the file. `copyFileSync` trusts the first size and hangs when the owner truncates its log (Node
 * 20.20, libuv 1.46).
 */
function copyFile(from: string, to: string): void {
  const source = openForReading(from);
  try {
    const target = openSync(to, "w", 0o600);
    try {
      const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
      for (;;) {
        const got = readSync(source, chunk, 0, CHUNK_BYTES, null);
        if (got === 0) return;
        writeAll(target, chunk.subarray(0, got));
      }
    } finally {
      closeSync(target);
    }
  } finally {
    closeSync(source);
  }
}

function writeAll(fd: number, bytes: Buffer): void {
  for (let written = 0; written < bytes.length;) written += writeSync(fd, bytes, written);
}

/** Both kinds of log begin with salts that change at each restart. */
const LOG_HEAD_BYTES = 32;

function headOf(path: string): string {
  let fd: number;
  try {
    fd = openForReading(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return "gone";
    throw error;
  }
  try {
    const head = Buffer.alloc(LOG_HEAD_BYTES);
    readSync(fd, head, 0, LOG_HEAD_BYTES, 0);
    return head.toString("hex");
  } finally {
    closeSync(fd);
  }
}

function statOf(path: string): BigIntStats | undefined {
  return statSync(path, { bigint: true, throwIfNoEntry: false });
}

function stamp(stat: BigIntStats): string {
  return `${stat.size}:${stat.mtimeNs}`;
}
