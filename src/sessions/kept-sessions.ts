/**
 * Heads, counts and sums of sessions, kept in the index database so that they need not be read again. A cache: whatever
 * is wrong with it (not there, damaged, locked, no space for it), answers are the same, only later.
 */
import { dirname, join } from "node:path";
import type { AgentEnv, SessionHead } from "../agents/adapter.ts";
import { acquireLock } from "../lib/process-lock.ts";
import { amuxHome } from "../lib/paths.ts";
import { ensurePrivateDirectory } from "../lib/private-directory.ts";
import type { Account } from "./cost/account.ts";
import { pack, unpack, type PackedSpending } from "./cost/spending.ts";
import { IndexDatabase, isDamage, setAside } from "./index-db/database.ts";
import { SESSION_TABLES } from "./index-db/session-tables.ts";
import { lockPath } from "./search/index-status.ts";

/** `use`: reads it. `fill`: also keeps what had to be read. `none`: as if it were not there. */
export type KeepMode = "use" | "fill" | "none";

export interface KeptHead {
  signature: string;
  /** Null: there is no conversation in the files. */
  head: SessionHead | null;
}

export interface KeptAccount {
  signature: string;
  prices: string;
  /** Paths and stamps of files of other sessions. */
  others: [path: string, stamp: string][];
  /** Null: there is no conversation in the files. */
  account: Omit<Account, "keys"> | null;
}

export interface KeptFork {
  signature: string;
  parent: string | null;
}

type Statement = [sql: string, ...values: (string | number | null)[]];

export class KeptSessions {
  readonly #path: string;
  readonly #mode: KeepMode;
  #database: IndexDatabase | undefined;
  #pending: Statement[] = [];

  constructor(env: AgentEnv, mode: KeepMode) {
    this.#path = join(amuxHome(env), "index.db");
    this.#mode = mode;
    if (mode !== "none") this.#database = IndexDatabase.openExisting(this.#path, SESSION_TABLES);
  }

  heads(agent: string): Map<string, KeptHead> {
    const rows = this.#rows("kept_head", ["session", "signature", "json(head)"], agent);
    return new Map(
      rows.map(([session, signature, head]) => [
        session as string,
        { signature: signature as string, head: head as SessionHead | null },
      ]),
    );
  }

  /** Ids of records by which other sessions' files may name the session. */
  titleKeys(agent: string): Map<string, string[]> {
    const rows = this.#rows("kept_head", ["session", "json(title_keys)"], agent, "AND title_keys IS NOT NULL");
    return new Map(rows as [string, string[]][]);
  }

  accounts(agent: string): Map<string, KeptAccount> {
    const columns = ["session", "signature", "prices", "json(others)", "json(head)", "messages", "turns"];
    const rows = this.#rows("kept_account", [...columns, "json(models)", "json(spending)"], agent);
    return new Map(
      rows.map(([session, signature, prices, others, head, messages, turns, models, spending]) => [
        session as string,
        {
          signature: signature as string,
          prices: prices as string,
          others: (others ?? []) as [string, string][],
          account:
            head === null
              ? null
              : {
                  head: head as SessionHead,
                  messageCount: messages as number,
                  turnCount: turns as number,
                  models: models as string[],
                  spending: unpack(spending as PackedSpending),
                },
        },
      ]),
    );
  }

  keys(agent: string): Map<string, Uint32Array> {
    const rows = this.#rows("kept_account", ["session", "keys"], agent) as [string, string][];
    return new Map(rows.map(([session, keys]) => [session, keysFrom(keys)]));
  }

