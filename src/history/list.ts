/** Lists sessions: reads the heads of all, and in full only the sessions that are returned. */
import { resolve, sep } from "node:path";
import type { SessionSummary } from "../core/session.ts";
import type { Catalog } from "./catalog.ts";
import { needsCounts, sorted } from "./list-order.ts";
import { ListRow } from "./list-row.ts";
import type { SessionListOptions } from "./options.ts";
import { sessionCosts, type SummaryContext } from "./summary.ts";

export const DEFAULT_LIMIT = 100;
/** Reading this much takes a fraction of a second; a listing that needs more returns partial rows. */
const AUTO_COUNT_BYTES = 96 * 1024 * 1024;

/** Sessions of one or several agents in one list. */
export async function listSessions(
  catalogs: readonly Catalog[],
  options: SessionListOptions,
  context: SummaryContext,
): Promise<SessionSummary[]> {
  const rows: ListRow[] = [];
  for (const catalog of catalogs) for (const row of await matching(catalog, options, context)) rows.push(row);
  // Each agent's share is known only after the merge, so rows are counted then.
  const chosen = sorted(rows, options).slice(0, options.limit ?? DEFAULT_LIMIT);
  for (const catalog of catalogs) {
    const own = chosen.filter(({ agent }) => agent === catalog.adapter.name);
    await complete(catalog, own, options, context);
  }
  return chosen.map((row) => row.summary());
}

/** Models, cost and length require the whole session. */
async function matching(catalog: Catalog, options: SessionListOptions, context: SummaryContext): Promise<ListRow[]> {
  const { model, modelPart, sort } = options;
  const rows = await matchingRows(catalog, options, context);
  const hasModel = model !== undefined || modelPart !== undefined;
  if (hasModel || needsCounts(sort)) await count(catalog, rows, context);
  if (!hasModel) return rows;
  const part = modelPart?.toLowerCase() ?? "";
  const fits = (id: string): boolean => (model === undefined || id === model) && id.toLowerCase().includes(part);
  return rows.filter((row) => row.account?.models.some(fits) || fits(row.model ?? ""));
}

/** Filters on heads alone. */
export type HeadFilters = Pick<
  SessionListOptions,
  "since" | "until" | "tags" | "cwd" | "under" | "branch" | "title" | "starred" | "only"
>;

export async function matchingRows(
  catalog: Catalog,
  filters: HeadFilters,
  context: SummaryContext,
): Promise<ListRow[]> {
  const rows: ListRow[] = [];
  for (const entry of (await catalog.entries()).values()) {
    const row = new ListRow(catalog.adapter.name, entry, context);
    if (matches(row, filters, context)) rows.push(row);
  }
  return rows;
}

function matches(row: ListRow, filters: HeadFilters, { runs }: SummaryContext): boolean {
  const { since, until, tags = [], cwd, under, branch, title, starred, only } = filters;
  const { agent, sessionId } = row;
  const { head } = row.entry;
  if (since && row.createdAt < since.getTime()) return false;
  if (until && row.createdAt > until.getTime()) return false;
  if (tags.length > 0 && !runs.tagsOf(agent, sessionId).some((tag) => tags.includes(tag))) return false;
  if (cwd !== undefined && (head.cwd === undefined || resolve(head.cwd) !== resolve(cwd))) return false;
  if (under !== undefined && !isUnder(head.cwd, resolve(under))) return false;
  if (branch !== undefined && head.branch !== branch) return false;
  if (title !== undefined && !row.title.toLowerCase().includes(title.toLowerCase())) return false;
  if (starred === true && runs.labelOf(agent, sessionId)?.starred !== true) return false;
  return only === undefined || only.has(row.unifiedId);
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
  const found = sessionIds.flatMap((id) => entries.get(id) ?? []);
  const rows = found.map((entry) => new ListRow(catalog.adapter.name, entry, context));
  await complete(catalog, rows, options, context);
  return rows.map((row) => row.summary());
}

/** Adds parents of forks to the returned rows, and counts unless disabled or too slow. */
async function complete(
  catalog: Catalog,
  rows: readonly ListRow[],
  { counts }: SessionListOptions,
  context: SummaryContext,
): Promise<void> {
  if (rows.length === 0) return;
  // Before counting, so that all rows agree.
  await catalog.resolveForks(rows.map(({ sessionId }) => sessionId));
  if (counts !== false) await count(catalog, counts === true ? rows : withinBudget(catalog, rows), context);
}

/** Adds counts and cost. */
async function count(catalog: Catalog, rows: readonly ListRow[], context: SummaryContext): Promise<void> {
  const related = await catalog.related();
  const ids = rows.flatMap(({ sessionId }) => [sessionId, ...related.descendants(sessionId)]);
  const accounts = catalog.accounts(context.prices);
  await accounts.know(ids);
  const costOf = sessionCosts(accounts, related, context.runs, catalog.adapter.name);
  for (const row of rows) {
    row.account = accounts.get(row.sessionId);
    if (row.account) row.cost = costOf(row.sessionId);
  }
}

function withinBudget(catalog: Catalog, rows: readonly ListRow[]): ListRow[] {
  const chosen: ListRow[] = [];
  let bytes = 0;
  const databases = new Set<string>();
  for (const row of rows) {
    for (const file of row.entry.source.files) {
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
