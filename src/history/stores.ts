/** The agents' stores, each as a catalog with the session cache. */
import type { AgentAdapter, AgentEnv } from "../agents/adapter.ts";
import { presentAgent } from "../agents/present-agent.ts";
import type { AgentRegistry } from "../agents/registry.ts";
import type { AgentName } from "../core/session.ts";
import { optional } from "../lib/values/optional.ts";
import { Catalog, type CatalogOptions } from "./catalog.ts";
import { sessionsNow } from "./cache/listing.ts";
import { CacheLost, SessionCache, type CacheMode } from "./cache/session-cache.ts";
import type { OnProgress } from "./progress.ts";
import { showVault } from "./vault/mounted-vault.ts";
import type { CachedStores } from "./cached-stores.ts";

/** Options for answering a query. */
export interface QueryOptions {
  index?: CacheMode;
  staleMs?: number;
  onProgress?: OnProgress;
}

export class Stores {
  readonly #registry: AgentRegistry;
  readonly #env: AgentEnv;
  readonly #standing: CachedStores | undefined;

  constructor(registry: AgentRegistry, env: AgentEnv, standing: CachedStores | undefined) {
    this.#registry = registry;
    this.#env = env;
    this.#standing = standing;
  }

  /** For a long-running program. */
  get areStanding(): boolean {
    return this.#standing !== undefined;
  }

  /** For one agent, or for all. */
  names(agent: AgentName | undefined): AgentName[] {
    return agent === undefined ? this.#registry.names() : [agent];
  }

  /** Runs `work` with the session cache, and caches what it had to read. */
  async remembering<T>(
    { index = "use", staleMs, onProgress }: QueryOptions,
    work: (options: CatalogOptions) => Promise<T>,
  ): Promise<T> {
    const how = { ...optional("onProgress", onProgress), ...optional("staleMs", staleMs) };
    if (index === "none") return work(how);
    const leave = this.#standing?.enter();
    const kept = this.#standing?.kept(index) ?? new SessionCache(this.#env, index);
    try {
      return await work({ ...how, kept });
    } catch (error) {
      if (!(error instanceof CacheLost)) throw error;
      return await work(how);
    } finally {
      kept.close();
      leave?.();
    }
  }

  async catalog(agent: AgentName, options: CatalogOptions = {}): Promise<Catalog> {
    showVault(this.#env);
    return this.#catalogOf(await this.#registry.get(agent), options);
  }

  async #catalogOf(adapter: AgentAdapter, options: CatalogOptions): Promise<Catalog> {
    const { kept, staleMs } = options;
    const sources = kept && (await (this.#standing?.now(adapter, staleMs) ?? sessionsNow(adapter, this.#env, kept)));
    return new Catalog(adapter, this.#env, { ...options, sources });
  }

  /** If all are asked for, adapters of agents that left nothing here are not loaded. */
  #adapters(agent: AgentName | undefined): Promise<AgentAdapter>[] {
    if (agent !== undefined) return [this.#registry.get(agent)];
    return this.#registry.names().map((name) => presentAgent(this.#registry, name, this.#env));
  }

  async catalogs(agent: AgentName | undefined, options: CatalogOptions): Promise<Catalog[]> {
    showVault(this.#env);
    const adapters = await Promise.all(this.#adapters(agent));
    return Promise.all(adapters.map((adapter) => this.#catalogOf(adapter, options)));
  }
}
