/**
 * Accounts of an agent's sessions: cached ones that are still valid, and new ones for the rest. A stale session is read together
 * with every session that can hold copies of its requests, because ownership of a request may have changed.
 */
import type { SessionBill, SessionTally } from "../agents/adapter.ts";
import type { PriceTable } from "../models/price-table.ts";
import type { CatalogPart, CountedSessions } from "./catalog-entry.ts";
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

  /** Reads every session that is not cached and has a readable conversation. Not all of them are counted. */
  async readAll(): Promise<void> {
    await this.#read(this.missing(), true);
  }

  /** Sessions that must be read first. */
  missing(): string[] {
    this.#load();
    return this.#catalog.ids().filter((id) => !this.#known.has(id));
  }

  /** Every known session with a conversation. */
  *all(): Generator<[id: string, account: Account]> {
    for (const [id, account] of this.#known) if (account) yield [id, account];
  }

  /** A known session. */
  get(id: string): Account | undefined {
    return this.#known.get(id) ?? undefined;
  }

  /** The accounts of these sessions, counted. Does not include the sessions that had to be read along with them. */
  async of(ids: Iterable<string>): Promise<Map<string, Account>> {
    this.#load();
    const wanted = [...ids];
    const missing = wanted.filter((id) => !this.#isCounted(id));
    if (missing.length > 0) {
      const relatives = (await this.#catalog.related()).relatives(missing);
      await this.#read(
        [...relatives].filter((id) => this.#catalog.source(id) !== undefined),
        false,
      );
    }
    // A session that could not be counted may have been billed before; its head then has no title.
    return this.#answer(wanted.filter((id) => this.#isCounted(id)));
  }

  /** The single requests of these sessions. */
  async entries(ids: readonly string[]): Promise<LedgerEntry[]> {
    const copies = this.#sharing(this.#answer(ids).values());
    const tallies = await this.#catalog.readAll([...new Set([...ids, ...copies])]);
    const wanted = new Set(ids);
    const { entries } = settle(this.#agent, withoutNull(tallies), this.#prices);
    return entries.filter((entry) => wanted.has(entry.sessionId));
  }

  #answer(ids: readonly string[]): Map<string, Account> {
    const answer = new Map<string, Account>();
    for (const id of ids) {
      const account = this.#known.get(id);
      if (account) answer.set(id, account);
    }
    return answer;
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
  #sharing(accounts: Iterable<Pick<Account, "keys"> | null>): Set<string> {
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

  /** The counts are known too, or there is nothing to count. */
  #isCounted(id: string): boolean {
    const account = this.#known.get(id);
    return account === undefined ? false : (account?.isCounted ?? true);
  }

  async #read(ids: readonly string[], onlyBilled: boolean): Promise<void> {
    if (ids.length === 0) return;
    const read = await this.#catalog.countAll(ids, onlyBilled);
    if (this.#known.size > 0) {
      const copies = this.#sharing(Array.from(read.sessions.values(), ({ usage }) => ({ keys: keysOf(usage) })));
      for (const id of ids) copies.delete(id);
      const more = copies.size > 0 ? await this.#catalog.countAll([...copies], onlyBilled) : undefined;
      for (const [id, session] of more?.sessions ?? []) read.sessions.set(id, session);
      for (const id of more?.empty ?? []) read.empty.push(id);
    }
    const accounts = accountsOf(read.sessions, this.#prices);
    for (const [id, account] of accounts) this.#known.set(id, account);
    for (const id of read.empty) this.#known.set(id, null);
    if (this.#kept) this.#keep(read, this.#kept);
  }

  #keep({ sessions, empty }: CountedSessions, kept: SessionCache): void {
    const rows = new Map<string, StoredAccount>();
    const passing: string[] = [];
    for (const id of [...sessions.keys(), ...empty]) {
      const row = this.#rowOf(id, sessions.get(id));
      if (row) rows.set(id, row);
      else passing.push(id);
    }
    // A session that is not cached cannot invalidate the sessions it shares requests with, so those are not cached either.
    for (const id of this.#sharing(this.#answer(passing).values())) {
      rows.delete(id);
      if (kept.accounts(this.#agent).has(id)) kept.removeAccount(this.#agent, id);
    }
    for (const [id, row] of rows) kept.putAccount(this.#agent, id, row);
  }

  /** Undefined if its validity cannot be checked later. */
  #rowOf(id: string, counts: SessionBill | undefined): StoredAccount | undefined {
    if (!isSettled(this.#catalog.source(id)!) || counts?.head.volatile || counts?.origins?.incomplete) return undefined;
    const others = this.#stampsOf(counts?.origins?.files ?? []);
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
