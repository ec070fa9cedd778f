/** Lists sessions of one agent: heads of all, whole sessions only for what is returned. */
import type { SessionSummary } from "../core/session.ts";
import type { Catalog } from "./catalog.ts";
import type { SessionListOptions } from "./options.ts";
import { exactSummary, sessionCosts, type SummaryContext } from "./summary.ts";
import { isFiltered, matchingHeads, type MatchingHead } from "./matching-heads.ts";
import { withForeignFacts } from "./cost/account.ts";

export const DEFAULT_LIMIT = 100;
/** Reading this much for counts takes a fraction of a second; a listing that needs more shows what it has. */
const AUTO_COUNT_BYTES = 96 * 1024 * 1024;

export async function listSessions(
  catalog: Catalog,
  options: SessionListOptions,
  context: SummaryContext,
): Promise<SessionSummary[]> {
  if (!isOfWhole(options)) {
    const found = await newest(catalog, options, context);
    const heads = found.map((row) => row.summary());
    return completed(catalog, heads, options, context);
  }
  const { model, limit = DEFAULT_LIMIT } = options;
  const found = await matchingHeads(catalog, options, context);
  const heads = found.map((row) => row.summary());
  let rows = await counted(catalog, heads, heads, context);
  if (model !== undefined) {
    const accounts = await catalog.accounts(context.prices).of(ids(rows));
    rows = rows.filter((row) => row.model === model || accounts.get(row.sessionId)?.models.includes(model));
  }
  rows = sorted(rows, options).slice(0, limit);
  await catalog.resolveForks(ids(rows));
  return withParents(catalog, rows);
}

/** Which models a session used, what it cost and how long it is are only known from the whole of it. */
export function isOfWhole({ model, sort }: SessionListOptions): boolean {
  return model !== undefined || sort === "cost" || sort === "turns";
}

/** Of thousands a few are shown: only of those more is made than what puts them in order. */
export async function newest(
  catalog: Catalog,
  options: SessionListOptions,
  context: SummaryContext,
): Promise<MatchingHead[]> {
  if (wantsAllCounted(catalog, options)) await catalog.accounts(context.prices).countAll();
  return sorted(await matchingHeads(catalog, options, context), options).slice(0, options.limit ?? DEFAULT_LIMIT);
}

/** The rows that are shown: counted, unless that is not wanted or takes too long, and with what forks came from. */
export async function completed(
  catalog: Catalog,
  rows: readonly SessionSummary[],
  { counts }: SessionListOptions,
  context: SummaryContext,
): Promise<SessionSummary[]> {
  // Before counting, so that a row tells of it where all rows do.
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

/** Every session is in the answer, with its counts. */
function wantsAllCounted({ size }: Catalog, options: SessionListOptions): boolean {
  const { counts, limit = DEFAULT_LIMIT } = options;
  return counts === true && !isFiltered(options) && limit >= size;
}

function* ids(rows: readonly SessionSummary[]): Generator<string> {
  for (const row of rows) yield row.sessionId;
}

/** The same rows, those of `wanted` with their counts and cost. */
async function counted(
  catalog: Catalog,
  rows: readonly SessionSummary[],
  wanted: readonly SessionSummary[],
  context: SummaryContext,
): Promise<SessionSummary[]> {
  const agent = catalog.adapter.name;
  const kin = await catalog.kin();
  const entries = await catalog.entries();
  const helpers = wanted.flatMap(({ sessionId }) => [...kin.descendants(sessionId)]);
  const accounts = await catalog.accounts(context.prices).of([...ids(wanted), ...helpers]);
  const costOf = sessionCosts(accounts, kin, context.runs, agent);
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
      // A database holds many sessions but is not read whole for each of them.
      if (catalog.adapter.capabilities.sessionPersistence === "sqlite" && databases.has(file.path)) continue;
      databases.add(file.path);
      bytes += file.size;
    }
    if (bytes > AUTO_COUNT_BYTES) break;
    chosen.push(row);
  }
  return chosen;
}

type Sortable = Pick<SessionSummary, "unifiedId" | "createdAt" | "updatedAt"> &
  Partial<Pick<SessionSummary, "cost" | "turnCount">>;

export function sorted<Row extends Sortable>(
  rows: readonly Row[],
  { sort = "date", sortDirection = "desc" }: SessionListOptions,
): Row[] {
  const value = (row: Row): number => {
    if (sort === "cost") return row.cost?.totalUsd ?? 0;
    if (sort === "turns") return row.turnCount ?? 0;
    if (sort === "duration") return row.updatedAt.getTime() - row.createdAt.getTime();
    return row.updatedAt.getTime();
  };
  const sign = sortDirection === "asc" ? 1 : -1;
  return rows
    .map((row) => ({ row, value: sign * value(row) }))
    .sort((a, b) => a.value - b.value || (a.row.unifiedId < b.row.unifiedId ? -1 : 1))
    .map(({ row }) => row);
}
