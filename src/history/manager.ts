/** Read-only access to the sessions every agent left behind: the public face of this folder. */
import type { AgentEnv } from "../agents/adapter.ts";
import type { AgentRegistry } from "../agents/registry.ts";
import type { CostExplanation, CostSummary } from "../core/cost.ts";
import type { SessionDiff, SessionReference } from "../core/diff.ts";
import type { AgentMuxError } from "../core/errors.ts";
import type { AgentName, Session, SessionSummary } from "../core/session.ts";
import { joinUnifiedId, splitUnifiedId } from "../core/unified-id.ts";
import { optional } from "../lib/values/optional.ts";
import type { PriceTable } from "../models/price-table.ts";
import { checkOptions, checkQuery } from "./check-options.ts";
import type { Catalog, CatalogOptions } from "./catalog.ts";
import { explainCost } from "./cost/explain.ts";
import { costReport, type CostReport } from "./cost/report.ts";
import { diffMessages } from "./diff.ts";
import { exportSession, type ExportFormat } from "./export/export.ts";
import type { ExportOptions } from "./export/options.ts";
import type { CacheMode } from "./cache/session-cache.ts";
import { listSessions, matchingRows, type HeadFilters } from "./list.ts";
import type { ListRow } from "./list-row.ts";
import { LIST_SORTS } from "./list-order.ts";
import { countedHits } from "./counted-hits.ts";
import { noteIn } from "./note.ts";
import type { CostAggregationOptions, CostExplanationOptions, SessionListOptions, SessionQuery } from "./options.ts";
import type { OnProgress } from "./progress.ts";
import { readRunIndex, type RunIndex } from "./run-index.ts";
import type { SessionHit } from "./search/results.ts";
import type { IndexStatus, SearchEngine } from "./search/engine.ts";
import type { BuildOptions, BuildResult } from "./search/index-builder.ts";
import { skippedIn } from "./skipped.ts";
import type { CachedStores } from "./cached-stores.ts";
import { Stores, type QueryOptions } from "./stores.ts";
import { isTagsOnly, taggedHits } from "./tagged-hits.ts";
import type { SummaryContext } from "./summary.ts";
import { priceTable } from "./own-prices.ts";
import type { SessionView } from "./session-view.ts";
import { notFound, openView, toSession } from "./view.ts";

const HIT_SORTS = ["relevance", "date", "cost"];

export class SessionManager {
  readonly #registry: AgentRegistry;
  readonly #env: AgentEnv;
  readonly #stores: Stores;
  #searchEngine: Promise<SearchEngine> | undefined;
  readonly #runs: RunIndex | undefined;
  readonly #project: () => string | undefined;
  readonly #onProblem: ((error: Error) => void) | undefined;

  /**
   * `runs` replaces the runs recorded in amux's home and in the `project`'s directory. `standing` is for long-running programs;
   * `onProblem` receives what keeps them from filling the search index.
   */
  constructor(
    registry: AgentRegistry,
    env: AgentEnv,
    {
      runs,
      project = () => undefined,
      standing,
      onProblem,
    }: {
      runs?: RunIndex;
      project?: () => string | undefined;
      standing?: CachedStores;
      onProblem?: (error: Error) => void;
    } = {},
  ) {
    this.#registry = registry;
    this.#env = env;
    this.#stores = new Stores(registry, env, standing);
    this.#runs = runs;
    this.#project = project;
    this.#onProblem = onProblem;
  }

