/**
 * Full-text search over the sessions of all agents. Sessions that are current in the index are answered from it; all others are
 * read. Both ways give the same sessions in the same order.
 */
import { statSync } from "node:fs";
import { join } from "node:path";
import type { AgentEnv } from "../../agents/adapter.ts";
import type { SessionSummary } from "../../core/session.ts";
import { amuxHome } from "../../lib/fs/paths.ts";
import { acquireLock } from "../../lib/process/process-lock.ts";
import { isCopied } from "../cache/copied.ts";
import { lockPath, removeDatabase } from "../cache/database.ts";
import type { Catalog } from "../catalog.ts";
import { listedSessions } from "../list.ts";
import type { SessionQuery } from "../options.ts";
import { summaryOf, type SummaryContext } from "../summary.ts";
import { Filter, filterOf } from "./filter.ts";
import { BEST_FIRST, NEWEST_FIRST, settle, type Found, type Order, type SessionHit } from "./results.ts";
import { buildIndex, type BuildOptions, type BuildResult } from "./index-builder.ts";
import { IndexConnection } from "./index-reader.ts";
import { IndexFilling, type FillingOptions } from "./index-filling.ts";
import type { Findings } from "./matcher.ts";
import { noteHit } from "./native-search.ts";
import { planOf } from "./plan.ts";
import { parseQuery } from "./query.ts";
import { RunningSearch } from "./running-search.ts";

const DEFAULT_LIMIT = 50;

export class SearchEngine {
  readonly #connection: IndexConnection;
  readonly #filling: IndexFilling;

  constructor(env: AgentEnv, filling: FillingOptions = {}) {
    this.#filling = new IndexFilling((catalogs, options) => this.buildIndex(catalogs, options), filling);
    this.#connection = new IndexConnection(join(amuxHome(env), "index.db"));
  }

  /** The best, newest or most expensive sessions, with copies folded. */
  async search(catalogs: readonly Catalog[], query: SessionQuery, context: SummaryContext): Promise<SessionHit[]> {
    return await this.#filling.whileSearching(() => this.#search(catalogs, query, context));
  }

