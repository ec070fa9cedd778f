/**
 * The file `<amux home>/index.db`: opening it, its modules' tables, and what to do when it is damaged. It is a cache:
 * everything in it can be made again, so whatever is wrong with it is cured by setting it aside.
 *
 * Each module (the search, what is kept of sessions) brings its own tables with a version of its own; a changed version makes
 * that module's tables anew and leaves the others alone. One process at a time creates the file or fills the search index, under
 * the lock at `lockPath`; any number read meanwhile, each from its snapshot (WAL).
 */
import { chmodSync, closeSync, constants, existsSync, openSync, renameSync, rmSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { codeOf } from "../../lib/fs/directory.ts";
import { refuseUnlessFile } from "../../lib/fs/foreign-file.ts";
import { ensurePrivateDirectory } from "../../lib/fs/private-directory.ts";
import { connectSqlite, type SqliteConnection, type StatementSyncInstance } from "../../lib/sqlite/sqlite-binding.ts";
import { isCopied } from "./copied.ts";
import { hasSeal, isSealBroken, seal, sealPath, unseal } from "./seal.ts";

export interface TableModule {
  readonly name: string;
  /** Tables made under another version are dropped. */
  readonly version: string;
  readonly create: string;
  readonly drop: string;
}

export type SqlValue = string | number | null | Uint8Array;
export type Row = Record<string, unknown>;

/** "amux", so that a database somebody else put there is not taken for ours. */
const APPLICATION_ID = 0x616d7578;

/** Most of what is kept are blobs of many kilobytes: in pages of four they take 3 % more, and four times as many reads. */
const PAGE_BYTES = 16 * 1024;

/** Readers wait this long for a writer to finish recovering or closing the file. */
const BUSY_MS = 5000;
const SIDE_FILES = ["-wal", "-shm", "-journal"] as const;

const SQLITE_BUSY = 5;
const SQLITE_IOERR = 10;
const SQLITE_CORRUPT = 11;
const SQLITE_FULL = 13;
const SQLITE_NOTADB = 26;

export class IndexDatabase {
  readonly path: string;
  readonly #connection: SqliteConnection;
  readonly #statements = new Map<string, StatementSyncInstance>();
  #hasWritten = false;

  private constructor(path: string, connection: SqliteConnection) {
    this.path = path;
    this.#connection = connection;
  }

  /** For reading. Undefined when there is none, or none that can be used as it is; nothing is changed or created. */
  static openExisting(path: string, module: TableModule): IndexDatabase | undefined {
    let database: IndexDatabase | undefined;
    try {
      if (isNothing(path) || isSealBroken(path)) return undefined;
      database = connect(path);
      if (isOurs(database) && !isDoubtful(database) && isCurrent(database, module)) return database;
      database.close();
    } catch {
      database?.close();
      // Damaged, locked or not to be opened: the answer is found without it, and the next writer sets it aside.
    }
    return undefined;
  }

  /** For writing, under the lock. Creates the file, sets an unusable one aside. Throws when neither can be done. */
  static openForWriting(path: string, modules: readonly TableModule[]): IndexDatabase {
    ensurePrivateDirectory(dirname(path));
    // Emptied by something else. Connections closed before may hold locks on it until their statements are collected,
    // so it is made anew and not written into.
    if (isNothing(path)) removeDatabase(path);
    try {
      if (!isSealBroken(path)) return prepared(path, modules);
    } catch (error) {
      if (!isDamage(error)) throw error;
    }
    setAside(path);
    return prepared(path, modules);
  }

  static connected(path: string): IndexDatabase {
    return new IndexDatabase(path, connectSqlite(path, { timeout: BUSY_MS }));
  }

  exec(sql: string): void {
    this.#connection.exec(sql);
  }

  get(sql: string, ...values: SqlValue[]): Row | undefined {
    return this.#prepare(sql).get(...values) as Row | undefined;
  }

  all(sql: string, ...values: SqlValue[]): Row[] {
    return this.#prepare(sql).all(...values) as Row[];
  }

  run(sql: string, ...values: SqlValue[]): void {
    this.#prepare(sql).run(...values);
  }

  /** Rows of arrays, as one JSON text made by SQLite: several times faster than row by row through the binding. */
  table(select: string, columns: readonly string[], ...values: SqlValue[]): unknown[][] {
    const row = this.get(`SELECT json_group_array(json_array(${columns.join(", ")})) AS rows ${select}`, ...values);
    return JSON.parse(String(row?.["rows"] ?? "[]")) as unknown[][];
  }

  /** All or nothing. Nothing else may use the connection meanwhile. */
  async transaction(work: () => void | Promise<void>): Promise<void> {
    this.#begin();
    try {
      await work();
      this.exec("COMMIT");
    } catch (error) {
      this.#rollBack();
      throw error;
    } finally {
      // Another writer may have been done meanwhile.
      unseal(this.path);
    }
  }

  /** The same at once. */
  transactionNow(work: () => void): void {
    this.#begin();
    try {
      work();
      this.exec("COMMIT");
    } catch (error) {
      this.#rollBack();
      throw error;
    } finally {
      unseal(this.path);
    }
  }

  #begin(): void {
    unseal(this.path);
    this.#hasWritten = true;
    this.exec("BEGIN IMMEDIATE");
  }

  /** Everything `work` reads is of one moment, whatever is written meanwhile. */
  snapshot<T>(work: () => T): T {
    this.exec("BEGIN");
    try {
      return work();
    } finally {
      this.#rollBack();
    }
  }

  #rollBack(): void {
    try {
      this.exec("ROLLBACK");
    } catch {
      // After some errors SQLite has rolled back already.
    }
  }

  /** Changes whenever another connection has written. */
  get dataVersion(): number {
    return Number(this.get("PRAGMA data_version")?.["data_version"]);
  }

  close(): void {
    const isWhole = this.#hasWritten && this.#foldLog();
    this.#statements.clear();
    this.#connection.close();
    if (isWhole) seal(this.path);
  }

  /** Whether everything is in the database itself now, and its log empty. */
  #foldLog(): boolean {
    try {
      return Number(this.get("PRAGMA wal_checkpoint(TRUNCATE)")?.["busy"]) === 0;
    } catch {
      // A reader is in the way, or there is no space: the log stays, and is read like the rest.
      return false;
    }
  }

  #prepare(sql: string): StatementSyncInstance {
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      statement = this.#connection.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }
}

