/** Accounts as rows of the index database. */
import type { SessionHead } from "../../agents/adapter.ts";
import type { Account } from "../cost/account.ts";
import type { Spending } from "../cost/spending.ts";
import type { IndexDatabase, Row, SqlValue } from "../index-db/database.ts";

/** What an account holds for: files and prices as they were, and files of other sessions it was read from. */
export interface KeptAccount {
  stamp: string;
  prices: string;
  others: [path: string, stamp: string][];
  /** Null: there is no conversation in the files. */
  account: Account | null;
}

/** In the order of the columns. */
export function accountValues({ stamp, prices, others, account }: KeptAccount): SqlValue[] {
  const { head, isCounted, messageCount = 0, turnCount = 0, models = [], keys = NO_KEYS } = account ?? {};
  return [
    stamp,
    prices,
    JSON.stringify(others),
    head === undefined ? null : JSON.stringify(head),
    isCounted ? 1 : 0,
    account?.usageUnknown ? 1 : 0,
    messageCount,
    turnCount,
    JSON.stringify(models),
    JSON.stringify(account?.spending ?? []),
    JSON.stringify(account?.totals ?? []),
    new Uint8Array(keys.buffer, keys.byteOffset, keys.byteLength),
  ];
}

/** What every question about accounts needs of them. */
type Facts = [
  ...[id: string, stamp: string, prices: string, others: [string, string][], isThere: number],
  ...[isCounted: number, isUnknown: number, messages: number, turns: number, totals: Spending[]],
];

const FACTS = [
  ...["id", "stamp", "prices", "json(others)", "head IS NOT NULL"],
  ...["is_counted", "is_unknown", "messages", "turns", "json(totals)"],
];

type Reading = <T>(work: (database: IndexDatabase) => T) => T;

/** `read`: runs something on the database as it was when this was called; throws where that cannot be had any more. */
export function accountsIn(database: IndexDatabase, agent: string, read: Reading): Map<string, KeptAccount> {
  const columns = { head: new Column(agent, "head", read), models: new Column(agent, "models", read) };
  const more = { ...columns, spending: new Column(agent, "spending", read), keys: new Column(agent, "keys", read) };
  const rows = database.table(`FROM ${TABLE} WHERE agent = ?`, FACTS, agent) as Facts[];
  return new Map(
    rows.map((facts) => {
      const [id, stamp, prices, others, isThere] = facts;
      return [id, { stamp, prices, others, account: isThere === 1 ? new StoredAccount(facts, more) : null }];
    }),
  );
}

const TABLE = "session_account";

type Columns = Record<"head" | "models" | "spending" | "keys", Column>;

class StoredAccount implements Account {
  readonly #facts: Facts;
  readonly #columns: Columns;

  constructor(facts: Facts, columns: Columns) {
    this.#facts = facts;
    this.#columns = columns;
  }

  get isCounted(): boolean {
    return this.#facts[5] === 1;
  }

  get usageUnknown(): boolean {
    return this.#facts[6] === 1;
  }

  get messageCount(): number {
    return this.#facts[7];
  }

  get turnCount(): number {
    return this.#facts[8];
  }

  get totals(): Spending[] {
    return this.#facts[9];
  }

  get head(): SessionHead {
    return this.#json("head") as SessionHead;
  }

  get models(): string[] {
    return this.#json("models") as string[];
  }

  get spending(): Spending[] {
    return this.#json("spending") as Spending[];
  }

  get keys(): Uint32Array {
    const { buffer, byteOffset, length } = (this.#columns.keys.of(this.#facts) as Uint8Array).slice();
    return new Uint32Array(buffer, byteOffset, length >> 2);
  }

  #json(column: keyof Columns): unknown {
    return JSON.parse(this.#columns[column].of(this.#facts) as string);
  }
}

/** A long column of an agent's accounts: single ones are looked up, of many all are read at once. */
class Column {
  readonly #agent: string;
  readonly #name: string;
  readonly #read: Reading;
  #asked = 0;
  #all: Map<unknown, Row> | undefined;

  constructor(agent: string, name: string, read: Reading) {
    this.#agent = agent;
    this.#name = name;
    this.#read = read;
  }

  /** Of an account that is still the same. */
  of([id, stamp]: Facts): unknown {
    const [agent, name] = [this.#agent, this.#name];
    const select = `SELECT id, stamp, ${name} FROM ${TABLE} WHERE agent = ?`;
    if (this.#all === undefined && this.#asked++ >= FEW)
      this.#all = this.#read((database) => new Map(database.all(select, agent).map((row) => [row["id"], row])));
    return this.#read((database) => {
      const row = this.#all ? this.#all.get(id) : database.get(`${select} AND id = ?`, agent, id);
      if (row?.["stamp"] !== stamp) throw new Error("the session was counted anew");
      return row[name];
    });
  }
}

const FEW = 200;

const NO_KEYS = new Uint32Array(0);
