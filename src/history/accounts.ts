/**
 * Accounts of an agent's sessions: cached ones that are still valid, and new ones for the rest. A stale session is read together
 * with every session that can hold copies of its requests, because ownership of a request may have changed.
 */
import type { SessionTally } from "../agents/adapter.ts";
import type { PriceTable } from "../models/price-table.ts";
import type { CatalogPart } from "./catalog-entry.ts";
import type { RelatedSessions } from "./related-sessions.ts";
import { accountsOf, keysOf, type Account } from "./cost/account.ts";
import { settle, type LedgerEntry } from "./cost/ledger.ts";
import type { SessionCache } from "./cache/session-cache.ts";
import type { StoredAccount } from "./cache/stored-account.ts";
import { isSettled } from "./cache/signature.ts";

export class Accounts {
  readonly #catalog: CatalogPart & { related(): Promise<RelatedSessions> };
  readonly #kept: SessionCache | undefined;
  readonly #prices: PriceTable;
  readonly #agent: string;
  /** Null: there is no conversation. */
  readonly #known = new Map<string, Account | null>();
  #isLoaded = false;

  constructor(
    catalog: CatalogPart & { related(): Promise<RelatedSessions> },
    kept: SessionCache | undefined,
    prices: PriceTable,
  ) {
    this.#catalog = catalog;
    this.#kept = kept;
    this.#prices = prices;
    this.#agent = catalog.adapter.name;
  }

  /** Reads every session that is not cached. */
  async readAll(): Promise<void> {
    this.#load();
    await this.#read(this.#catalog.ids().filter((id) => !this.#known.has(id)));
    this.#kept?.accounts(this.#agent).expect("all");
  }

  /** Every known session with a conversation. */
  *all(): Generator<[id: string, account: Account]> {
    for (const [id, account] of this.#known) if (account) yield [id, account];
  }

  /** A known session. */
  get(id: string): Account | undefined {
    return this.#known.get(id) ?? undefined;
  }

  /** Reads these sessions unless they are known. */
  async know(ids: readonly string[]): Promise<void> {
    this.#load();
    const missing = ids.filter((id) => !this.#known.has(id));
    if (missing.length > 0) {
      const relatives = (await this.#catalog.related()).relatives(missing);
      await this.#read([...relatives].filter((id) => this.#catalog.source(id) !== undefined));
    }
    this.#kept?.accounts(this.#agent).expect(ids);
  }

  /** The single requests of these sessions. */
  async entries(ids: readonly string[]): Promise<LedgerEntry[]> {
    const copies = this.#sharing(ids.map((id) => this.get(id)));
    const tallies = await this.#catalog.readAll([...new Set([...ids, ...copies])]);
    const wanted = new Set(ids);
    const { entries } = settle(this.#agent, withoutNull(tallies), this.#prices);
    return entries.filter((entry) => wanted.has(entry.sessionId));
  }

  /** Loads every cached account that is still valid. */
  #load(): void {
    if (this.#isLoaded) return;
    this.#isLoaded = true;
    const changed = new Map<string, StoredAccount>();
    for (const [id, row] of this.#kept?.accounts(this.#agent) ?? []) {
      if (this.#holds(id, row)) this.#known.set(id, row.account);
      else changed.set(id, row);
    }
    if (changed.size === 0) return;
    // Sessions that shared a request with a changed or deleted session.
    const sharing = this.#sharing([...changed.values()].map(({ account }) => account));
    for (const id of sharing) this.#known.delete(id);
    // Sessions of this group that are not read now become invalid once the others are read.
    for (const id of [...changed.keys(), ...sharing]) this.#kept?.removeAccount(this.#agent, id);
    for (const id of changed.keys()) if (this.#catalog.source(id) === undefined) this.#kept?.remove(this.#agent, id);
  }

  #holds(id: string, row: StoredAccount): boolean {
    return (
      this.#catalog.signature(id) === row.stamp &&
      row.prices === this.#prices.digest &&
      row.others.every(([path, stamp]) => this.#catalog.stampOf(path) === stamp)
    );
  }

  /** Known sessions that share a request with one of these accounts, transitively. */
  #sharing(accounts: Iterable<Pick<Account, "keys"> | null | undefined>): Set<string> {
    this.#kept?.accounts(this.#agent).expect("all");
    const keys = new Set<number>();
    for (const account of accounts) for (const key of account?.keys ?? []) keys.add(key);
    const found = new Set<string>();
    for (let isGrowing = keys.size > 0; isGrowing;) {
      isGrowing = false;
      for (const [id, account] of this.#known) {
        if (account === null || found.has(id)) continue;
        const own = account.keys;
        if (!own.some((key) => keys.has(key))) continue;
        found.add(id);
        for (const key of own) keys.add(key);
        isGrowing = true;
      }
    }
    return found;
  }

  async #read(ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    const read = await this.#catalog.readAll(ids);
    if (this.#known.size > 0) {
      const copies = this.#sharing(Array.from(read.values(), (tally) => ({ keys: keysOf(tally?.usage ?? []) })));
      for (const id of ids) copies.delete(id);
      for (const [id, tally] of await this.#catalog.readAll([...copies])) read.set(id, tally);
    }
    const accounts = accountsOf(withoutNull(read), this.#prices);
    for (const id of read.keys()) this.#known.set(id, accounts.get(id) ?? null);
    if (this.#kept) this.#keep(read, this.#kept);
  }

  #keep(read: ReadonlyMap<string, SessionTally | null>, kept: SessionCache): void {
    const rows = new Map<string, StoredAccount>();
    const passing: string[] = [];
    for (const [id, tally] of read) {
      const row = this.#rowOf(id, tally);
      if (row) rows.set(id, row);
      else passing.push(id);
    }
    // A session that is not cached cannot invalidate the sessions it shares requests with, so those are not cached either.
    for (const id of this.#sharing(passing.map((id) => this.get(id)))) {
      rows.delete(id);
      if (kept.accounts(this.#agent).has(id)) kept.removeAccount(this.#agent, id);
    }
    for (const [id, row] of rows) kept.putAccount(this.#agent, id, row);
  }

  /** Undefined if its validity cannot be checked later. */
  #rowOf(id: string, counts: SessionTally | null): StoredAccount | undefined {
    const { head, origins } = counts ?? {};
    if (!isSettled(this.#catalog.source(id)!) || origins?.incomplete || (head?.volatile && !origins)) return undefined;
    const others = this.#stampsOf(origins?.files ?? []);
    if (others === undefined) return undefined;
    const account = this.#known.get(id) ?? null;
    return { stamp: this.#catalog.signature(id)!, prices: this.#prices.digest, others, account };
  }

  /** Undefined if one of the files no longer belongs to a session. */
  #stampsOf(paths: readonly string[]): [string, string][] | undefined {
    const stamps = paths.map((path) => [path, this.#catalog.stampOf(path)] as const);
    return stamps.some(([, stamp]) => stamp === undefined) ? undefined : (stamps as [string, string][]);
  }
}

function withoutNull(tallies: ReadonlyMap<string, SessionTally | null>): Map<string, SessionTally> {
  return new Map([...tallies].filter((entry): entry is [string, SessionTally] => entry[1] !== null));
}
