/**
 * Caches heads, counts and sums of sessions in the index database. If the cache is missing, damaged, locked or full, answers are
 * the same but slower.
 */
import { dirname, join } from "node:path";
import type { AgentEnv, SessionHead } from "../../agents/adapter.ts";
import { amuxHome } from "../../lib/fs/paths.ts";
import { ensurePrivateDirectory } from "../../lib/fs/private-directory.ts";
import { acquireLock } from "../../lib/process/process-lock.ts";
import { isCopied, noteFile } from "./copied.ts";
import { IndexDatabase, isDamage, lockPath, setAside, type SqlValue } from "./database.ts";
import type { Listing } from "./listing-record.ts";
import { accountValues, StoredAccounts, type StoredAccount } from "./stored-account.ts";
import { SESSION_TABLES } from "./tables.ts";

/** `use` reads the cache, `fill` also writes to it, `none` ignores it. */
export type CacheMode = "use" | "fill" | "none";

export interface CachedHead {
  stamp: string;
  /** Null if the files hold no conversation. Title keys are stored separately. */
  head: SessionHead | null;
}

interface KeptFork {
  /** Files of all sessions of its family. */
  stamp: string;
  parent: string | null;
}

/** The cached data of one agent's sessions; each part is loaded on first use. */
interface Known {
  listing?: Listing | undefined;
  heads?: Map<string, CachedHead>;
  titleKeys?: Map<string, string[]>;
  forks?: Map<string, KeptFork>;
  accounts?: StoredAccounts;
}

/** The cached data is gone or damaged; the caller goes without. */
export class CacheLost extends Error {}

/** An empty cache. */
const NEVER = -1;

export function indexPath(env: AgentEnv): string {
  return join(amuxHome(env), "index.db");
}

export class SessionCache {
  readonly mode: CacheMode;
  readonly #path: string;
  #database: IndexDatabase | undefined;
  /** The write counter at the first read. */
  #writes: number | undefined;
  #isDamaged = false;
  readonly #known = new Map<string, Known>();
  #put: [sql: string, ...values: SqlValue[]][] = [];

  constructor(env: AgentEnv, mode: CacheMode) {
    this.#path = indexPath(env);
    this.mode = mode;
  }

  /** Whether nobody else has written since the first read. */
  get isCurrent(): boolean {
    if (this.#writes === undefined) return true;
    const database = IndexDatabase.openExisting(this.#path, SESSION_TABLES);
    try {
      // Tables that were created but never written are empty too.
      return Math.max(0, database ? writesIn(database) : NEVER) === Math.max(0, this.#writes);
    } catch {
      // The next open reports why.
      return false;
    } finally {
      database?.close();
    }
  }

  /** Undefined if the agent's sessions were not listed. */
  listing(agent: string): Listing | undefined {
    const known = this.#of(agent);
    if (!("listing" in known)) known.listing = this.#read((database) => listingIn(database, agent), undefined);
    return known.listing;
  }

  heads(agent: string): ReadonlyMap<string, CachedHead> {
    return (this.#of(agent).heads ??= this.#table(
      agent,
      "session_head",
      ["id", "stamp", "json(head)"],
      ([, stamp, head]) => ({ stamp: stamp as string, head: head as SessionHead | null }),
    ));
  }

  /** Record ids by which other sessions' files may refer to the session. */
  titleKeys(agent: string): ReadonlyMap<string, string[]> {
    return (this.#of(agent).titleKeys ??= this.#table(
      agent,
      "session_head",
      ["id", "json(coalesce(title_keys, '[]'))"],
      ([, keys]) => keys as string[],
    ));
  }

  forks(agent: string): ReadonlyMap<string, KeptFork> {
    return (this.#of(agent).forks ??= this.#table(
      agent,
      "session_fork",
      ["id", "stamp", "parent"],
      ([, stamp, parent]) => ({ stamp: stamp as string, parent: parent as string | null }),
    ));
  }

