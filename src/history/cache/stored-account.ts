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

const TABLE = "session_account";

/** The columns that every query needs; the others are long. */
const FACTS = [
  ...["id", "stamp", "prices", "json(others)", "head IS NOT NULL"],
  ...["is_unknown", "messages", "turns"],
];
type Facts = [
  ...[id: string, stamp: string, prices: string, others: [string, string][], isThere: number],
  ...[isUnknown: number, messages: number, turns: number],
];

type Reading = <T>(work: (database: IndexDatabase) => T) => T;

/** By session id. */
export class StoredAccounts extends Map<string, StoredAccount> {
  readonly #columns: LongColumns | undefined;

  /** `read` runs a query on the snapshot of this call; it throws once the snapshot is gone. */
  constructor(from?: { database: IndexDatabase; agent: string; read: Reading }) {
    super();
    if (from === undefined) return;
    const { database, agent, read } = from;
    const columns = (this.#columns = new LongColumns(agent, read));
    for (const facts of database.table(`FROM ${TABLE} WHERE agent = ?`, FACTS, agent) as Facts[])
      this.set(facts[0], new StoredRow(facts, columns));
  }

  /** These sessions, or all, are asked for next. */
  expect(ids: "all" | readonly string[]): void {
    if (this.#columns) this.#columns.expected = ids !== "all" && ids.length <= this.size / 2 ? ids : "all";
  }
}

class StoredRow implements StoredAccount, Account {
  readonly id: string;
  readonly stamp: string;
  readonly prices: string;
  readonly others: [string, string][];
  readonly account: Account | null;
  readonly usageUnknown: boolean;
  readonly messageCount: number;
  readonly turnCount: number;
  readonly #columns: LongColumns;

  constructor(facts: Facts, columns: LongColumns) {
    let [isThere, isUnknown] = [0, 0];
    [this.id, this.stamp, this.prices, this.others, isThere, isUnknown, this.messageCount, this.turnCount] = facts;
    this.account = isThere === 1 ? this : null;
    this.usageUnknown = isUnknown === 1;
    this.#columns = columns;
  }

  get totals(): Spending[] {
    return this.#columns.value("totals", this);
  }

  get head(): SessionHead {
    return this.#columns.value("head", this);
  }

  get models(): string[] {
    return this.#columns.value("models", this);
  }

  get spending(): Spending[] {
    return this.#columns.value("spending", this);
  }

  get keys(): number[] {
    return this.#columns.value("keys", this);
  }
}

type Entry = [id: string, stamp: string, value: unknown];

/** JSON columns, loaded on demand, for all expected sessions at once. */
class LongColumns {
  expected: "all" | readonly string[] = [];
  readonly #agent: string;
  readonly #read: Reading;
  readonly #loaded = new Map<string, Map<string, Entry>>();

  constructor(agent: string, read: Reading) {
    this.#agent = agent;
    this.#read = read;
  }

  /** The account must not have changed since. */
  value<Value>(column: string, { id, stamp }: StoredRow): Value {
    let entries = this.#loaded.get(column);
    if (entries === undefined) this.#loaded.set(column, (entries = new Map()));
    if (!entries.has(id)) for (const entry of this.#load(column, id)) entries.set(entry[0], entry);
    const entry = entries.get(id);
    return entry?.[1] === stamp ? (entry[2] as Value) : this.#read(isAnother);
  }

  #load(column: string, id: string): Entry[] {
    const isAll = this.expected === "all";
    const select = `FROM ${TABLE} WHERE agent = ?${isAll ? "" : " AND id IN (SELECT value FROM json_each(?))"}`;
    const values = isAll ? [this.#agent] : [this.#agent, JSON.stringify([id, ...this.expected])];
    const columns = ["id", "stamp", `json(${column})`];
    return this.#read((database) => database.table(select, columns, ...values)) as Entry[];
  }
}

function isAnother(): never {
  throw new Error("the session was counted again");
}