  /** Loaded on demand: listing and cost do not need it. */
  get #engine(): Promise<SearchEngine> {
    this.#searchEngine ??= import("./search/engine.ts").then(
      ({ SearchEngine }) =>
        new SearchEngine(this.#env, { stays: this.#stores.areStanding, ...optional("onProblem", this.#onProblem) }),
    );
    return this.#searchEngine;
  }

  async list(agent: AgentName, options: SessionListOptions = {}): Promise<SessionSummary[]> {
    return this.#list(agent, options);
  }

  /** Sessions of all agents in one list. An unreadable store costs only its own sessions. */
  async listAll(options: SessionListOptions = {}): Promise<SessionSummary[]> {
    return this.#list(undefined, options);
  }

  /** Heads of all matching sessions, unordered, without parents of forks. */
  async heads(options: HeadFilters & QueryOptions & { agent?: AgentName } = {}): Promise<SessionSummary[]> {
    checkOptions(options, []);
    const context = this.#context();
    return this.#stores.remembering(options, async (kept) => {
      let rows: ListRow[] = [];
      for (const catalog of await this.#stores.catalogs(options.agent, kept))
        rows = rows.concat(await matchingRows(catalog, options, context));
      return rows.map((row) => row.summary());
    });
  }

  async #list(agent: AgentName | undefined, options: SessionListOptions): Promise<SessionSummary[]> {
    checkOptions(options, LIST_SORTS);
    return this.#stores.remembering(options, async (kept) => {
      const catalogs = await this.#stores.catalogs(agent, kept);
      const rows = await listSessions(catalogs, options, this.#context());
      const skipped = skippedIn(catalogs);
      if (skipped > 0) options.onSkipped?.(skipped);
      options.onIds?.(catalogs.flatMap((catalog) => catalog.ids()));
      return rows;
    });
  }

  async get(agent: AgentName, sessionId: string): Promise<Session> {
    return toSession(await this.open(agent, sessionId));
  }

  /** A session whose messages are read on demand. */
  async open(
    agent: AgentName,
    sessionId: string,
    options: { onProgress?: OnProgress; index?: CacheMode } = {},
  ): Promise<SessionView> {
    return this.#stores.remembering(options, async (kept) =>
      openView(await this.#stores.catalog(agent, kept), sessionId, this.#context()),
    );
  }

  /** Ids of an agent's sessions that begin with `prefix`; a note only by its whole id. */
  async matching(agent: AgentName, prefix: string): Promise<string[]> {
    const catalog = await this.#stores.catalog(agent);
    const found = catalog.ids().filter((id) => id.startsWith(prefix));
    return found.length === 0 && noteIn(catalog, prefix) !== undefined ? [prefix] : found;
  }

  /** Why an agent has no such session: it does not exist, or the store cannot be read. */
  async whyMissing(agent: AgentName, sessionId: string): Promise<AgentMuxError> {
    return notFound(await this.#stores.catalog(agent), sessionId);
  }

  async search(query: SessionQuery): Promise<SessionHit[]> {
    checkQuery(query, HIT_SORTS);
    if (query.agent !== undefined && !this.#registry.has(query.agent)) return [];
    if (isTagsOnly(query)) return taggedHits(this, query);
    const engine = await this.#engine;
    const context = this.#context();
    const answer = await this.#stores.remembering(query, async (how) => {
      const catalogs = await this.#stores.catalogs(query.agent, how);
      const searched = catalogs.map((catalog) => catalog.uncached());
      const hits = await engine.search(searched, query, context);
      const isCounted = query.counts ?? query.matches ?? true;
      return {
        hits: isCounted ? await countedHits(hits, catalogs, query.counts, context) : hits,
        skipped: skippedIn(searched),
      };
    });
    engine.fillBehind();
    if (answer.skipped > 0) query.onSkipped?.(answer.skipped);
    return answer.hits;
  }

  /** Yields every session as it is found, unordered. */
  async *searchStream(query: SessionQuery): AsyncGenerator<SessionHit> {
    checkQuery(query, HIT_SORTS);
    if (query.agent !== undefined && !this.#registry.has(query.agent)) return;
    if (isTagsOnly(query))
      return yield* await taggedHits(this, { ...query, limit: query.limit ?? Infinity, counts: false });
    yield* (await this.#engine).stream(await this.#searched(query), query, this.#context());
  }

  /** Current sessions, for work that continues while others write the cache. */
  async #searched(asking: QueryOptions & { agent?: AgentName }): Promise<Catalog[]> {
    return this.#stores.remembering(asking, async (how) => {
      const catalogs = await this.#stores.catalogs(asking.agent, how);
      return catalogs.map((catalog) => catalog.uncached());
    });
  }

  /** Resolves when no index filling is left from earlier searches. */
  async idle(): Promise<void> {
    await (await this.#searchEngine)?.idle();
  }

  /** Adds missing sessions to the search index, of one agent or of all. */
  async buildIndex(options: BuildOptions & { agent?: AgentName } = {}): Promise<BuildResult> {
    return (await this.#engine).buildIndex(
      await this.#searched({ ...optional("agent", options.agent), index: "fill" }),
      options,
    );
  }

  /** Coverage of the search index. */
  async indexStatus(): Promise<IndexStatus> {
    return (await this.#engine).indexStatus(await this.#stores.catalogs(undefined, {}));
  }

  /** Removes the search index and the session cache; false if another process uses it. */
  async clearIndex(): Promise<boolean> {
    return (await this.#engine).clearIndex();
  }

  /** `addMore` adds spending of sessions that this manager does not know. */
  async totalCost(
    options: CostAggregationOptions = {},
    addMore?: (report: CostReport) => Promise<void>,
  ): Promise<CostSummary> {
    return (await this.costReport(options, addMore)).build();
  }

  /** The same before rendering, for callers that need the sessions of a group. */
  async costReport(
    options: CostAggregationOptions,
    addMore?: (report: CostReport) => Promise<void>,
  ): Promise<CostReport> {
    checkOptions(options, []);
    const context = this.#context();
    return this.#stores.remembering(costMode(options), async (how) => {
      const asked = { ...how, ...pricing(options, context) };
      return costReport(await this.#stores.catalogs(options.agent, asked), options, context, addMore);
    });
  }

  /** The same figures with every request, and the dropped copies. */
  async explainCost(options: CostExplanationOptions = {}): Promise<CostExplanation> {
    checkOptions(options, []);
    const context = this.#context();
    return this.#stores.remembering(costMode(options), async (kept) =>
      explainCost(
        await this.#stores.catalogs(options.agent, { ...kept, ...pricing(options, context) }),
        options,
        context,
      ),
    );
  }

  async export(agent: AgentName, sessionId: string, format: ExportFormat): Promise<string> {
    return [...(await this.exportStream(agent, sessionId, format))].join("");
  }

  /** The same text in pieces, for sessions that do not fit into one string. */
  async exportStream(
    agent: AgentName,
    sessionId: string,
    format: ExportFormat,
    options?: ExportOptions,
  ): Promise<Iterable<string>> {
    return exportSession(await this.open(agent, sessionId), format, options);
  }

  async diff(a: SessionReference, b: SessionReference): Promise<SessionDiff> {
    const [left, right] = [await this.get(a.agent, a.sessionId), await this.get(b.agent, b.sessionId)];
    return {
      a: { ...a, unifiedId: left.unifiedId },
      b: { ...b, unifiedId: right.unifiedId },
      ...diffMessages(left.messages, right.messages),
    };
  }

  resolveUnifiedId(agent: AgentName, nativeSessionId: string): string {
    return joinUnifiedId(agent, nativeSessionId);
  }

  resolveNativeId(unifiedId: string): { agent: AgentName; nativeSessionId: string } | null {
    const parts = splitUnifiedId(unifiedId);
    return parts && this.#registry.has(parts.agent) ? parts : null;
  }

  /** Each agent's store as its reader sees it; for diagnosis. */
  async catalogs(agent?: AgentName, options: { onProgress?: OnProgress } = {}): Promise<Catalog[]> {
    return Promise.all(this.#stores.names(agent).map((name) => this.#stores.catalog(name, options)));
  }

  /** The store of one agent or of all, with the session cache; writes new entries to the cache afterwards. */
  async withCatalogs<T>(
    options: { agent?: AgentName; onProgress?: OnProgress },
    work: (catalogs: Catalog[]) => Promise<T>,
  ): Promise<T> {
    return this.#stores.remembering(options, async (kept) => work(await this.#stores.catalogs(options.agent, kept)));
  }

  /** Runs of amux, with their tags. */
  get runs(): RunIndex {
    return this.#runs ?? readRunIndex(this.#env, this.#project());
  }

  get prices(): PriceTable {
    return this.#context().prices;
  }

  #context(): SummaryContext {
    const env = this.#env;
    let prices: PriceTable | undefined;
    return {
      // Loaded on demand: only cost needs prices, and loading them takes longer than a short answer.
      get prices() {
        prices ??= priceTable(env);
        return prices;
      },
      runs: this.runs,
    };
  }
}

/** The cache holds the agents' own figures. */
function costMode(options: CostAggregationOptions): CostAggregationOptions {
  return options.recompute ? { ...options, index: "none" } : options;
}

function pricing({ recompute }: CostAggregationOptions, { prices }: SummaryContext): Pick<CatalogOptions, "recompute"> {
  return recompute ? { recompute: prices } : {};
}
