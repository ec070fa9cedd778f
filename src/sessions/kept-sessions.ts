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
  /** Rows that hold by themselves. */
  #pending: Statement[] = [];
  /** Accounts, which hold only together with the others of the generation they were made from. */
  #pendingAccounts: Statement[] = [];
  readonly #generation: number;

  constructor(env: AgentEnv, mode: KeepMode) {
    this.#path = join(amuxHome(env), "index.db");
    this.#mode = mode;
    if (mode !== "none") this.#database = IndexDatabase.openExisting(this.#path, SESSION_TABLES);
    this.#generation = this.#ask(generationOf) ?? 0;
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
    return this.#ask((database) => database.table(`FROM ${table} WHERE agent = ? ${condition}`, columns, agent)) ?? [];
  }

  #ask<T>(question: (database: IndexDatabase) => T): T | undefined {
    try {
      return this.#database && question(this.#database);
    } catch {
      // Damaged or locked for good; the next writer sets it aside.
      closeQuietly(this.#database);
      this.#database = undefined;
      return undefined;
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
    this.#pendingAccounts.push([
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
    for (const table of ["kept_head", "kept_fork"])
      this.#pending.push([`DELETE FROM ${table} WHERE agent = ? AND session = ?`, agent, session]);
    this.removeAccount(agent, session);
  }

  removeAccount(agent: string, session: string): void {
    this.#pendingAccounts.push(["DELETE FROM kept_account WHERE agent = ? AND session = ?", agent, session]);
  }

  /** Keeps what was put, if somebody else is not just writing and there is space. */
  async close(): Promise<void> {
    const [pending, accounts] = [this.#pending, this.#pendingAccounts];
    [this.#pending, this.#pendingAccounts] = [[], []];
    closeQuietly(this.#database);
    this.#database = undefined;
    if (this.#mode !== "fill" || pending.length + accounts.length === 0) return;
    try {
      ensurePrivateDirectory(dirname(this.#path));
      const lock = acquireLock(lockPath(this.#path));
      if (lock === undefined) return;
      try {
        await this.#write(pending, accounts);
      } finally {
        lock.release();
      }
    } catch {
      // No space, no right to write, or damage that cannot be cured: then it is not kept.
    }
  }

  async #write(pending: readonly Statement[], accounts: readonly Statement[]): Promise<void> {
    try {
      await this.#writeOnce(pending, accounts);
    } catch (error) {
      if (!isDamage(error)) throw error;
      setAside(this.#path);
      await this.#writeOnce(pending, accounts);
    }
  }

  async #writeOnce(pending: readonly Statement[], accounts: readonly Statement[]): Promise<void> {
    const database = IndexDatabase.openForWriting(this.#path, [SESSION_TABLES]);
    const run = ([sql, ...values]: Statement): void => database.run(sql, ...values);
    try {
      await database.transaction(() => {
        pending.forEach(run);
        if (accounts.length === 0 || generationOf(database) !== this.#generation) return;
        accounts.forEach(run);
        run(["UPDATE kept_generation SET number = number + 1"]);
      });
    } finally {
      closeQuietly(database);
    }
  }
}

function generationOf(database: IndexDatabase): number {
  return Number(database.get("SELECT number FROM kept_generation")?.["number"]);
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
  new Uint8Array(keys.buffer).set(bytes.subarray(0, keys.byteLength));
  return keys;
}
