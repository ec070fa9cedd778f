/**
 * What is known of the agents' stores from one question to the next, for a program that is asked again and again. Every question
 * has sizes and times of all files looked at; as long as they are as they were, nothing is listed and nothing that was kept is
 * loaded anew. Nothing of it is left when nobody has asked for a while.
 */
import type { AgentAdapter, AgentEnv, SessionSource } from "../agents/adapter.ts";
import type { SkippedFile } from "../agents/read-notes.ts";
import { SETTLING_MS } from "../lib/directory.ts";
import { SharedTurns } from "../lib/shared-turns.ts";
import { Catalog, type CatalogOptions } from "./catalog.ts";
import { KeptSessions, type KeepMode } from "./kept-sessions.ts";
import { KeptSources, SourcesOnFile, sourcesSegment, type SourcesById } from "./kept-sources.ts";
import type { Segment } from "./kept-file.ts";
import { SharedEntries } from "./shared-entries.ts";

/** Who asks what a page shows asks several things at once. */
const GATHER_MS = 2;

/** What was kept of some 20,000 sessions, of which 140 MB are made: more memory is not spent on who may ask for them. */
const MAX_BYTES = 32 * 1024 * 1024;

/** Of one agent's sessions. */
export type Known = Pick<CatalogOptions, "sources" | "shared">;

export class StandingStores {
  readonly #env: AgentEnv;
  readonly #idleMs: number;
  readonly #stores = new Map<string, StandingStore>();
  #kept: KeptSessions | undefined;
  #asking = 0;
  #end: NodeJS.Timeout | undefined;

  /** `idleMs`: for how long after a question something is known. */
  constructor(env: AgentEnv, idleMs: number) {
    this.#env = env;
    this.#idleMs = idleMs;
  }

  /** Somebody asks; gives what is to be called when they have their answer. */
  enter(): () => void {
    clearTimeout(this.#end);
    this.#asking++;
    return () => {
      if (--this.#asking === 0) this.#end = setTimeout(() => this.#forget(), this.#idleMs).unref();
    };
  }

  #forget(): void {
    this.#kept = undefined;
    this.#stores.clear();
  }

  /** What was kept of sessions, as it is on the disk now. */
  kept(mode: KeepMode): KeptSessions {
    if (this.#kept?.mode === mode && this.#kept.isCurrent) return this.#kept;
    const kept = new KeptSessions(this.#env, mode);
    this.#kept = kept.bytes > MAX_BYTES ? undefined : kept;
    return kept;
  }

  /** An agent's sessions as they are now; nothing where it has to be asked for them each time. */
  async now(adapter: AgentAdapter, staleMs?: number): Promise<Known> {
    if (!adapter.history?.isWitnessed || this.#kept === undefined) return {};
    let store = this.#stores.get(adapter.name);
    if (store === undefined) this.#stores.set(adapter.name, (store = new StandingStore(adapter, this.#env)));
    return store.now(this.#kept, staleMs);
  }

  /** Keeps where a catalog's sessions lie, unless it is known there. */
  keepSources({ adapter, listed }: Catalog, kept: KeptSessions): void {
    if (listed instanceof SourcesOnFile) this.#stores.get(adapter.name)?.keep(listed, kept);
  }
}

/** One agent's. */
class StandingStore {
  readonly #adapter: AgentAdapter;
  readonly #env: AgentEnv;
  readonly #looks = new SharedTurns(() => this.#look(), GATHER_MS);
  #kept: KeptSessions | undefined;
  #known: { segment: Pick<Segment, "parts"> | undefined; sources: KeptSources } | undefined;
  #last: { sources: SourcesOnFile; shared: SharedEntries } | undefined;

  constructor(adapter: AgentAdapter, env: AgentEnv) {
    this.#adapter = adapter;
    this.#env = env;
  }

  now(kept: KeptSessions, staleMs?: number): Promise<Known> {
    // What it was known from is not in memory twice.
    if (this.#kept !== kept && this.#known?.segment === undefined) this.#known = undefined;
    this.#kept = kept;
    return this.#looks.ask(staleMs);
  }

  async #look(): Promise<Known> {
    this.#known ??= this.#onFile();
    const sources = await this.#known?.sources.now();
    if (sources === undefined) return this.#list();
    if (this.#last?.sources.isAs(sources) !== true) this.#last = { sources, shared: new SharedEntries() };
    return this.#settled(this.#last);
  }

  /** Where a file was changed so shortly before that a further change might not show, everybody reads for himself. */
  #settled({ sources, shared }: { sources: SourcesOnFile; shared: SharedEntries }): Known {
    return sources.newestBefore(Date.now()) > Date.now() - SETTLING_MS ? { sources } : { sources, shared };
  }

  #onFile(): { segment: undefined; sources: KeptSources } | undefined {
    const sources = this.#kept?.sources(this.#adapter.name);
    const isOf = sources?.areOf(this.#adapter.history!.roots(this.#env));
    return sources && isOf ? { segment: undefined, sources } : undefined;
  }

  #list(): Known {
    const catalog = new Catalog(this.#adapter, this.#env, { witness: true });
    const segment = sourcesSegment(catalog);
    if (segment === undefined) {
      this.#known = this.#last = undefined;
      const { skipped, skippedCount } = catalog.notes;
      return skipped.length < skippedCount ? {} : { sources: new ListedOnce(catalog.sources(), skipped) };
    }
    const sources = new KeptSources(segment);
    this.#known = { segment, sources };
    this.#last = { sources: new SourcesOnFile(sources, new Map()), shared: new SharedEntries() };
    return this.#settled(this.#last);
  }

  keep({ kept: sources }: SourcesOnFile, kept: KeptSessions): void {
    if (sources !== this.#known?.sources || this.#known.segment === undefined) return;
    const onFile = kept.sources(this.#adapter.name);
    if (onFile?.isOfSame(sources)) return;
    kept.putSourcesSegment(this.#adapter.name, this.#known.segment);
  }
}

/** Sessions of a listing that may not hold any longer, for all who asked for it. */
class ListedOnce extends Map<string, SessionSource> implements SourcesById {
  readonly skipped: readonly SkippedFile[];

  constructor(sources: Iterable<SessionSource>, skipped: readonly SkippedFile[]) {
    super(Array.from(sources, (source) => [source.sessionId, source]));
    this.skipped = skipped;
  }
}