  accounts(agent: string): StoredAccounts {
    const read = <T>(work: (database: IndexDatabase) => T): T => this.#read<T | undefined>(work, undefined)!;
    return (this.#of(agent).accounts ??= this.#read(
      (database) => new StoredAccounts({ database, agent, read }),
      new StoredAccounts(),
    ));
  }

  putListing(agent: string, listing: Listing): void {
    this.#of(agent).listing = listing;
    this.#put.push(["INSERT OR REPLACE INTO session_listing VALUES (?, ?)", agent, JSON.stringify(listing)]);
  }

  putHead(agent: string, id: string, stamp: string, head: SessionHead | undefined): void {
    const { titleKeys, ...rest } = head ?? {};
    const known = this.#of(agent);
    known.heads?.set(id, { stamp, head: head === undefined ? null : (rest as SessionHead) });
    known.titleKeys?.set(id, titleKeys ?? []);
    this.#put.push([
      "INSERT OR REPLACE INTO session_head VALUES (?, ?, ?, ?, ?)",
      ...[agent, id, stamp, head === undefined ? null : JSON.stringify(rest)],
      titleKeys === undefined ? null : JSON.stringify(titleKeys),
    ]);
  }

  putAccount(agent: string, id: string, account: StoredAccount): void {
    this.#of(agent).accounts?.set(id, account);
    this.#put.push([
      "INSERT OR REPLACE INTO session_account VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
      ...[agent, id, ...accountValues(account)],
    ]);
  }

  putFork(agent: string, id: string, stamp: string, parent: string | undefined): void {
    this.#of(agent).forks?.set(id, { stamp, parent: parent ?? null });
    this.#put.push(["INSERT OR REPLACE INTO session_fork VALUES (?, ?, ?, ?)", agent, id, stamp, parent ?? null]);
  }

  /** Removes a deleted session. */
  remove(agent: string, id: string): void {
    const known = this.#of(agent);
    known.heads?.delete(id);
    known.forks?.delete(id);
    this.#put.push(["DELETE FROM session_head WHERE agent = ? AND id = ?", agent, id]);
    this.#put.push(["DELETE FROM session_fork WHERE agent = ? AND id = ?", agent, id]);
    this.removeAccount(agent, id);
  }

  removeAccount(agent: string, id: string): void {
    this.#of(agent).accounts?.delete(id);
    this.#put.push(["DELETE FROM session_account WHERE agent = ? AND id = ?", agent, id]);
  }

  /** Writes the pending entries. False if another process has written meanwhile, or the file cannot be written. */
  close(): boolean {
    const put = this.#put;
    this.#put = [];
    this.#release();
    return this.mode !== "fill" || (put.length === 0 && !this.#isDamaged) || this.#write(put);
  }

  /**
   * Accounts of related sessions depend on each other, so entries made from an older state are not mixed with newer ones. Entries
   * made without reading the cache depend only on their files: they are written at any time, and nobody has to notice.
   */
  #write(put: readonly [sql: string, ...values: SqlValue[]][]): boolean {
    try {
      const database = this.#openForWriting();
      if (database === undefined) return false;
      try {
        const read = this.#writes === undefined ? undefined : Math.max(0, this.#writes);
        database.transactionNow(() => {
          if (read !== undefined && writesIn(database) !== read) throw new Error("somebody else has written");
          if (!isCopied(database)) noteFile(database);
          for (const [sql, ...values] of put) database.run(sql, ...values);
          if (read !== undefined) database.run("UPDATE session_write SET count = count + 1");
        });
        if (read !== undefined) this.#writes = read + 1;
        return true;
      } finally {
        database.close();
      }
    } catch {
      // No space, no permission or a concurrent writer: skip caching.
      return false;
    }
  }

  /** Undefined while another process repairs an unusable database. */
  #openForWriting(): IndexDatabase | undefined {
    const path = this.#path;
    const database = this.#isDamaged ? undefined : IndexDatabase.openExisting(path, SESSION_TABLES);
    // Do not wait for a writer: it may be this process.
    database?.exec("PRAGMA busy_timeout = 0");
    if (database) return database;
    ensurePrivateDirectory(dirname(path));
    const lock = acquireLock(lockPath(path));
    if (lock === undefined) return undefined;
    try {
      if (this.#isDamaged) setAside(path);
      this.#isDamaged = false;
      return IndexDatabase.openForWriting(path, [SESSION_TABLES]);
    } finally {
      lock.release();
    }
  }

  #of(agent: string): Known {
    let known = this.#known.get(agent);
    if (known === undefined) this.#known.set(agent, (known = {}));
    return known;
  }

  /** By id, the first column. */
  #table<Value>(
    agent: string,
    name: string,
    columns: readonly string[],
    valueOf: (row: unknown[]) => Value,
  ): Map<string, Value> {
    const select = `FROM ${name} WHERE agent = ?`;
    const byId = new Map<string, Value>();
    const rows = this.#read((database) => database.table(select, columns, agent), []);
    for (const row of rows) byId.set(row[0] as string, valueOf(row));
    return byId;
  }

  /** Runs a query on the snapshot of the first read; `otherwise` is the result without a database. */
  #read<T>(work: (database: IndexDatabase) => T, otherwise: T): T {
    if (this.mode === "none" || this.#writes === NEVER) return otherwise;
    try {
      this.#database ??= this.#open();
      return this.#database === undefined ? otherwise : work(this.#database);
    } catch (error) {
      this.#isDamaged ||= isDamage(error);
      this.#release();
      throw new CacheLost("the session cache can no longer be read", { cause: error });
    }
  }

  #open(): IndexDatabase | undefined {
    const database = IndexDatabase.openExisting(this.#path, SESSION_TABLES);
    database?.exec("BEGIN");
    const writes = database ? writesIn(database) : NEVER;
    this.#writes ??= writes;
    if (writes === this.#writes) return database;
    database?.close();
    throw new Error("somebody else has written");
  }

  #release(): void {
    try {
      // A closed connection lives until its statements are collected, and its snapshot would block checkpoints.
      this.#database?.exec("ROLLBACK");
      this.#database?.close();
    } catch {
      // Failure is harmless here.
    }
    this.#database = undefined;
  }
}

function listingIn(database: IndexDatabase, agent: string): Listing | undefined {
  const row = database.get("SELECT listing FROM session_listing WHERE agent = ?", agent);
  return row && (JSON.parse(String(row["listing"])) as Listing);
}

function writesIn(database: IndexDatabase): number {
  return Number(database.get("SELECT count FROM session_write")?.["count"]);
}
