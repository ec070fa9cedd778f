/**
 * The sessions of one agent as they are on disk now. Heads are read once per catalog. A session is read in full only for its
 * counts or cost, together with the sessions that may hold copies of its requests.
 */
import type { AgentAdapter, AgentEnv, SessionHead, SessionSource, SessionTally } from "../agents/adapter.ts";
import { tallyOf } from "../agents/in-memory.ts";
import { ReadNotes } from "../agents/read-notes.ts";
import { newestSessions } from "../agents/shared/newest-sessions.ts";
import { EventLoopYielder, inSlices } from "../lib/process/yield-to-event-loop.ts";
import type { PriceTable } from "../models/price-table.ts";
import { Accounts } from "./accounts.ts";
import type { CatalogEntry, CatalogPart, SourcesById, StampedSource } from "./catalog-entry.ts";
import { withForeignFacts } from "./cost/account.ts";
import { recomputed } from "./cost/recompute.ts";
import { adoptTitles } from "./foreign-titles.ts";
import { resolveForks } from "./forks.ts";
import { headStamp, readHead } from "./cache/heads.ts";
import type { CachedHead, SessionCache } from "./cache/session-cache.ts";
import { RelatedSessions } from "./related-sessions.ts";
import type { OnProgress } from "./progress.ts";
import { signatureOf } from "./cache/signature.ts";
import { listWithVault } from "./vault/mounted-vault.ts";

export interface CatalogOptions {
  /** The cache. */
  kept?: SessionCache;
  onProgress?: OnProgress;
  /** Maximum age of a known listing, in milliseconds. */
  staleMs?: number;
  /** The known sessions; otherwise they are listed on first use. */
  sources?: SourcesById | undefined;
  /** Prices that override dollars written by agents. */
  recompute?: PriceTable;
}

export class Catalog implements CatalogPart {
  readonly adapter: AgentAdapter;
  readonly env: AgentEnv;
  readonly notes: ReadNotes;
  #listedSources: SourcesById | undefined;
  readonly #tallies = new Map<string, SessionTally | undefined>();
  #keptHeads: ReadonlyMap<string, CachedHead> | undefined;
  /** Heads that were read, not cached. */
  readonly #heads = new Map<string, SessionHead | undefined>();
  #owners: Map<string, string> | undefined;
  #entries: Map<string, CatalogEntry> | undefined;
  #related: RelatedSessions | undefined;
  #accounts: Accounts | undefined;
  readonly #kept: SessionCache | undefined;
  readonly #options: CatalogOptions;

  constructor(adapter: AgentAdapter, env: AgentEnv, options: CatalogOptions = {}) {
    this.adapter = adapter;
    this.env = env;
    this.notes = new ReadNotes();
    this.#kept = options.kept;
    this.#options = options;
    const { sources } = options;
    this.#listedSources = sources;
    for (const { path, reason } of sources?.skipped ?? []) this.notes.skip(path, reason);
  }

