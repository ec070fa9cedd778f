/**
 * Other programs' SQLite databases, read without leaving a trace. A plain read-only open is not enough:
 * on a cleanly closed WAL database it creates -wal and -shm files beside it, and on a live one it writes
 * read marks into -shm. So:
 *
 *   no -wal file, or an empty one and no -shm   -> opened as immutable: no file is created or locked
 *   a -wal with content, up to COPY_LIMIT       -> database and -wal copied to a private directory, opened there
 *   larger                                      -> plain read-only open when -shm exists (an owner is or was there)
 */
import { closeSync, constants, copyFileSync, mkdtempSync, openSync, readSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { DatabaseSync, type StatementSyncInstance } from "@photostructure/sqlite";

export type SqlValue = string | number | bigint | null | Uint8Array;
export type Row = Record<string, unknown>;

/** Copying beyond this costs more than the read marks a plain open leaves in a live database's -shm. */
const COPY_LIMIT = 64 * 1024 * 1024;
/** Tries at copying a database while its owner writes. */
const COPY_TRIES = 5;

export class ReadOnlyDatabase {
  readonly path: string;
  readonly #database: InstanceType<typeof DatabaseSync>;
  readonly #privateDirectory: string | undefined;
  readonly #statements = new Map<string, StatementSyncInstance>();
  readonly #columns = new Map<string, Set<string>>();

  constructor(path: string) {
    this.path = path;
    const opened = open(path);
    this.#database = opened.database;
    this.#privateDirectory = opened.privateDirectory;
    try {
      // Opening reads nothing; this finds out whether it is a database at all.
      this.get("SELECT count(*) AS n FROM sqlite_master");
    } catch (error) {
      this.close();
      throw error;
    }
  }

  all(sql: string, ...values: SqlValue[]): Row[] {
    return this.#prepare(sql).all(...values) as Row[];
  }

  get(sql: string, ...values: SqlValue[]): Row | undefined {
    return this.#prepare(sql).get(...values) as Row | undefined;
  }

  /** Rows one at a time, for results that should not be held whole. */
  *each(sql: string, ...values: SqlValue[]): Generator<Row> {
    for (const row of this.#prepare(sql).iterate(...values)) yield row as Row;
  }

  hasTable(table: string): boolean {
    return this.columns(table).size > 0;
  }

  /** Column names of a table or view; empty when there is none. */
  columns(table: string): Set<string> {
    let columns = this.#columns.get(table);
    if (columns === undefined) {
      columns = new Set(this.all("SELECT name FROM pragma_table_info(?)", table).map((row) => String(row["name"])));
      this.#columns.set(table, columns);
    }
    return columns;
  }

  hasColumn(table: string, column: string): boolean {
    return this.columns(table).has(column);
  }

  close(): void {
    this.#statements.clear();
    try {
      this.#database.close();
    } finally {
      if (this.#privateDirectory !== undefined) rmSync(this.#privateDirectory, { recursive: true, force: true });
    }
  }

  #prepare(sql: string): StatementSyncInstance {
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      statement = this.#database.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }
}

/** Opens, runs, closes. */
export function withDatabase<T>(path: string, use: (database: ReadOnlyDatabase) => T): T {
  const database = new ReadOnlyDatabase(path);
  try {
    return use(database);
  } finally {
    database.close();
  }
}

function open(path: string): { database: InstanceType<typeof DatabaseSync>; privateDirectory?: string } {
  const walSize = sizeOf(`${path}-wal`);
  const shmExists = sizeOf(`${path}-shm`) !== undefined;
  if (walSize === undefined || (walSize === 0 && !shmExists)) return { database: openImmutable(path) };

  const size = statSync(path).size;
  if (size + walSize > COPY_LIMIT && shmExists) return { database: new DatabaseSync(path, { readOnly: true }) };
  return openCopy(path);
}

function openImmutable(path: string): InstanceType<typeof DatabaseSync> {
  const url = pathToFileURL(path);
  url.searchParams.set("immutable", "1");
  return new DatabaseSync(url, { readOnly: true });
}

function openCopy(path: string): { database: InstanceType<typeof DatabaseSync>; privateDirectory: string } {
  const privateDirectory = mkdtempSync(join(tmpdir(), "amux-sqlite-"));
  try {
    const copy = join(privateDirectory, "copy.db");
    for (let attempt = 1; ; attempt++) {
      const before = stateOf(path);
      copyFileSync(path, copy, constants.COPYFILE_FICLONE);
      copyFileSync(`${path}-wal`, `${copy}-wal`, constants.COPYFILE_FICLONE);
      // A checkpoint between the two copies moves pages from one file to the other; then both have changed.
      if (stateOf(path) === before || attempt === COPY_TRIES) break;
    }
    return { database: new DatabaseSync(copy, { readOnly: false }), privateDirectory };
  } catch (error) {
    rmSync(privateDirectory, { recursive: true, force: true });
    throw error;
  }
}

/** Changes whenever a checkpoint wrote into the database or restarted the log; growth of the log alone is harmless. */
function stateOf(path: string): string {
  const { size, mtimeMs } = statSync(path);
  return `${size}:${mtimeMs}:${walHeader(`${path}-wal`)}`;
}

const WAL_HEADER_BYTES = 32;

function walHeader(path: string): string {
  const fd = openSync(path, "r");
  try {
    const header = Buffer.alloc(WAL_HEADER_BYTES);
    readSync(fd, header, 0, WAL_HEADER_BYTES, 0);
    return header.toString("hex");
  } finally {
    closeSync(fd);
  }
}

function sizeOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.size;
}
