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
import type { KeepMode } from "./cache/session-cache.ts";
import { listSessions, matchingHeads, type HeadFilters } from "./list.ts";
import { countedHits } from "./counted-hits.ts";
import { noteIn } from "./note.ts";
import type { CostAggregationOptions, CostExplanationOptions, SessionListOptions, SessionQuery } from "./options.ts";
import type { OnProgress } from "./progress.ts";
import { readRunIndex, type RunIndex } from "./run-index.ts";
import type { SessionHit } from "./search/results.ts";
import type { SearchEngine } from "./search/engine.ts";
import type { BuildOptions, BuildResult } from "./search/index-builder.ts";
import type { IndexStatus } from "./search/index-connection.ts";
import { skippedIn } from "./skipped.ts";
import type { StandingStores } from "./standing-stores.ts";
import { Stores, type Asking } from "./stores.ts";
import { isTagsOnly, taggedHits } from "./tagged-hits.ts";
import type { SummaryContext } from "./summary.ts";
import { priceTable } from "./own-prices.ts";
import type { SessionView } from "./session-view.ts";
import { notFound, openView, toSession } from "./view.ts";

const LIST_SORTS = ["date", "cost", "turns", "duration"];
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
   * `runs`: in place of those recorded in amux's home and in the `project`'s own directory. `standing`: for a program that is asked
   * again and again. `onProblem`: what keeps such a program from filling the search index.
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
      standing?: StandingStores;
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

  /** Loaded when it is asked for: who lists or adds up sessions has no use for it. */
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

  /** Sessions of all agents in one list. A store that cannot be read costs only its own sessions. */
  async listAll(options: SessionListOptions = {}): Promise<SessionSummary[]> {
    return this.#list(undefined, options);
  }

  /** What their heads tell of all sessions that match, in no order; not what forks came from. */
  async heads(options: HeadFilters & Asking & { agent?: AgentName } = {}): Promise<SessionSummary[]> {
    checkOptions(options, []);
    const context = this.#context();
    return this.#stores.remembering(options, async (kept) => {
      let rows: SessionSummary[] = [];
      for (const catalog of await this.#stores.catalogs(options.agent, kept))
        rows = rows.concat(await matchingHeads(catalog, options, context));
      return rows;
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

  /** A session whose messages are read as they are asked for. */
  async open(
    agent: AgentName,
    sessionId: string,
    options: { onProgress?: OnProgress; index?: KeepMode } = {},
  ): Promise<SessionView> {
    return this.#stores.remembering(options, async (kept) =>
      openView(await this.#stores.catalog(agent, kept), sessionId, this.#context()),
    );
  }

  /** Ids of an agent's sessions that begin with `prefix`; one of its notes by its whole id. */
  async matching(agent: AgentName, prefix: string): Promise<string[]> {
    const catalog = await this.#stores.catalog(agent);
    const found = catalog.ids().filter((id) => id.startsWith(prefix));
    return found.length === 0 && noteIn(catalog, prefix) !== undefined ? [prefix] : found;
  }

  /** Why an agent has no such session: there is none, or its store cannot be read. */
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

  /** Every session as it is found, in no order. */
  async *searchStream(query: SessionQuery): AsyncGenerator<SessionHit> {
    checkQuery(query, HIT_SORTS);
    if (query.agent !== undefined && !this.#registry.has(query.agent)) return;
    if (isTagsOnly(query))
      return yield* await taggedHits(this, { ...query, limit: query.limit ?? Infinity, counts: false });
    yield* (await this.#engine).stream(await this.#searched(query), query, this.#context());
  }

  /** Sessions as they are now, for work that goes on while others write what is kept of them. */
  async #searched(asking: Asking & { agent?: AgentName }): Promise<Catalog[]> {
    return this.#stores.remembering(asking, async (how) => {
      const catalogs = await this.#stores.catalogs(asking.agent, how);
      return catalogs.map((catalog) => catalog.uncached());
    });
  }

  /** When no work is left over from searches that fill the index. */
  async idle(): Promise<void> {
    await (await this.#searchEngine)?.idle();
  }

  /** Takes into the search index what it lacks, of one agent or of all. */
  async buildIndex(options: BuildOptions & { agent?: AgentName } = {}): Promise<BuildResult> {
    return (await this.#engine).buildIndex(
      await this.#searched({ ...optional("agent", options.agent), index: "fill" }),
      options,
    );
  }

  /** What the search index holds and lacks. */
  async indexStatus(): Promise<IndexStatus> {
    return (await this.#engine).indexStatus(await this.#stores.catalogs(undefined, {}));
  }

  /** Removes the search index and what is kept of sessions; false when a process is working on it. */
  async clearIndex(): Promise<boolean> {
    return (await this.#engine).clearIndex();
  }

  /** `addMore` adds what sessions spent that this manager does not know. */
  async totalCost(
    options: CostAggregationOptions = {},
    addMore?: (report: CostReport) => Promise<void>,
  ): Promise<CostSummary> {
    return (await this.costReport(options, addMore)).build();
  }

  /** The same before it is written down, for whoever wants to know which sessions are in a group. */
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

  /** The same figures with every request behind them, and the copies that were not counted again. */
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

  /** What each agent's store looks like to its reader; for diagnosis. */
  async catalogs(agent?: AgentName, options: { onProgress?: OnProgress } = {}): Promise<Catalog[]> {
    return Promise.all(this.#stores.names(agent).map((name) => this.#stores.catalog(name, options)));
  }

  /** Every agent's store, or one's, with what was kept of sessions; what had to be read is kept afterwards. */
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
      // Only what costs money needs them, and to make them takes longer than a short answer.
      get prices() {
        prices ??= priceTable(env);
        return prices;
      },
      runs: this.runs,
    };
  }
}

/** What is kept was made with the agents' own figures. */
function costMode(options: CostAggregationOptions): CostAggregationOptions {
  return options.recompute ? { ...options, index: "none" } : options;
}

function pricing({ recompute }: CostAggregationOptions, { prices }: SummaryContext): Pick<CatalogOptions, "recompute"> {
  return recompute ? { recompute: prices } : {};
}