  async #search(catalogs: readonly Catalog[], query: SessionQuery, context: SummaryContext): Promise<SessionHit[]> {
    const limit = query.limit ?? DEFAULT_LIMIT;
    const question = this.#ask(query, limit, context);
    if (question === undefined) return [];
    const asked = question.ask(catalogs);
    const isLacking = query.index === "fill" && question.isBehind;
    this.#filling.found(isLacking ? catalogs.map((catalog) => catalog.unwatched()) : []);
    let byId: Map<string, Found> | undefined;
    for await (const [id, one] of asked.others) {
      byId ??= new Map(asked.found.map((known) => [known.unifiedId, known]));
      if (one) byId.set(id, one);
      else byId.delete(id);
    }
    const all = byId ? [...byId.values()] : asked.found;
    const { found, order, exact } = await ordered(all, query, question, context);
    const fold = query.foldCopies ?? true;
    const read = query.matches ?? true;
    const settled = await settle(found, { order, limit, fold, read, examine: (one) => question.examine(one) });
    const scores = [...settled.map((one) => one.found.score), ...question.notes.map(({ hit }) => hit.score)];
    const best = scores.reduce((most, score) => Math.max(most, score), 0);
    const relative = (score: number): number => (best > 0 ? score / best : 1);
    const hits = settled.flatMap(({ found: one, findings, copies }) => {
      const summary = exact.get(one.unifiedId) ?? partialSummary(one, context);
      const rank = { relevanceScore: relative(one.score), score: one.score, copies };
      return summary ? [hitOf(summary, findings, question, rank)] : [];
    });
    const known = new Set(hits.map(({ unifiedId }) => unifiedId));
    const notes = question.notes
      .map(({ agent, hit }) => noteHit(agent, hit, relative(hit.score)))
      // A note from a session that is already a hit adds nothing.
      .filter(({ unifiedId }) => !known.has(unifiedId));
    return [...hits, ...notes].slice(0, limit);
  }

  /** Yields every session as it is found, unordered, copies included. */
  async *stream(
    catalogs: readonly Catalog[],
    query: SessionQuery,
    context: SummaryContext,
  ): AsyncGenerator<SessionHit> {
    const limit = query.limit ?? Number.POSITIVE_INFINITY;
    const question = this.#ask(query, query.limit ?? DEFAULT_LIMIT, context);
    if (question === undefined) return;
    const { found, others } = question.ask(catalogs);
    // A session from the index may match again under another title.
    const given = new Set<string>();
    for await (const one of eachFound(found, others)) {
      const findings = given.has(one.unifiedId) ? undefined : (one.findings ?? question.examine(one));
      const summary = findings && partialSummary(one, context);
      if (!findings || !summary) continue;
      given.add(one.unifiedId);
      yield hitOf(summary, findings, question, { copies: 0 });
      if (given.size >= limit) return;
    }
  }

  #ask(query: SessionQuery, limit: number, { runs }: SummaryContext): RunningSearch | undefined {
    const parsed = parseQuery(query.text);
    if (parsed === undefined) return undefined;
    const filter = new Filter(filterOf(query), runs);
    return new RunningSearch(this.#connection, query, { plan: planOf(parsed), filter, labels: runs.labels, limit });
  }

  /** Adds missing sessions to the index. */
  async buildIndex(catalogs: readonly Catalog[], options: BuildOptions = {}): Promise<BuildResult> {
    return buildIndex(this.#connection.path, catalogs, options);
  }

  /** Adds some of the sessions that the last search missed in the index. */
  fillBehind(): void {
    this.#filling.answered();
  }

  /** Resolves when no work is left from an earlier search. */
  async idle(): Promise<void> {
    await this.#filling.idle();
  }

  indexStatus(catalogs: readonly Catalog[]): IndexStatus {
    return indexStatus(this.#connection, catalogs);
  }

  /** False if another process uses the index. */
  clearIndex(): boolean {
    return clearIndex(this.#connection);
  }
}

async function* eachFound(
  found: readonly Found[],
  others: AsyncIterable<[id: string, found: Found | undefined]>,
): AsyncGenerator<Found> {
  yield* found;
  for await (const [, one] of others) if (one) yield one;
}

interface Ordered {
  found: Found[];
  order: Order;
  /** By unified id, for sessions whose cost was needed. */
  exact: Map<string, SessionSummary>;
}

async function ordered(
  found: Found[],
  { sort }: SessionQuery,
  question: RunningSearch,
  context: SummaryContext,
): Promise<Ordered> {
  const exact = new Map<string, SessionSummary>();
  if (sort !== "cost") return { found, order: sort === "date" ? NEWEST_FIRST : BEST_FIRST, exact };
  // Confirm uncertain sessions first: counting takes longer than searching.
  const certain = found.filter((one) => one.certain || (one.findings = question.examine(one)));
  const catalogs = new Set(certain.map(({ catalog }) => catalog));
  for (const catalog of catalogs) {
    const ids = certain.filter((one) => one.catalog === catalog).map(({ source }) => source.sessionId);
    for (const row of await listedSessions(catalog, ids, { counts: true }, context)) exact.set(row.unifiedId, row);
  }
  return { found: certain, order: (one) => exact.get(one.unifiedId)?.cost?.totalUsd ?? 0, exact };
}

function partialSummary(found: Found, context: SummaryContext): SessionSummary | undefined {
  const head = found.head();
  return head && summaryOf(found.catalog.adapter.name, found.source, head, context);
}

function hitOf(
  summary: SessionSummary,
  findings: Findings | undefined,
  question: RunningSearch,
  rank: { relevanceScore?: number; score?: number; copies: number },
): SessionHit {
  // The displayed title may be a given name.
  const titleMarks = findings ? question.marksIn(summary.title) : [];
  // The summary is not shared.
  return Object.assign(summary, rank, { matches: findings?.places ?? [], titleMarks });
}

export interface AgentIndexStatus {
  agent: string;
  sessions: number;
  /** Current in the index. */
  current: number;
  /** Indexed, but changed since. */
  outdated: number;
  missing: number;
  /** Bytes that are outdated or missing. */
  bytesToRead: number;
}

export interface IndexStatus {
  path: string;
  exists: boolean;
  bytes: number;
  /** Another process is filling it now. */
  building: boolean;
  /** The index was copied: outdated sessions may differ only in inodes. The next build finds out. */
  copied: boolean;
  agents: AgentIndexStatus[];
}

function indexStatus(connection: IndexConnection, catalogs: readonly Catalog[]): IndexStatus {
  const { path } = connection;
  const copied = connection.ask(false, (index) => index !== undefined && isCopied(index.database));
  const agents = connection.ask(false, (index) =>
    catalogs.map((catalog) => {
      const { name: agent } = catalog.adapter;
      const status: AgentIndexStatus = { agent, sessions: 0, current: 0, outdated: 0, missing: 0, bytesToRead: 0 };
      for (const id of catalog.ids()) {
        const source = catalog.source(id)!;
        status.sessions++;
        if (index?.current(catalog, source)) status.current++;
        else {
          status[index?.of(agent).get(id) ? "outdated" : "missing"]++;
          status.bytesToRead += source.files.reduce((sum, file) => sum + file.size, 0);
        }
      }
      return status;
    }),
  );
  return {
    path,
    exists: sizeOf(path) !== undefined,
    bytes: sizeWithLog(path),
    building: isLocked(path),
    copied,
    agents,
  };
}

function sizeOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.size;
}

function sizeWithLog(path: string): number {
  return (sizeOf(path) ?? 0) + (sizeOf(`${path}-wal`) ?? 0);
}

function isLocked(path: string): boolean {
  if (sizeOf(lockPath(path)) === undefined) return false;
  const lock = acquireLock(lockPath(path));
  lock?.release();
  return lock === undefined;
}

function clearIndex(connection: IndexConnection): boolean {
  const { path } = connection;
  if (sizeOf(path) === undefined) return true;
  const lock = acquireLock(lockPath(path));
  if (lock === undefined) return false;
  try {
    connection.close();
    removeDatabase(path);
    return true;
  } finally {
    lock.release();
  }
}
