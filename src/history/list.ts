/** Lists sessions: reads the heads of all, and in full only the sessions that are returned. */
import { resolve, sep } from "node:path";
import type { SessionSummary } from "../core/session.ts";
import type { Catalog } from "./catalog.ts";
import { listOrder, needsCounts } from "./list-order.ts";
import type { SessionListOptions } from "./options.ts";
import { exactSummary, sessionCosts, summaryOf, type SummaryContext } from "./summary.ts";
import { withForeignFacts } from "./cost/account.ts";

export const DEFAULT_LIMIT = 100;
/** Reading this much takes a fraction of a second; a listing that needs more returns partial rows. */
const AUTO_COUNT_BYTES = 96 * 1024 * 1024;

/** Sessions of one or several agents in one list. */
export async function listSessions(
  catalogs: readonly Catalog[],
  options: SessionListOptions,
  context: SummaryContext,
): Promise<SessionSummary[]> {
  const catalogOf = new Map<SessionSummary, Catalog>();
  for (const catalog of catalogs)
    for (const row of await matching(catalog, options, context)) catalogOf.set(row, catalog);
  // Each agent's share is known only after the merge, so rows are counted then.
  const chosen = sorted([...catalogOf.keys()], options).slice(0, options.limit ?? DEFAULT_LIMIT);
  const exact = new Map<string, SessionSummary>();
  for (const catalog of catalogs) {
    const own = chosen.filter((row) => catalogOf.get(row) === catalog);
    for (const row of await completed(catalog, own, options, context)) exact.set(row.unifiedId, row);
  }
  return chosen.map((row) => exact.get(row.unifiedId)!);
}

/** Models, cost and length require the whole session. */
async function matching(
  catalog: Catalog,
  options: SessionListOptions,
  context: SummaryContext,
): Promise<SessionSummary[]> {
  const { model, modelPart, sort } = options;
  const heads = await matchingHeads(catalog, options, context);
  const hasModel = model !== undefined || modelPart !== undefined;
  if (!hasModel && !needsCounts(sort)) return heads;
  const rows = await counted(catalog, heads, heads, context);
  if (!hasModel) return rows;
  const accounts = await catalog.accounts(context.prices).of(ids(rows));
  const part = modelPart?.toLowerCase() ?? "";
  const fits = (id: string): boolean => (model === undefined || id === model) && id.toLowerCase().includes(part);
  return rows.filter((row) => [row.model ?? "", ...(accounts.get(row.sessionId)?.models ?? [])].some(fits));
}

/** Filters on heads alone. */
export type HeadFilters = Pick<
  SessionListOptions,
  "since" | "until" | "tags" | "cwd" | "under" | "branch" | "title" | "starred" | "only"
>;

export async function matchingHeads(
  catalog: Catalog,
  filters: HeadFilters,
  context: SummaryContext,
): Promise<SessionSummary[]> {
  const entries = [...(await catalog.entries()).values()];
  const rows = entries.map(({ source, head }) => summaryOf(catalog.adapter.name, source, head, context));
  return rows.filter((row) => matches(row, filters));
}

function matches(summary: SessionSummary, filters: HeadFilters): boolean {
  const { since, until, tags = [], cwd, under, branch, title, starred, only } = filters;
  if (since && summary.createdAt < since) return false;
  if (until && summary.createdAt > until) return false;
  if (tags.length > 0 && !tags.some((tag) => summary.tags.includes(tag))) return false;
  if (cwd !== undefined && (summary.cwd === undefined || resolve(summary.cwd) !== resolve(cwd))) return false;
  if (under !== undefined && !isUnder(summary.cwd, resolve(under))) return false;
  if (branch !== undefined && summary.branch !== branch) return false;
  if (title !== undefined && !summary.title.toLowerCase().includes(title.toLowerCase())) return false;
  if (starred === true && summary.starred !== true) return false;
  return only === undefined || only.has(summary.unifiedId);
}

function isUnder(path: string | undefined, directory: string): boolean {
  if (path === undefined) return false;
  const own = resolve(path);
  return own === directory || own.startsWith(directory === sep ? sep : `${directory}${sep}`);
}

/** These sessions, if they have a conversation. */
export async function listedSessions(
  catalog: Catalog,
  sessionIds: readonly string[],
  options: SessionListOptions,
  context: SummaryContext,
): Promise<SessionSummary[]> {
  const entries = await catalog.entries();
  const rows = sessionIds
    .flatMap((id) => entries.get(id) ?? [])
    .map(({ source, head }) => summaryOf(catalog.adapter.name, source, head, context));
  return completed(catalog, rows, options, context);
}

/** The returned rows, with parents of forks, and with counts unless disabled or too slow. */
async function completed(
  catalog: Catalog,
  rows: readonly SessionSummary[],
  { counts }: SessionListOptions,
  context: SummaryContext,
): Promise<SessionSummary[]> {
  if (rows.length === 0) return [];
  // Before counting, so that all rows agree.
  await catalog.resolveForks(ids(rows));
  if (counts === false) return withParents(catalog, rows);
  const wanted = counts === true ? rows : withinBudget(catalog, rows);
  return withParents(catalog, await counted(catalog, rows, wanted, context));
}

async function withParents(catalog: Catalog, rows: readonly SessionSummary[]): Promise<SessionSummary[]> {
  const entries = await catalog.entries();
  return rows.map((row) => {
    const { forkedFrom } = entries.get(row.sessionId)!.head;
    return forkedFrom === undefined ? row : { ...row, forkedFrom };
  });
}

function* ids(rows: readonly SessionSummary[]): Generator<string> {
  for (const row of rows) yield row.sessionId;
}

/** The same rows; those in `wanted` with counts and cost. */
async function counted(
  catalog: Catalog,
  rows: readonly SessionSummary[],
  wanted: readonly SessionSummary[],
  context: SummaryContext,
): Promise<SessionSummary[]> {
  const agent = catalog.adapter.name;
  const related = await catalog.related();
  const entries = await catalog.entries();
  const helpers = wanted.flatMap(({ sessionId }) => [...related.descendants(sessionId)]);
  const accounts = await catalog.accounts(context.prices).of([...ids(wanted), ...helpers]);
  const costOf = sessionCosts(accounts, related, context.runs, agent);
  const isWanted = new Set(ids(wanted));
  return rows.map((row) => {
    const id = row.sessionId;
    const account = isWanted.has(id) ? accounts.get(id) : undefined;
    const source = catalog.source(id);
    if (!account || !source) return row;
    const head = withForeignFacts(account.head, entries.get(id));
    const { messageCount, turnCount } = account;
    return exactSummary(agent, source, { head, messageCount, turnCount }, costOf(id, head), context);
  });
}

function withinBudget(catalog: Catalog, rows: readonly SessionSummary[]): SessionSummary[] {
  const chosen: SessionSummary[] = [];
  let bytes = 0;
  const databases = new Set<string>();
  for (const row of rows) {
    const source = catalog.source(row.sessionId)!;
    for (const file of source.files) {
      // A database holds many sessions and is not read in full for each.
      if (catalog.adapter.capabilities.sessionPersistence === "sqlite" && databases.has(file.path)) continue;
      databases.add(file.path);
      bytes += file.size;
    }
    if (bytes > AUTO_COUNT_BYTES) break;
    chosen.push(row);
  }
  return chosen;
}

export function sorted(rows: readonly SessionSummary[], { sort, sortDirection }: SessionListOptions): SessionSummary[] {
  const order = listOrder(sort, sortDirection);
  return rows.toSorted((a, b) => order(a, b) || (a.unifiedId < b.unifiedId ? -1 : 1));
}
