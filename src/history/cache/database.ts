/**
 * Opens `<amux home>/index.db`, creates its tables and recovers from damage: a bad file is set aside and rebuilt.
 * One process at a time creates or fills it, under the lock at `lockPath`; readers are not blocked (WAL).
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
  /** Tables with another version are dropped. */
  readonly version: string;
  readonly create: string;
  readonly drop: string;
}

export type SqlValue = string | number | null | Uint8Array;
export type Row = Record<string, unknown>;

/** "amux"; guards against using a foreign database. */
const APPLICATION_ID = 0x616d7578;

/** Most values are blobs of many kilobytes: 4 KB pages take 3 % more space and four times as many reads. */
const PAGE_BYTES = 16 * 1024;

/** How long a reader waits for a writer that recovers or closes the file. */
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

  /** Opens for reading. Undefined if there is no usable database. Never changes or creates a file. */
  static openExisting(path: string, module: TableModule): IndexDatabase | undefined {
    let database: IndexDatabase | undefined;
    try {
      if (isNothing(path) || isSealBroken(path)) return undefined;
      database = connect(path);
      if (isOurs(database) && !isDoubtful(database) && isCurrent(database, module)) return database;
      database.close();
    } catch {
      database?.close();
      // Damaged, locked or unreadable: answer without it. The next writer sets it aside.
    }
    return undefined;
  }

  /** Opens for writing, under the lock. Creates the file and sets an unusable one aside. Throws if neither is possible. */
  static openForWriting(path: string, modules: readonly TableModule[]): IndexDatabase {
    ensurePrivateDirectory(dirname(path));
    // Something else truncated the file. Closed connections may still hold locks on it until garbage collection, so recreate it.
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

  /** Returns rows as arrays, passed as one JSON text: several times faster than row by row through the binding. */
  table(select: string, columns: readonly string[], ...values: SqlValue[]): unknown[][] {
    const row = this.get(`SELECT json_group_array(json_array(${columns.join(", ")})) AS rows ${select}`, ...values);
    return JSON.parse(String(row?.["rows"] ?? "[]")) as unknown[][];
  }

  /** Runs `work` in a transaction. Nothing else may use the connection meanwhile. */
  async transaction(work: () => void | Promise<void>): Promise<void> {
    this.#begin();
    try {
      await work();
      this.exec("COMMIT");
    } catch (error) {
      this.#rollBack();
      throw error;
    } finally {
      // Another writer may have finished meanwhile.
      unseal(this.path);
    }
  }

  /** Synchronous variant. */
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

  /** Runs `work` on one snapshot. */
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
      // After some errors SQLite has already rolled back.
    }
  }

  /** Changes whenever another connection writes. */
  get dataVersion(): number {
    return Number(this.get("PRAGMA data_version")?.["data_version"]);
  }

  close(): void {
    const isWhole = this.#hasWritten && this.#foldLog();
    this.#statements.clear();
    this.#connection.close();
    if (isWhole) seal(this.path);
  }

  /** Whether the WAL was fully checkpointed and is empty. */
  #foldLog(): boolean {
    try {
      return Number(this.get("PRAGMA wal_checkpoint(TRUNCATE)")?.["busy"]) === 0;
    } catch {
      // A reader blocks the checkpoint, or the disk is full. The WAL stays and remains readable.
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

/** The file is damaged, as opposed to busy, unreadable or out of space. */
export function isDamage(error: unknown): boolean {
  const code = codeIn(error);
  const isOther = error instanceof ForeignDatabase || codeOf(error) === "EISDIR";
  return code === SQLITE_CORRUPT || code === SQLITE_NOTADB || isOther;
}

/** The file is intact but cannot be written now. */
export function isNoSpace(error: unknown): boolean {
  const code = codeIn(error);
  return code === SQLITE_FULL || code === SQLITE_IOERR || codeOf(error) === "ENOSPC";
}

export function isBusy(error: unknown): boolean {
  return codeIn(error) === SQLITE_BUSY;
}

function codeIn(error: unknown): number | undefined {
  const code = (error as { errcode?: unknown } | undefined)?.errcode;
  // The low byte of an extended code is the primary code.
  return typeof code === "number" ? code & 0xff : undefined;
}

class ForeignDatabase extends Error {}

/** Held while creating the file, setting it aside or filling the search index. */
export function lockPath(path: string): string {
  return `${path}.lock`;
}

function isNothing(path: string): boolean {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat === undefined || (stat.isFile() && stat.size === 0);
}

/** Opens the file and runs a first query, which fails if it is not a database. */
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
  // Created here with private permissions, so that it is never readable by others.
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

/** A copy that may have been made during a write. */
function isDoubtful(database: IndexDatabase): boolean {
  return !hasSeal(database.path) && isCopied(database);
}

function isCurrent(database: IndexDatabase, { name, version }: TableModule): boolean {
  const found = database.get("SELECT 1 AS found FROM sqlite_master WHERE name = 'module'");
  return (
    found !== undefined && database.get("SELECT version FROM module WHERE name = ?", name)?.["version"] === version
  );
}

/** Renames the file, once: it may belong to somebody. Processes that have it open keep using it. */
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
