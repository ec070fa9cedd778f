/** The agents' stores, each as a catalog, with what was kept of their sessions. */
import type { AgentAdapter, AgentEnv } from "../agents/adapter.ts";
import { presentAgent } from "../agents/present-agent.ts";
import type { AgentRegistry } from "../agents/registry.ts";
import type { AgentName } from "../core/session.ts";
import { optional } from "../lib/optional.ts";
import { Catalog, type CatalogOptions } from "./catalog.ts";
import { KeptSessions, type KeepMode } from "./kept-sessions.ts";
import type { SourcesOnFile } from "./kept-sources.ts";
import type { OnProgress } from "./progress.ts";
import type { Known, StandingStores } from "./standing-stores.ts";

/** How a question is to be answered. */
export interface Asking {
  index?: KeepMode;
  staleMs?: number;
  onProgress?: OnProgress;
}

export class Stores {
  readonly #registry: AgentRegistry;
  readonly #env: AgentEnv;
  readonly #standing: StandingStores | undefined;

  constructor(registry: AgentRegistry, env: AgentEnv, standing: StandingStores | undefined) {
    this.#registry = registry;
    this.#env = env;
    this.#standing = standing;
  }

  /** For a program that is asked again and again. */
  get areStanding(): boolean {
    return this.#standing !== undefined;
  }

  /** Of one agent, or of all. */
  names(agent: AgentName | undefined): AgentName[] {
    return agent === undefined ? this.#registry.names() : [agent];
  }

  /** Runs `work` with what was kept of sessions, and keeps what it had to read. */
  async remembering<T>(
    { index = "use", staleMs, onProgress }: Asking,
    work: (options: CatalogOptions) => Promise<T>,
  ): Promise<T> {
    const how = { ...optional("onProgress", onProgress), ...optional("staleMs", staleMs) };
    if (index === "none") return work(how);
    const leave = this.#standing?.enter();
    const kept = this.#standing?.kept(index) ?? new KeptSessions(this.#env, index);
    try {
      return await work({ ...how, kept });
    } finally {
      kept.close();
      leave?.();
    }
  }

  async catalog(agent: AgentName, options: CatalogOptions = {}): Promise<Catalog> {
    return this.#catalogOf(await this.#registry.get(agent), options);
  }

  async #catalogOf(adapter: AgentAdapter, options: CatalogOptions): Promise<Catalog> {
    return new Catalog(adapter, this.#env, { ...options, ...(await this.#known(adapter, options)) });
  }

  /** Of those that left nothing here, no adapter is loaded when all are asked for. */
  #adapters(agent: AgentName | undefined): Promise<AgentAdapter>[] {
    if (agent !== undefined) return [this.#registry.get(agent)];
    return this.#registry.names().map((name) => presentAgent(this.#registry, name, this.#env));
  }

  /** What is known of an agent's sessions from before. */
  async #known(adapter: AgentAdapter, { kept, staleMs }: CatalogOptions): Promise<Known> {
    return (kept && (await this.#standing?.now(adapter, staleMs))) ?? {};
  }

  async catalogs(agent: AgentName | undefined, options: CatalogOptions): Promise<Catalog[]> {
    const adapters = await Promise.all(this.#adapters(agent));
    return Promise.all(adapters.map((adapter) => this.#catalogOf(adapter, options)));
  }

  /** For a report, which keeps where sessions lie, when it is made. */
  async withSources<T>(
    agent: AgentName | undefined,
    options: CatalogOptions,
    work: (catalogs: readonly Catalog[]) => Promise<T>,
  ): Promise<T> {
    const { kept } = options;
    const catalogs: Catalog[] = [];
    for (const adapter of await Promise.all(this.#adapters(agent))) {
      const known = await this.#known(adapter, options);
      const sources = known.sources ?? (await this.#keptSources(adapter, kept));
      catalogs.push(new Catalog(adapter, this.#env, { ...options, ...known, witness: true, sources }));
    }
    const listed = catalogs.filter(({ seen }) => seen !== undefined);
    const done = await work(catalogs);
    for (const catalog of listed) kept?.putSources(catalog);
    if (kept) for (const catalog of catalogs) this.#standing?.keepSources(catalog, kept);
    return done;
  }

  /** Sessions of an agent whose store has hardly changed since they were kept. */
  async #keptSources(
    { name, history }: AgentAdapter,
    kept: KeptSessions | undefined,
  ): Promise<SourcesOnFile | undefined> {
    const sources = kept?.sources(name);
    return history && sources?.areOf(history.roots(this.#env)) ? sources.now() : undefined;
  }
}
