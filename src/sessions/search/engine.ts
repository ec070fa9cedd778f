/**
 * Full-text search over the conversations of all agents. Sessions whose files the index knows as they are now are
 * answered from it; all others are read. Either way the same sessions are found, in the same order.
 */
import { join } from "node:path";
import type { AgentEnv } from "../../agents/adapter.ts";
import { joinUnifiedId } from "../../core/unified-id.ts";
import { amuxHome } from "../../lib/paths.ts";
import type { Catalog } from "../catalog.ts";
import type { SessionQuery } from "../options.ts";
import { summaryOf, type SummaryContext } from "../summary.ts";
import { Filter } from "./filter.ts";
import { BEST_FIRST, NEWEST_FIRST, settle, type Found } from "./found.ts";
import { foundInIndex, type KnownSession } from "./from-index.ts";
import type { SessionHit } from "./hit.ts";
import { buildIndex, type BuildOptions, type BuildResult } from "./index-builder.ts";
import { IndexConnection } from "./index-connection.ts";
import type { SearchIndex } from "./index-reader.ts";
import { clearIndex, indexStatus, type IndexStatus } from "./index-status.ts";
import { Matcher, type Findings } from "./matcher.ts";
import { planOf, type Plan } from "./plan.ts";
import { parseQuery } from "./query.ts";
import { SessionScan, type UnknownSession } from "./session-scan.ts";
import { examine } from "./subject.ts";
import { retitled } from "./title-changes.ts";

const DEFAULT_LIMIT = 50;
/** Not noticed behind an answer, and enough to keep up with a day's work. */
const FILL_MS = 300;

export class SearchEngine {
  readonly #connection: IndexConnection;
  #filling: Promise<void> = Promise.resolve();

  constructor(env: AgentEnv) {
    this.#connection = new IndexConnection(join(amuxHome(env), "index.db"));
  }

  /** The best sessions (or the newest), copies folded. */
  async search(catalogs: readonly Catalog[], query: SessionQuery, context: SummaryContext): Promise<SessionHit[]> {
    const search = this.#begin(catalogs, query, context);
    if (search === undefined) return [];
    const found = new Map<string, Found>();
    for await (const [id, one] of search.outcomes()) {
      if (one) found.set(id, one);
      else found.delete(id);
    }
    const order = query.sort === "date" ? NEWEST_FIRST : BEST_FIRST;
    const settled = await settle([...found.values()].sort(order), {
      limit: query.limit ?? DEFAULT_LIMIT,
      fold: query.foldCopies ?? true,
      examine: async (one) => search.examine(one),
    });
    if (query.index === "fill" && search.lacks > 0) this.#filling = this.#fill(catalogs);
    const best = Math.max(...settled.map(({ score }) => score), Number.MIN_VALUE);
    return settled.flatMap(
      (one) => hitOf(one, one.findings, { relevanceScore: one.score / best, copies: one.copies }, context) ?? [],
    );
  }

  /** Every session as it is found, in no order, copies too. */
  async *stream(
    catalogs: readonly Catalog[],
    query: SessionQuery,
    context: SummaryContext,
  ): AsyncGenerator<SessionHit> {
    const search = this.#begin(catalogs, query, context);
    if (search === undefined) return;
    const given = new Set<string>();
    for await (const [id, one] of search.outcomes()) {
      if (one === undefined || given.has(id) || given.size >= (query.limit ?? Number.POSITIVE_INFINITY)) continue;
      const findings = one.findings ?? search.examine(one);
      const hit = findings?.found ? hitOf(one, findings, { copies: 0 }, context) : undefined;
      if (hit === undefined) continue;
      given.add(id);
      yield hit;
    }
  }

  #begin(catalogs: readonly Catalog[], query: SessionQuery, context: SummaryContext): Search | undefined {
    const parsed = parseQuery(query.text);
    return parsed && new Search(this.#connection, catalogs, query, planOf(parsed), new Filter(query, context));
  }

  /** Takes into the index what it lacks. */
  async buildIndex(catalogs: readonly Catalog[], options: BuildOptions = {}): Promise<BuildResult> {
    return buildIndex(this.#connection.path, catalogs, options);
  }

  /** Goes on after the answer was given; a failure costs nothing but the time of the next search. */
  async #fill(catalogs: readonly Catalog[]): Promise<void> {
    await this.#filling;
    try {
      await this.buildIndex(catalogs, { budgetMs: FILL_MS });
    } catch {
      // No space, no right to write there: everything works without an index.
    }
  }