  /** The same sessions without the cache, for work that outlives the answer. */
  uncached(): Catalog {
    const { kept: _, ...options } = this.#options;
    return new Catalog(this.adapter, this.env, { ...options, sources: this.#listedSources });
  }

  /** The same without progress reports: a caller that has given up would end the work with an error. */
  unwatched(): Catalog {
    const { onProgress: _, ...options } = this.#options;
    return new Catalog(this.adapter, this.env, { ...options, sources: this.#listedSources });
  }

  /** All sessions, regardless of directory: a session, or a copy of its requests, may be filed under another one. */
  get listed(): SourcesById {
    this.#listedSources ??= this.#byId();
    return this.#listedSources;
  }

  #byId(): Map<string, SessionSource> {
    const byId = new Map<string, SessionSource>();
    for (const source of this.#listed()) byId.set(source.sessionId, source);
    return byId;
  }

  #listed(): SessionSource[] {
    const { history } = this.adapter;
    if (!history) return [];
    try {
      const sources = listWithVault(this.adapter.name, history, this.env, this.notes);
      return newestSessions(sources, history.sessionDir(this.env), this.notes);
    } catch (error) {
      this.notes.skip(history.sessionDir(this.env), `could not be listed: ${(error as Error).message}`);
      return [];
    }
  }

  get size(): number {
    return this.listed.size;
  }

  ids(): string[] {
    return [...this.listed.keys()];
  }

  sources(): IterableIterator<SessionSource> {
    return this.listed.values();
  }

  source(sessionId: string): SessionSource | undefined {
    return this.listed.get(sessionId);
  }

  /** Signature of the session's files at the time of listing. */
  signature(sessionId: string): string | undefined {
    const source = this.listed.get(sessionId);
    return source && stampIn(source);
  }

  /** Signature of any session's file; undefined if it belongs to none. */
  stampOf(path: string): string | undefined {
    const owner = this.#ownerOf(path);
    return owner === undefined ? undefined : this.signature(owner);
  }

  #ownerOf(path: string): string | undefined {
    const known = this.listed.ownerOf?.(path);
    if (known !== undefined) return known;
    if (this.#owners === undefined) {
      this.#owners = new Map();
      for (const { sessionId, files } of this.sources())
        for (const file of files) this.#owners.set(file.path, sessionId);
    }
    return this.#owners.get(path);
  }

  /** Every session with its head, without files that hold no conversation. */
  async entries(): Promise<ReadonlyMap<string, CatalogEntry>> {
    if (this.#entries) return this.#entries;
    const entries = new Map<string, CatalogEntry>();
    const add = (source: SessionSource): boolean => {
      const head = this.#headOf(source);
      if (head) entries.set(source.sessionId, { source, head });
      return true;
    };
    await inSlices([...this.sources()], add, (done) => this.progress("heads", done));
    adoptTitles(entries, (source) => this.#keptTitleKeys(source));
    this.#entries = entries;
    return entries;
  }

  #keptTitleKeys(source: SessionSource): string[] | undefined {
    if (this.#keptHead(source) === undefined) return undefined;
    return this.#kept!.titleKeys(this.adapter.name).get(source.sessionId);
  }

  /** One session's head. Before `entries` is called, another session's file may still hold a better title. */
  head(id: string): SessionHead | undefined {
    if (this.#entries) return this.#entries.get(id)?.head;
    const source = this.listed.get(id);
    return source && this.#headOf(source);
  }

  #headOf(source: SessionSource): SessionHead | undefined {
    const kept = this.#keptHead(source);
    if (kept !== undefined) return kept ?? undefined;
    const { sessionId } = source;
    if (!this.#heads.has(sessionId)) this.#heads.set(sessionId, this.#summarize(source));
    return this.#heads.get(sessionId);
  }

  /** Null if there is known to be no conversation. */
  #keptHead(source: SessionSource): SessionHead | null | undefined {
    this.#keptHeads ??= this.#kept?.heads(this.adapter.name);
    const kept = this.#keptHeads?.get(source.sessionId);
    const stampOf = (path: string): string | undefined => this.stampOf(path);
    return kept && kept.stamp === headStamp(stampIn(source), kept.head, stampOf) ? kept.head : undefined;
  }

  #summarize(source: SessionSource): SessionHead | undefined {
    const { history } = this.adapter;
    const { env, notes } = this;
    const stampOf = (path: string): string | undefined => this.stampOf(path);
    try {
      const { head, stamp } = readHead({ history: history!, env, notes, stampOf }, source, stampIn(source));
      if (stamp !== undefined) this.#kept?.putHead(this.adapter.name, source.sessionId, stamp, head);
      return head;
    } catch (error) {
      this.notes.skip(source.path, `could not be summarised: ${(error as Error).message}`);
      return undefined;
    }
  }

  /** Tallies of these sessions and of all sessions that affect their cost: copies, and sessions of sub-agents. */
  async tallies(ids: Iterable<string>): Promise<Map<string, SessionTally>> {
    const wanted = (await this.related()).relatives(ids);
    const entries = await this.entries();
    const found = new Map<string, SessionTally>();
    const yielder = new EventLoopYielder();
    let done = 0;
    for (const id of wanted) {
      const tally = await this.#tally(id);
      if (tally) found.set(id, { ...this.#priced(tally), head: withForeignFacts(tally.head, entries.get(id)) });
      this.progress("sessions", ++done, wanted.size);
      await yielder.yieldIfDue();
    }
    return found;
  }

  async #tally(id: string): Promise<SessionTally | undefined> {
    if (this.#tallies.has(id)) return this.#tallies.get(id);
    const entry = (await this.entries()).get(id);
    const tally = entry && this.#tallyNow(entry.source);
    this.#tallies.set(id, tally);
    return tally;
  }

  /** Tallies of exactly these sessions; null for one without a conversation. Unreadable sessions are left out and noted. */
  async readAll(ids: readonly string[]): Promise<Map<string, SessionTally | null>> {
    const found = new Map<string, SessionTally | null>();
    const read = (id: string): boolean => {
      const skipped = this.notes.skippedCount;
      if (!this.#tallies.has(id)) this.#tallies.set(id, this.#tallyNow(this.listed.get(id)!));
      const tally = this.#tallies.get(id);
      if (tally || this.notes.skippedCount === skipped) found.set(id, tally ? this.#priced(tally) : null);
      return true;
    };
    await inSlices(ids, read, (done) => this.progress("sessions", done, ids.length));
    return found;
  }

  #priced(tally: SessionTally): SessionTally {
    const { recompute } = this.#options;
    return recompute === undefined ? tally : recomputed(tally, recompute);
  }

  /** Undefined if there is no conversation, or if it cannot be read, which is noted. */
  #tallyNow(source: SessionSource): SessionTally | undefined {
    try {
      const reader = this.adapter.history!.read(source, this.env, this.notes);
      return reader && tallyOf(reader);
    } catch (error) {
      // Catches unexpected errors too (such as values nested too deep): they cost this session, not the list.
      this.notes.skip(source.path, (error as Error).message);
      return undefined;
    }
  }

  /** Takes over tallies that were made elsewhere. */
  adopt(id: string, tally: SessionTally): void {
    this.#tallies.set(id, tally);
  }

  /** Counts and spending of the sessions. */
  accounts(prices: PriceTable): Accounts {
    this.#accounts ??= new Accounts(this, this.#kept, prices);
    return this.#accounts;
  }

  async related(): Promise<RelatedSessions> {
    this.#related ??= new RelatedSessions(await this.entries());
    return this.#related;
  }

  progress(stage: "heads" | "sessions", done: number, total = this.size): void {
    this.#options.onProgress?.({ agent: this.adapter.name, stage, done, total });
  }

  /** Fills in the parents of forks that do not name them. */
  async resolveForks(ids: Iterable<string>): Promise<void> {
    await resolveForks(this, ids, this.#kept);
  }
}

function stampIn(source: StampedSource): string {
  return source.stamp ?? signatureOf([source]);
}
