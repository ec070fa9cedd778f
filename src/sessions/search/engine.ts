/**
 * Full-text search over the conversations of all agents. Sessions whose files the index knows as they are now are
 * answered from it; all others are read. Either way the same sessions are found, in the same order.
 */
import { join } from "node:path";
import type { AgentEnv } from "../../agents/adapter.ts";
import { amuxHome } from "../../lib/paths.ts";
import type { Catalog } from "../catalog.ts";
import type { SessionQuery } from "../options.ts";
import { summaryOf, type SummaryContext } from "../summary.ts";
import { Filter } from "./filter.ts";
import { BEST_FIRST, NEWEST_FIRST, settle, type Found, type Settled } from "./found.ts";
import { foundInIndex, type KnownSession } from "./from-index.ts";
import type { SessionHit } from "./hit.ts";
import { buildIndex, type BuildOptions, type BuildResult } from "./index-builder.ts";
import { IndexConnection } from "./index-connection.ts";
import { clearIndex, indexStatus, type IndexStatus } from "./index-status.ts";
import { Matcher } from "./matcher.ts";
import { planOf, type Plan } from "./plan.ts";
import { parseQuery } from "./query.ts";
import { readSessions, type UnknownSession } from "./read-sessions.ts";
import { signatureOf } from "./signature.ts";
import { examine } from "./subject.ts";

const DEFAULT_LIMIT = 50;
/** Not noticed behind an answer, and enough to keep up with a day's work. */
const FILL_MS = 300;

export class SearchEngine {
  readonly #connection: IndexConnection;
  /** Sessions the last search had to read. */
  #lacks = 0;
  #filling: Promise<void> = Promise.resolve();

  constructor(env: AgentEnv) {
    this.#connection = new IndexConnection(join(amuxHome(env), "index.db"));
  }

  async search(catalogs: readonly Catalog[], query: SessionQuery, context: SummaryContext): Promise<SessionHit[]> {
    const parsed = parseQuery(query.text);
    if (parsed === undefined) return [];
    const plan = planOf(parsed);
    const matcher = new Matcher(plan);
    const found: Found[] = [];
    for await (const one of this.#find(catalogs, query, plan, matcher, context)) found.push(one);
    const settled = await settle(found.sort(query.sort === "date" ? NEWEST_FIRST : BEST_FIRST), {
      limit: query.limit ?? DEFAULT_LIMIT,
      fold: query.foldCopies ?? true,
      examine: async (one) => {
        const head = one.head();
        return head && examine({ catalog: one.catalog, source: one.source, head }, matcher);
      },
    });
    if (query.index === "fill" && this.#lacks > 0) this.#filling = this.#fill(catalogs);
    const best = Math.max(...settled.map(({ score }) => score), Number.MIN_VALUE);
    return settled.flatMap((one) => hitOf(one, one.score / best, context) ?? []);
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

  async *#find(
    catalogs: readonly Catalog[],
    query: SessionQuery,
    plan: Plan,
    matcher: Matcher,
    context: SummaryContext,
  ): AsyncGenerator<Found> {
    const filter = new Filter(query, context);
    const { found, unknown } = this.#connection.ask(query.index === "none", (index) => {
      const known: KnownSession[] = [];
      const unknown: UnknownSession[] = [];
      for (const catalog of catalogs) {
        for (const id of catalog.ids()) {
          const source = catalog.source(id)!;
          const indexed = index?.find(catalog.adapter.name, id);
          if (indexed?.signature === signatureOf(source)) known.push({ catalog, source, indexed });
          else unknown.push({ catalog, source });
        }
      }
      this.#lacks = unknown.length;
      return { found: index ? foundInIndex(index, known, plan, filter) : [], unknown };
    });
    yield* found;
    yield* readSessions(unknown, plan, matcher, filter);
  }
}

function hitOf(settled: Settled, relevanceScore: number, context: SummaryContext): SessionHit | undefined {
  const { catalog, source, findings, copies } = settled;
  const head = settled.head();
  return (
    head && {
      ...summaryOf(catalog.adapter.name, source, head, context),
      relevanceScore,
      matches: findings.places,
      titleMarks: findings.titleMarks,
      copies,
    }
  );
}