  /** When no work is left over from an earlier search. */
  async idle(): Promise<void> {
    await this.#filling;
  }

  indexStatus(catalogs: readonly Catalog[]): IndexStatus {
    return indexStatus(this.#connection, catalogs);
  }

  /** False when a process is working on the index. */
  clearIndex(): boolean {
    return clearIndex(this.#connection);
  }
}

/** One question on its way to its answer. */
class Search {
  /** Sessions the index does not know as they are. */
  lacks = 0;
  readonly #connection: IndexConnection;
  readonly #catalogs: readonly Catalog[];
  readonly #withoutIndex: boolean;
  readonly #plan: Plan;
  readonly #filter: Filter;
  readonly #matcher: Matcher;

  constructor(
    connection: IndexConnection,
    catalogs: readonly Catalog[],
    query: SessionQuery,
    plan: Plan,
    filter: Filter,
  ) {
    this.#connection = connection;
    this.#catalogs = catalogs;
    this.#withoutIndex = query.index === "none";
    this.#plan = plan;
    this.#filter = filter;
    this.#matcher = new Matcher(plan);
  }

  examine({ catalog, source, head }: Found): Findings | undefined {
    const known = head();
    return known && examine({ catalog, source, head: known }, this.#matcher);
  }

  /** What becomes of sessions, by unified id; a later outcome replaces an earlier one of the same session. */
  async *outcomes(): AsyncGenerator<[id: string, found: Found | undefined]> {
    const { found, unknown, titleInIndex, uncertainTitles } = this.#connection.ask(this.#withoutIndex, (index) =>
      this.#askIndex(index),
    );
    this.lacks = unknown.length;
    for (const one of found) yield [idOf(one), one];
    const scan = new SessionScan(this.#plan, this.#matcher, this.#filter);
    for await (const one of scan.run(unknown)) yield [idOf(one), one.found];
    for (const catalog of this.#catalogs) {
      const { name } = catalog.adapter;
      if (!uncertainTitles.has(name) && !scan.withForeignTitles.has(name)) continue;
      for (const { source, head } of await retitled(catalog, (id) => titleInIndex(name, id))) {
        yield [joinUnifiedId(name, source.sessionId), scan.examine(catalog, source, head)];
      }
    }
  }

  #askIndex(index: SearchIndex | undefined): IndexAnswer {
    const known: KnownSession[] = [];
    const unknown: UnknownSession[] = [];
    const current = new Set<string>();
    for (const catalog of this.#catalogs) {
      for (const id of catalog.ids()) {
        const source = catalog.source(id)!;
        const indexed = index?.current(catalog, source);
        if (indexed === undefined) unknown.push({ catalog, source });
        else {
          known.push({ catalog, source, indexed });
          current.add(joinUnifiedId(catalog.adapter.name, id));
        }
      }
    }
    const isCurrent = (agent: string, id: string): boolean => current.has(joinUnifiedId(agent, id));
    const holders = index?.sessions.filter(({ hasTitles }) => hasTitles) ?? [];
    return {
      found: index ? foundInIndex(index, known, this.#plan, this.#filter) : [],
      unknown,
      titleInIndex: (agent, id) => (isCurrent(agent, id) ? index?.title(agent, id) : undefined),
      uncertainTitles: new Set(holders.flatMap(({ agent, sessionId }) => (isCurrent(agent, sessionId) ? [] : agent))),
    };
  }
}

interface IndexAnswer {
  found: Found[];
  unknown: UnknownSession[];
  titleInIndex: (agent: string, sessionId: string) => string | undefined;
  /** Agents of whose sessions another one's changed or vanished file held titles. */
  uncertainTitles: ReadonlySet<string>;
}

function idOf({ catalog, source }: UnknownSession): string {
  return joinUnifiedId(catalog.adapter.name, source.sessionId);
}

function hitOf(
  { catalog, source, head: readHead }: Found,
  findings: Findings,
  rank: { relevanceScore?: number; copies: number },
  context: SummaryContext,
): SessionHit | undefined {
  const head = readHead();
  return (
    head && {
      ...summaryOf(catalog.adapter.name, source, head, context),
      ...rank,
      matches: findings.places,
      titleMarks: findings.titleMarks,
    }
  );
}
