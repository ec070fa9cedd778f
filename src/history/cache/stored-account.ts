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

/** `read` runs a query on the snapshot of this call; it throws once the snapshot is gone. */
export function accountsIn(database: IndexDatabase, agent: string, read: Reading): Map<string, StoredAccount> {
  const column = <T>(name: string): Column<T> => new Column<T>(agent, name, read);
  const columns: Columns = {
    head: column("head"),
    models: column("models"),
    totals: column("totals"),
    spending: column("spending"),
    keys: column("keys"),
  };
  const rows = database.table(`FROM ${TABLE} WHERE agent = ?`, FACTS, agent) as Facts[];
  return new Map(
    rows.map((facts) => {
      const [id, stamp, prices, others, isThere] = facts;
      return [id, { stamp, prices, others, account: isThere === 1 ? new AccountOfRow(facts, columns) : null }];
    }),
  );
}

const TABLE = "session_account";

interface Columns {
  head: Column<SessionHead>;
  models: Column<string[]>;
  totals: Column<Spending[]>;
  spending: Column<Spending[]>;
  keys: Column<number[]>;
}

class AccountOfRow implements Account {
  readonly #facts: Facts;
  readonly #columns: Columns;

  constructor(facts: Facts, columns: Columns) {
    this.#facts = facts;
    this.#columns = columns;
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

/** A long JSON column. Single values are queried one by one; many are loaded at once. */
class Column<Value> {
  readonly #agent: string;
  readonly #name: string;
  readonly #read: Reading;
  #asked = 0;
  #all: Map<string, Entry<Value>> | undefined;

  constructor(agent: string, name: string, read: Reading) {
    this.#agent = agent;
    this.#name = name;
    this.#read = read;
  }

  /** The account must not have changed since. */
  of([id, stamp]: Facts): Value {
    const entry = this.#all?.get(id) ?? this.#read((database) => this.#find(database, id, stamp));
    return entry[1] === stamp ? entry[2] : this.#read(isAnother);
  }

  #find(database: IndexDatabase, id: string, stamp: string): Entry<Value> {
    const columns = ["id", "stamp", `json(${this.#name})`];
    const select = `FROM ${TABLE} WHERE agent = ?`;
    if (this.#all === undefined && this.#asked++ >= FEW) {
      const rows = database.table(select, columns, this.#agent) as Entry<Value>[];
      this.#all = new Map(rows.map((row) => [row[0], row]));
    }
    const single = (): unknown[][] => database.table(`${select} AND id = ?`, columns, this.#agent, id);
    const entry = this.#all ? this.#all.get(id) : (single()[0] as Entry<Value> | undefined);
    return entry?.[1] === stamp ? entry : isAnother();
  }
}

function isAnother(): never {
  throw new Error("the session was counted again");
}

type Entry<Value> = [id: string, stamp: string, value: Value];

const FEW = 200;