/** The file is not what it should be, as opposed to busy, unreadable or out of space. */
export function isDamage(error: unknown): boolean {
  const code = codeIn(error);
  const isOther = error instanceof ForeignDatabase || codeOf(error) === "EISDIR";
  return code === SQLITE_CORRUPT || code === SQLITE_NOTADB || isOther;
}

/** Nothing is wrong with the file, but it cannot be written now. */
export function isNoSpace(error: unknown): boolean {
  const code = codeIn(error);
  return code === SQLITE_FULL || code === SQLITE_IOERR || codeOf(error) === "ENOSPC";
}

export function isBusy(error: unknown): boolean {
  return codeIn(error) === SQLITE_BUSY;
}

function codeIn(error: unknown): number | undefined {
  const code = (error as { errcode?: unknown } | undefined)?.errcode;
  // Extended codes have the plain one in their low byte.
  return typeof code === "number" ? code & 0xff : undefined;
}

class ForeignDatabase extends Error {}

/** Held by whoever creates the file, sets it aside or fills the search index. */
export function lockPath(path: string): string {
  return `${path}.lock`;
}

function isNothing(path: string): boolean {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat === undefined || (stat.isFile() && stat.size === 0);
}

/** Opens and asks the first question, which finds out whether it is a database at all. */
function connect(path: string): IndexDatabase {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat !== undefined) refuseUnlessFile(path, stat);
  const database = IndexDatabase.connected(path);
  try {
    database.get("SELECT count(*) AS tables FROM sqlite_master");
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

function prepared(path: string, modules: readonly TableModule[]): IndexDatabase {
  // Made here, so that it is never readable by others, not even for a moment.
  closeSync(openSync(path, constants.O_RDWR | constants.O_CREAT | constants.O_NONBLOCK, 0o600));
  chmodSync(path, 0o600);
  const database = connect(path);
  try {
    if (isEmpty(database)) database.exec(`PRAGMA page_size = ${PAGE_BYTES}; PRAGMA application_id = ${APPLICATION_ID}`);
    else if (!isOurs(database) || isDoubtful(database)) throw new ForeignDatabase();
    database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL");
    database.exec("CREATE TABLE IF NOT EXISTS module (name TEXT PRIMARY KEY, version TEXT NOT NULL) STRICT");
    for (const module of modules) if (!isCurrent(database, module)) renew(database, module);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

function renew(database: IndexDatabase, { name, version, create, drop }: TableModule): void {
  database.exec(`BEGIN IMMEDIATE; ${drop} ${create}`);
  database.run("INSERT OR REPLACE INTO module VALUES (?, ?)", name, version);
  database.exec("COMMIT");
}

function isEmpty(database: IndexDatabase): boolean {
  return Number(database.get("SELECT count(*) AS tables FROM sqlite_master")?.["tables"]) === 0;
}

function isOurs(database: IndexDatabase): boolean {
  return Number(database.get("PRAGMA application_id")?.["application_id"]) === APPLICATION_ID;
}

/** A copy that may have been made while it was written. */
function isDoubtful(database: IndexDatabase): boolean {
  return !hasSeal(database.path) && isCopied(database);
}

function isCurrent(database: IndexDatabase, { name, version }: TableModule): boolean {
  const found = database.get("SELECT 1 AS found FROM sqlite_master WHERE name = 'module'");
  return (
    found !== undefined && database.get("SELECT version FROM module WHERE name = ?", name)?.["version"] === version
  );
}

/** Kept under another name, once: it may be somebody's. Processes that have it open go on with what they opened. */
export function setAside(path: string): void {
  rmSync(`${path}.unusable`, { recursive: true, force: true });
  if (existsSync(path)) renameSync(path, `${path}.unusable`);
  removeSideFiles(path);
}

export function removeDatabase(path: string): void {
  rmSync(path, { force: true });
  removeSideFiles(path);
}

function removeSideFiles(path: string): void {
  for (const suffix of SIDE_FILES) rmSync(`${path}${suffix}`, { force: true });
  rmSync(sealPath(path), { force: true });
}
