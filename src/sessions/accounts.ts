/**
 * Accounts of an agent's sessions: those that are kept and still hold, and for the others the sessions are read,
 * together with all that can hold copies of their requests. A session whose own files did not change is read again when
 * one of those that share requests with it changed, came or went: it may own more or less of them now.
 */
import type { SessionBill, SessionTally } from "../agents/adapter.ts";
import type { PriceTable } from "../models/price-table.ts";
import type { Catalog } from "./catalog.ts";
import { accountsOf, keyNumber, type Account } from "./cost/account.ts";
import { settle, type LedgerEntry } from "./cost/ledger.ts";
import { FileStamps, stampedFiles } from "./file-stamps.ts";
import type { KeptAccount } from "./kept-accounts.ts";
import type { KeptSessions } from "./kept-sessions.ts";
import { KeySieve } from "./key-sieve.ts";
import { SourceOnFile, SourcesOnFile } from "./kept-sources.ts";
import { KnownAccounts, type Spent } from "./known-accounts.ts";
import { isSettled } from "./search/signature.ts";

export class Accounts {
  readonly #catalog: Catalog;
  readonly #kept: KeptSessions | undefined;
  readonly #prices: PriceTable;
  readonly #agent: string;
  readonly #known = new KnownAccounts();
  /** Of sessions that were read. */
  readonly #newKeys = new Map<string, Uint32Array>();
  #isLoaded = false;

  constructor(catalog: Catalog, kept: KeptSessions | undefined, prices: PriceTable) {
    this.#catalog = catalog;
    this.#kept = kept;
    this.#prices = prices;
    this.#agent = catalog.adapter.name;
  }

  /** Reads what must be read for every session that has a conversation and can be read to be known; not all are counted. */
  async readAll(): Promise<void> {
    await this.#read(this.missing(), true);
  }

  /** Sessions that have to be read before all are known. */
  missing(): string[] {
    this.#load();
    return this.#known.missing(() => this.#catalog.ids());
  }

  /** Of every session that is known and has a conversation. */
  *all(): Generator<[id: string, account: Account]> {
    for (const [id, account] of this.#known) if (account) yield [id, account];
  }

  /** The same for whoever only adds up what they spent. */
  spent(): Spent {
    return this.#known.spent();
  }

  /** Of a session that is known. */
  get(id: string): Account | undefined {
    return this.#known.get(id) ?? undefined;
  }

  /** Counts every session, for whoever is going to ask for all of them: then their heads need not be read before. */
  async countAll(): Promise<void> {
    this.#load();
    await this.#read(
      this.#catalog.ids().filter((id) => !this.#isCounted(id)),
      false,
    );
    this.#catalog.adoptHeads(this.#known);
  }