  forks(agent: string): Map<string, KeptFork> {
    const rows = this.#rows("kept_fork", ["session", "signature", "parent"], agent) as [
      string,
      string,
      string | null,
    ][];
    return new Map(rows.map(([session, signature, parent]) => [session, { signature, parent }]));
  }

  #rows(table: string, columns: readonly string[], agent: string, condition = ""): unknown[][] {
    try {
      return this.#database?.table(`FROM ${table} WHERE agent = ? ${condition}`, columns, agent) ?? [];
    } catch {
      // Damaged or locked for good; the next writer sets it aside.
      this.#database = undefined;
      return [];
    }
  }

  putHead(agent: string, session: string, signature: string, head: SessionHead | undefined): void {
    const { titleKeys = null, ...rest } = head ?? {};
    this.#pending.push([
      "INSERT OR REPLACE INTO kept_head VALUES (?, ?, ?, ?, ?)",
      ...[agent, session, signature, head === undefined ? null : JSON.stringify(rest)],
      titleKeys === null ? null : JSON.stringify(titleKeys),
    ]);
  }

  putAccount(
    agent: string,
    session: string,
    { signature, prices, others }: Omit<KeptAccount, "account">,
    account: Account | null,
  ): void {
    const { head = null, messageCount = 0, turnCount = 0, models = [], spending = [], keys = NO_KEYS } = account ?? {};
    const { titleKeys: _, ...facts } = head ?? { titleKeys: [] };
    this.#pending.push([
      "INSERT OR REPLACE INTO kept_account VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
      ...[agent, session, signature, prices, others.length > 0 ? JSON.stringify(others) : null],
      ...[head === null ? null : JSON.stringify(facts), messageCount, turnCount, JSON.stringify(models)],
      ...[JSON.stringify(pack(spending)), keysText(keys)],
    ]);
  }

  putFork(agent: string, session: string, signature: string, parent: string | undefined): void {
    this.#pending.push([
      "INSERT OR REPLACE INTO kept_fork VALUES (?, ?, ?, ?)",
      agent,
      session,
      signature,
      parent ?? null,
    ]);
  }

  /** Of a session that is no more. */
  remove(agent: string, session: string): void {
    for (const table of ["kept_head", "kept_account", "kept_fork"])
      this.#pending.push([`DELETE FROM ${table} WHERE agent = ? AND session = ?`, agent, session]);
  }

  /** Keeps what was put, if somebody else is not just writing and there is space. */
  async close(): Promise<void> {
    const pending = this.#pending;
    this.#pending = [];
    closeQuietly(this.#database);
    this.#database = undefined;
    if (this.#mode !== "fill" || pending.length === 0) return;
    try {
      ensurePrivateDirectory(dirname(this.#path));
      const lock = acquireLock(lockPath(this.#path));
      if (lock === undefined) return;
      try {
        await this.#write(pending);
      } finally {
        lock.release();
      }
    } catch {
      // No space, no right to write, or damage that cannot be cured: then it is not kept.
    }
  }

  async #write(pending: readonly Statement[]): Promise<void> {
    try {
      await write(this.#path, pending);
    } catch (error) {
      if (!isDamage(error)) throw error;
      setAside(this.#path);
      await write(this.#path, pending);
    }
  }
}

async function write(path: string, pending: readonly Statement[]): Promise<void> {
  const database = IndexDatabase.openForWriting(path, [SESSION_TABLES]);
  try {
    await database.transaction(() => {
      for (const [sql, ...values] of pending) database.run(sql, ...values);
    });
  } finally {
    closeQuietly(database);
  }
}

function closeQuietly(database: IndexDatabase | undefined): void {
  try {
    database?.close();
  } catch {
    // Nothing depends on it any more.
  }
}

const NO_KEYS = new Uint32Array(0);

function keysText(keys: Uint32Array): string {
  return Buffer.from(keys.buffer, keys.byteOffset, keys.byteLength).toString("base64");
}

function keysFrom(text: string): Uint32Array {
  const bytes = Buffer.from(text, "base64");
  const keys = new Uint32Array(bytes.length >> 2);
  for (let i = 0; i < keys.length; i++) keys[i] = bytes.readUInt32LE(4 * i);
  return keys;
}
