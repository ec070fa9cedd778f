/**
 * Reads other programs' SQLite databases without a trace: even a read-only open can create or write files beside them.
 * So they are opened as immutable, copied if they have a log, or, if too large to copy, opened read-only beside a -shm.
 */
import { realpathSync, rmSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { COPY_NAME, copyDatabase, stateOf } from "./database-copy.ts";
import { connectSqlite, type SqliteConnection, type StatementSyncInstance } from "./sqlite-binding.ts";

export type SqlValue = string | number | bigint | null | Uint8Array;
export type Row = Record<string, unknown>;

/** Beyond this, a copy costs more than the read marks a plain open leaves in -shm. */
const COPY_LIMIT = 64 * 1024 * 1024;
/** How long a plain open waits while the owner recovers or closes the database. */
const BUSY_MS = 1000;
/** Tries to open a database whose owner keeps reopening it, and the pause after the first. */
const OPEN_TRIES = 8;
const OPEN_PAUSE_MS = 2;
/** How often `withDatabase` starts over when the file changed during the read. */
const READ_TRIES = 3;

interface Opened {
  connection: SqliteConnection;
  kind: "immutable" | "copy" | "shared";
  /** The file itself, links resolved. */
  file: string;
  /** Fingerprint of the file when it was opened. */
  fingerprint: string;
  /** The copy's directory, if it could not be unlinked at once. */
  directory?: string;
}

export class ReadOnlyDatabase {
  readonly path: string;
  readonly #opened: Opened;
  readonly #statements = new Map<string, StatementSyncInstance>();
  readonly #columns = new Map<string, Set<string>>();
  #closed = false;

  constructor(path: string) {
    this.path = path;
    this.#opened = open(path);
  }

  all(sql: string, ...values: SqlValue[]): Row[] {
    try {
      return this.#prepare(sql).all(...values) as Row[];
    } catch (error) {
      if (!isTooLarge(error)) throw error;
      return [...this.each(sql, ...values)];
    }
  }

  get(sql: string, ...values: SqlValue[]): Row | undefined {
    try {
      return this.#prepare(sql).get(...values) as Row | undefined;
    } catch (error) {
      if (!isTooLarge(error)) throw error;
      for (const row of this.each(sql, ...values)) return row;
      return undefined;
    }
  }

  /** Rows one at a time, for results too large to hold. */
  *each(sql: string, ...values: SqlValue[]): Generator<Row> {
    // Not the cached statement: a second iteration of the same query would reset it.
    const statement = this.#opened.connection.prepare(sql);
    statement.setReadBigInts(true);
    for (const row of statement.iterate(...values)) yield withNumbers(row as Row);
  }

  hasTable(table: string): boolean {
    return this.columns(table).size > 0;
  }

  /** Column names of a table or view; empty if it does not exist. */
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

  /** True if the file was written while open without a lock, so the rows read may be inconsistent. */
  changedWhileOpen(): boolean {
    if (this.#opened.kind !== "immutable") return false;
    try {
      return stateOf(this.#opened.file).fingerprint !== this.#opened.fingerprint;
    } catch {
      // Gone. The rows came from the open file and are still valid.
      return false;
    }
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#statements.clear();
    if (this.#opened.kind === "copy") keep(this.#opened);
    else this.#opened.connection.close();
  }

  #prepare(sql: string): StatementSyncInstance {
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      statement = this.#opened.connection.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }
}

/** Opens, runs, closes. Runs again if the file changed meanwhile, so `use` must return its whole result at once. */
export function withDatabase<T>(path: string, use: (database: ReadOnlyDatabase) => T): T {
  for (let attempt = 1; ; attempt++) {
    const database = new ReadOnlyDatabase(path);
    const again = (): boolean => attempt < READ_TRIES && database.changedWhileOpen();
    try {
      const result = use(database);
      if (!again()) return result;
    } catch (error) {
      if (!again()) throw error;
    } finally {
      database.close();
    }
  }
}

function open(path: string): Opened {
  // SQLite looks for the log beside the link's target.
  const file = realpathSync(path);
  for (let attempt = 1; attempt <= OPEN_TRIES; attempt++) {
    const opened = openAsItStands(file);
    if (opened !== undefined) return opened;
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, attempt * OPEN_PAUSE_MS);
  }
  throw new Error(`${path} changes too fast to be read.`);
}

/** Undefined if the files changed meanwhile. */
function openAsItStands(file: string): Opened | undefined {
  const state = stateOf(file);
  const { fingerprint } = state;
  const earlier = takeKept(file, fingerprint);
  if (earlier !== undefined) return earlier;
  try {
    if (state.log === undefined) {
      const url = pathToFileURL(file);
      url.searchParams.set("immutable", "1");
      return checked({ connection: connectSqlite(url, { readOnly: true }), kind: "immutable", file, fingerprint });
    }
    const copied = state.bytes > COPY_LIMIT && state.shared ? undefined : openCopy(file, fingerprint);
    if (copied !== undefined || !state.shared) return copied;
    const connection = connectSqlite(file, { readOnly: true, timeout: BUSY_MS });
    return checked({ connection, kind: "shared", file, fingerprint });
  } catch (error) {
    if (stateOf(file).fingerprint === fingerprint) throw error;
    return undefined;
  }
}

function openCopy(file: string, fingerprint: string): Opened | undefined {
  const directory = copyDatabase(file);
  if (directory === undefined) return undefined;
  try {
    // Writable if a journal must be rolled back; a WAL is only read, and not checkpointed on close.
    const copy = join(directory, COPY_NAME);
    const readOnly = stateOf(copy).log !== "-journal";
    const opened = checked({ connection: connectSqlite(copy, { readOnly }), kind: "copy", file, fingerprint });
    if (process.platform === "win32") return { ...opened, directory };
    // All files are open and need no names now; nothing remains however this process ends.
    rmSync(directory, { recursive: true, force: true });
    return opened;
  } catch (error) {
    rmSync(directory, { recursive: true, force: true });
    throw error;
  }
}

/** Of SQLite's authorizer: a query that goes on with its own rows, and what may be answered. */
const RECURSIVE = 33;
const ALLOW = 0;
const DENY = 1;

/** Some columns of one table: takes as long as the table is. Anything else can multiply its rows. */
const PLAIN_VIEW =
  /^create view \S+ as\s+select\s+\w+(?:\s*,\s*\w+)*\s+from\s+"?\w+"?(?:\s+where\s+\w+\s*(?:<>|!=|=)\s*(?:'\w*'|\w+))?$/i;

/** Opening reads nothing; this checks that it is a database at all, and lets no view in it multiply rows. */
function checked(opened: Opened): Opened {
  const { connection } = opened;
  try {
    const views = connection.prepare("SELECT name, sql FROM sqlite_master WHERE type = 'view'").all() as Row[];
    const plain = new Set(views.flatMap(({ name, sql }) => (PLAIN_VIEW.test(String(sql).trim()) ? [name] : [])));
    // No query of ours is recursive. A view in the place of a table may be, or join a table with itself many times.
    const isAllowed = (action: number, view: string | null): boolean =>
      action !== RECURSIVE && (view === null || plain.has(view));
    if (views.length > 0)
      connection.setAuthorizer((action, _, __, ___, view) => (isAllowed(action, view) ? ALLOW : DENY));
    return opened;
  } catch (error) {
    connection.close();
    throw error;
  }
}

/** Keeps the last copy briefly: callers read one session after another, and each would copy the same files again. */
const KEEP_MS = 2000;
let kept: Opened | undefined;
let dropTimer: NodeJS.Timeout | undefined;
// Where open files cannot be unlinked, the copy still has its directory.
process.once("exit", dropKept);

function keep(opened: Opened): void {
  dropKept();
  kept = opened;
  dropTimer = setTimeout(dropKept, KEEP_MS);
  dropTimer.unref();
}

function takeKept(file: string, fingerprint: string): Opened | undefined {
  if (kept?.file !== file || kept.fingerprint !== fingerprint) return undefined;
  const opened = kept;
  kept = undefined;
  clearTimeout(dropTimer);
  return opened;
}

function dropKept(): void {
  clearTimeout(dropTimer);
  kept?.connection.close();
  if (kept?.directory !== undefined) rmSync(kept.directory, { recursive: true, force: true });
  kept = undefined;
}

/** The binding rejects a whole result for one integer beyond JavaScript's safe range. */
function isTooLarge(error: unknown): boolean {
  return error instanceof Error && error.message.includes("too large to be represented");
}

function withNumbers(row: Row): Row {
  for (const name in row) {
    const value = row[name];
    if (typeof value === "bigint") row[name] = Number(value);
  }
  return row;
}