  /** Of these, counted. What else must be read for them is not told. */
  async of(ids: Iterable<string>): Promise<Map<string, Account>> {
    this.#load();
    const wanted = [...ids];
    const missing = wanted.filter((id) => !this.#isCounted(id));
    if (missing.length > 0) {
      const relatives = (await this.#catalog.kin()).relatives(missing);
      await this.#read(
        [...relatives].filter((id) => this.#catalog.source(id) !== undefined),
        false,
      );
    }
    return this.#answer(wanted);
  }

  /** The single requests of these sessions. */
  async entries(ids: readonly string[]): Promise<LedgerEntry[]> {
    const copies = this.#sharing(this.#keysOf(ids));
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

  /** Takes from what is kept whatever still holds. */
  #load(): void {
    if (this.#isLoaded) return;
    this.#isLoaded = true;
    const changed: string[] = [];
    for (const [id, row] of this.#inDoubt()) {
      if (!row) continue;
      if (this.#holds(id, row)) this.#known.set(id, row.account);
      else {
        changed.push(id);
        if (this.#catalog.source(id) === undefined) this.#kept?.remove(this.#agent, id);
      }
    }
    if (changed.length === 0) return;
    // Whoever shared a request with a session that changed or went.
    const sharing = this.#sharing(this.#keysOf(changed));
    for (const id of sharing) this.#known.delete(id);
    // Whichever of them are not read now must not be taken to hold once the others are.
    for (const id of [...changed, ...sharing]) this.#kept?.removeAccount(this.#agent, id);
  }

  /** What is kept, but for what holds without being looked at one by one, which is taken at once. */
  *#inDoubt(): Generator<[id: string, row: KeptAccount | null | undefined]> {
    const kept = this.#kept?.accounts(this.#agent);
    if (kept === undefined) return;
    const { listed } = this.#catalog;
    const same = listed instanceof SourcesOnFile ? kept.of(listed, this.#prices.digest) : undefined;
    if (same === undefined) return void (yield* kept);
    this.#known.take(same.segment, same.doubtful);
    for (const index of same.doubtful) {
      const id = same.segment.ids.all[index]!;
      yield [id, kept.get(id)];
    }
  }

  #holds(id: string, row: KeptAccount): boolean {
    const source = this.#catalog.source(id);
    return (
      source !== undefined &&
      (source instanceof SourceOnFile ? source.isAs(row.files) : row.files.match(stampedFiles(source))) &&
      row.prices === this.#prices.digest &&
      row.others.every(([path, stamp]) => this.#catalog.stampOf(path) === stamp)
    );
  }

  /** Of some sessions, as they were read or kept. */
  #keysOf(ids: readonly string[]): Set<number> {
    const kept = this.#kept?.accounts(this.#agent);
    const keys = new Set<number>();
    for (const id of ids) for (const key of this.#newKeys.get(id) ?? kept?.get(id)?.account?.keys ?? []) keys.add(key);
    return keys;
  }

  /** Known sessions with one of these keys, or with one of the keys of those, and so on. */
  #sharing(keys: Set<number>): Set<string> {
    const found = new Set<string>();
    if (keys.size === 0) return found;
    const kept = this.#kept?.accounts(this.#agent);
    const columns = kept?.keyColumns ?? [];
    const sieve = new KeySieve(keys);
    // Hardly any has one: what is looked up by an id comes last.
    const see = (id: string, keysOf: () => Uint32Array): boolean => {
      if (found.has(id) || !this.#known.has(id)) return false;
      found.add(id);
      sieve.add(keysOf());
      return true;
    };
    for (let isGrowing = true; isGrowing;) {
      isGrowing = false;
      for (const column of columns) {
        for (const id of column.sessionsWith(sieve)) {
          const account = this.#newKeys.has(id) ? undefined : kept?.get(id)?.account;
          if (account?.hasKeyIn(sieve) && see(id, () => account.keys)) isGrowing = true;
        }
      }
      for (const [id, own] of this.#newKeys) if (sieve.hasOneOf(own) && see(id, () => own)) isGrowing = true;
    }
    return found;
  }

  /** Counts are known as well, or there is nothing to count. */
  #isCounted(id: string): boolean {
    const account = this.#known.get(id);
    return account === undefined ? false : (account?.isCounted ?? true);
  }

  async #read(ids: readonly string[], onlyBilled: boolean): Promise<void> {
    if (ids.length === 0) return;
    const read = await this.#catalog.countAll(ids, onlyBilled);
    if (!this.#known.isEmpty) {
      const keys = new Set<number>();
      for (const { usage } of read.sessions.values()) for (const { key } of usage) keys.add(keyNumber(key));
      const copies = this.#sharing(keys);
      for (const id of ids) copies.delete(id);
      const more = copies.size > 0 ? await this.#catalog.countAll([...copies], onlyBilled) : undefined;
      for (const [id, session] of more?.sessions ?? []) read.sessions.set(id, session);
      read.empty.push(...(more?.empty ?? []));
    }
    const accounts = accountsOf(read.sessions, this.#prices);
    for (const [id, session] of read.sessions) this.#keep(id, session, accounts.get(id)!);
    for (const id of read.empty) this.#keep(id, undefined, undefined);
  }

  #keep(id: string, counts: SessionBill | undefined, account: Account | undefined): void {
    this.#known.set(id, account ?? null);
    this.#newKeys.set(id, account?.keys ?? NO_KEYS);
    if (!this.#kept) return;
    const source = this.#catalog.source(id)!;
    if (!isSettled(source) || counts?.head.volatile || counts?.origins?.incomplete) return;
    const others = this.#stampsOf(counts?.origins?.files ?? []);
    const files = FileStamps.of(stampedFiles(source));
    if (others === undefined || files === undefined) return;
    this.#kept.putAccount(this.#agent, id, {
      files,
      prices: this.#prices.digest,
      others,
      account: account ?? null,
    });
  }

  /** Undefined when one of the files is no session's any more. */
  #stampsOf(paths: readonly string[]): [string, string][] | undefined {
    const stamps = paths.map((path) => [path, this.#catalog.stampOf(path)] as const);
    return stamps.some(([, stamp]) => stamp === undefined) ? undefined : (stamps as [string, string][]);
  }
}

const NO_KEYS = new Uint32Array(0);

function withoutNull(tallies: ReadonlyMap<string, SessionTally | null>): Map<string, SessionTally> {
  return new Map([...tallies].filter((entry): entry is [string, SessionTally] => entry[1] !== null));
}
