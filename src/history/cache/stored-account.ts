/** Accounts as rows of the index database. */
import type { SessionHead } from "../../agents/adapter.ts";
import type { Account } from "../cost/account.ts";
import type { Spending } from "../cost/spending.ts";
import type { IndexDatabase, SqlValue } from "./database.ts";

/** What an account is valid for: these files, these prices, and these files of other sessions. */
export interface StoredAccount {
  stamp: string;
  prices: string;
  others: [path: string, stamp: string][];
  /** Null if the files hold no conversation. */
  account: Account | null;
}

/** In column order. */
export function accountValues({ stamp, prices, others, account }: StoredAccount): SqlValue[] {
  const { head, messageCount = 0, turnCount = 0, models = [], keys = [] } = account ?? {};
  return [
    stamp,
    prices,
    JSON.stringify(others),
    head === undefined ? null : JSON.stringify(head),
    account?.usageUnknown ? 1 : 0,
    messageCount,
    turnCount,
    JSON.stringify(models),
    JSON.stringify(account?.totals ?? []),
    JSON.stringify(account?.spending ?? []),
    JSON.stringify(keys),
  ];
}

/** The columns that every query needs. */
type Facts = [
  ...[id: string, stamp: string, prices: string, others: [string, string][], isThere: number],
  ...[isUnknown: number, messages: number, turns: number],
];

const FACTS = [
  ...["id", "stamp", "prices", "json(others)", "head IS NOT NULL"],
  ...["is_unknown", "messages", "turns"],
];

type Reading = <T>(work: (database: IndexDatabase) => T) => T;

/** By session id. Long columns are loaded on demand. */
export class StoredAccounts extends Map<string, StoredAccount> {
  readonly #columns: Columns | undefined;

  /** `read` runs a query on the snapshot of this call; it throws once the snapshot is gone. */
  constructor(from?: { database: IndexDatabase; agent: string; read: Reading }) {
    super();
    if (from === undefined) return;
    const { database, agent, read } = from;
    const column = <T>(name: string): Column<T> => new Column<T>(agent, name, read);
    const columns: Columns = {
      head: column("head"),
      models: column("models"),
      totals: column("totals"),
      spending: column("spending"),
      keys: column("keys"),
    };
    this.#columns = columns;
    for (const facts of database.table(`FROM ${TABLE} WHERE agent = ?`, FACTS, agent) as Facts[])
      this.set(facts[0], new StoredRow(facts, columns));
  }

  /** These sessions, or all, are asked for next, so that a column of theirs is loaded at once. */
  expect(ids: "all" | readonly string[]): void {
    for (const column of Object.values(this.#columns ?? {})) (column as Column<unknown>).expected = ids;
  }
}

const TABLE = "session_account";

interface Columns {
  head: Column<SessionHead>;
  models: Column<string[]>;
  totals: Column<Spending[]>;
  spending: Column<Spending[]>;
  keys: Column<number[]>;
}

class StoredRow implements StoredAccount, Account {
  readonly #facts: Facts;
  readonly #columns: Columns;

  constructor(facts: Facts, columns: Columns) {
    this.#facts = facts;
    this.#columns = columns;
  }

  get stamp(): string {
    return this.#facts[1];
  }

  get prices(): string {
    return this.#facts[2];
  }

  get others(): [string, string][] {
    return this.#facts[3];
  }

  get account(): Account | null {
    return this.#facts[4] === 1 ? this : null;
  }

  get usageUnknown(): boolean {
    return this.#facts[5] === 1;
  }

  get messageCount(): number {
    return this.#facts[6];
  }

  get turnCount(): number {
    return this.#facts[7];
  }

  get totals(): Spending[] {
    return this.#columns.totals.of(this.#facts);
  }

  get head(): SessionHead {
    return this.#columns.head.of(this.#facts);
  }

  get models(): string[] {
    return this.#columns.models.of(this.#facts);
  }

  get spending(): Spending[] {
    return this.#columns.spending.of(this.#facts);
  }

  get keys(): number[] {
    return this.#columns.keys.of(this.#facts);
  }
}

/** A long JSON column. */
class Column<Value> {
  expected: "all" | readonly string[] = [];
  readonly #agent: string;
  readonly #name: string;
  readonly #read: Reading;
  readonly #loaded = new Map<string, Entry<Value>>();

  constructor(agent: string, name: string, read: Reading) {
    this.#agent = agent;
    this.#name = name;
    this.#read = read;
  }

  /** The account must not have changed since. */
  of([id, stamp]: Facts): Value {
    if (!this.#loaded.has(id)) this.#read((database) => this.#load(database, id));
    const entry = this.#loaded.get(id);
    return entry?.[1] === stamp ? entry[2] : this.#read(isAnother);
  }

  #load(database: IndexDatabase, id: string): void {
    const columns = ["id", "stamp", `json(${this.#name})`];
    const select = `FROM ${TABLE} WHERE agent = ?`;
    const some = `${select} AND id IN (SELECT value FROM json_each(?))`;
    const rows =
      this.expected === "all"
        ? database.table(select, columns, this.#agent)
        : database.table(some, columns, this.#agent, JSON.stringify([id, ...this.expected]));
    for (const row of rows as Entry<Value>[]) this.#loaded.set(row[0], row);
  }
}

function isAnother(): never {
  throw new Error("the session was counted again");
}

type Entry<Value> = [id: string, stamp: string, value: Value];
