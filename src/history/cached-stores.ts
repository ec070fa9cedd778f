/**
 * Data about the agents' stores that a long-running program keeps between queries. Every query checks sizes and times of all
 * files; while they are unchanged, nothing is listed or loaded again. A check of a huge store is used for several queries. Idle
 * data is released.
 */
import type { AgentAdapter, AgentEnv } from "../agents/adapter.ts";
import { CoalescedRuns } from "../lib/process/coalesced-runs.ts";
import type { SourcesById } from "./catalog-entry.ts";
import { sessionsNow } from "./cache/listing.ts";
import { SessionCache, type CacheMode } from "./cache/session-cache.ts";

/** A page sends several queries at once. */
const GATHER_MS = 2;

/** A listing of a million files takes longer; with a listing for each query the history process would do nothing else. */
const SLOW_MS = 3000;

export class CachedStores {
  readonly #env: AgentEnv;
  readonly #idleMs: number;
  readonly #looks = new Map<string, CoalescedRuns<SourcesById | undefined>>();
  #kept: SessionCache | undefined;
  #asking = 0;
  #end: NodeJS.Timeout | undefined;

  /** `idleMs`: how long data is kept after a query. */
  constructor(env: AgentEnv, idleMs: number) {
    this.#env = env;
    this.#idleMs = idleMs;
  }

  /** Starts a query; call the result when it is answered. */
  enter(): () => void {
    clearTimeout(this.#end);
    this.#asking++;
    return () => {
      if (--this.#asking === 0) this.#end = setTimeout(() => this.#forget(), this.#idleMs).unref();
    };
  }

  #forget(): void {
    this.#kept = undefined;
    this.#looks.clear();
  }

  /** The current session cache. */
  kept(mode: CacheMode): SessionCache {
    if (this.#kept?.mode !== mode || !this.#kept.isCurrent) this.#kept = new SessionCache(this.#env, mode);
    return this.#kept;
  }

  /** An agent's current sessions; concurrent queries share one check. */
  now(adapter: AgentAdapter, staleMs?: number): Promise<SourcesById | undefined> {
    let looks = this.#looks.get(adapter.name);
    if (looks === undefined) {
      const look = async (): Promise<SourcesById | undefined> =>
        this.#kept && sessionsNow(adapter, this.#env, this.#kept);
      looks = new CoalescedRuns(look, GATHER_MS, SLOW_MS);
      this.#looks.set(adapter.name, looks);
    }
    return looks.ask(staleMs);
  }
}
