/**
 * What a search goes by: the sessions there are, and what the counts of those that were found are made from. Whoever searches again
 * and again may say how old it may be, and then it is not made anew for every letter that is typed.
 */
import type { AgentName } from "../core/session.ts";
import { uptimeMs } from "../lib/process/clock.ts";
import type { Catalog, CatalogOptions } from "./catalog.ts";
import { CacheLost, type KeepMode, type SessionCache } from "./cache/session-cache.ts";
import type { RunIndex } from "./run-index.ts";
import { SharedProgress } from "./shared-progress.ts";

/** A longer timer would be over at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

export class SearchListing {
  readonly agent: AgentName | undefined;
  readonly runs: RunIndex;
  readonly catalogs: Catalog[] = [];
  readonly progress = new SharedProgress();
  #counting: Counting | undefined;

  constructor(agent: AgentName | undefined, runs: RunIndex) {
    this.agent = agent;
    this.runs = runs;
  }

  /** Calls `work` with what gives the catalog of an agent whose sessions are to be counted; keeps what had to be read. */
  async whileCounting<T>(
    index: KeepMode,
    open: () => SessionCache | undefined,
    make: (agent: AgentName, options: CatalogOptions) => Promise<Catalog>,
    work: (catalogOf: (agent: AgentName) => Promise<Catalog>) => Promise<T>,
  ): Promise<T> {
    if (this.#counting?.index !== index || this.#counting.kept?.isCurrent === false)
      this.#counting = { index, kept: open(), catalogs: new Map() };
    const { kept, catalogs } = this.#counting;
    const options = { onProgress: this.progress.report, ...(kept === undefined ? {} : { kept }) };
    const catalogOf = (agent: AgentName): Promise<Catalog> => {
      let catalog = catalogs.get(agent);
      if (catalog === undefined) catalogs.set(agent, (catalog = make(agent, options)));
      return catalog;
    };
    try {
      return await work(catalogOf);
    } catch (error) {
      // What was given up half way is not for others.
      this.#counting = undefined;
      if (!(error instanceof CacheLost)) throw error;
      return await this.whileCounting("none", () => undefined, make, work);
    } finally {
      kept?.close();
    }
  }
}

interface Counting {
  index: KeepMode;
  kept: SessionCache | undefined;
  catalogs: Map<AgentName, Promise<Catalog>>;
}

/** The last listing, for no longer than somebody may ask for it: it can be as large as all sessions' rows together. */
export class RecentListing {
  #kept: { listing: SearchListing; at: number; end: NodeJS.Timeout } | undefined;

  of(agent: AgentName | undefined, staleMs: number): SearchListing | undefined {
    const kept = this.#kept;
    return kept !== undefined && kept.listing.agent === agent && uptimeMs() - kept.at < staleMs
      ? kept.listing
      : undefined;
  }

  /** `at`: since when it holds. */
  keep(listing: SearchListing, at: number, staleMs: number): void {
    if (this.#kept !== undefined) clearTimeout(this.#kept.end);
    this.#kept = undefined;
    if (staleMs <= 0) return;
    const end = setTimeout(() => (this.#kept = undefined), Math.min(staleMs, MAX_TIMER_MS)).unref();
    this.#kept = { listing, at, end };
  }
}
