/** Lists sessions of one agent: heads of all, whole sessions only for what is returned. */
import type { SessionSummary } from "../core/session.ts";
import type { Catalog } from "./catalog.ts";
import type { SessionListOptions } from "./options.ts";
import { exactSummary, sessionCosts, type SummaryContext } from "./summary.ts";
import { matchingHeads } from "./matching-heads.ts";
import { withForeignFacts } from "./cost/account.ts";

export const DEFAULT_LIMIT = 100;
/** Reading this much for counts takes a fraction of a second; a listing that needs more shows what it has. */
const AUTO_COUNT_BYTES = 96 * 1024 * 1024;

export interface ListScope extends SessionListOptions {
  /** Only these sessions. */
  only?: ReadonlySet<string>;
}

export async function listSessions(
  catalog: Catalog,
  options: ListScope,
  context: SummaryContext,
): Promise<SessionSummary[]> {
  if (wantsAllCounted(catalog, options)) await catalog.accounts(context.prices).countAll();
  const entries = await catalog.entries();
  const found = await matchingHeads(catalog, options, context);
  // Which models a session used, what it cost and how long it is are only known from the whole of it.
  const needsAll = options.model !== undefined || options.sort === "cost" || options.sort === "turns";
  // Of thousands a few are shown: only of those more is made than what puts them in order.
  const made = needsAll ? found : sorted(found, options).slice(0, options.limit ?? DEFAULT_LIMIT);
  const byId = new Map(made.map((row) => [row.sessionId, row.summary()]));
  if (needsAll) await count(catalog, byId, byId.keys(), context);
  let rows = [...byId.values()];
  const { model } = options;
  if (model !== undefined) {
    const accounts = await catalog.accounts(context.prices).of(ids(rows));
    rows = rows.filter((row) => row.model === model || accounts.get(row.sessionId)?.models.includes(model));
  }
  if (needsAll) rows = sorted(rows, options).slice(0, options.limit ?? DEFAULT_LIMIT);
  else if (options.counts !== false) {
    await count(catalog, byId, options.counts === true ? ids(rows) : withinBudget(catalog, rows), context);
  }
  await catalog.resolveForks(ids(rows));
  return rows.map((row) => {
    const final = byId.get(row.sessionId)!;
    const forkedFrom = entries.get(row.sessionId)!.head.forkedFrom;
    return forkedFrom === undefined ? final : { ...final, forkedFrom };
  });
}

/** Every session is in the answer, with its counts. */
function wantsAllCounted(
  { size }: Catalog,
  { counts, only, limit = DEFAULT_LIMIT, since, until, tags = [], cwd }: ListScope,
): boolean {
  const isFiltered = only !== undefined || since !== undefined || until !== undefined || cwd !== undefined;
  return counts === true && !isFiltered && tags.length === 0 && limit >= size;
}

function* ids(rows: readonly SessionSummary[]): Generator<string> {
  for (const row of rows) yield row.sessionId;
}

/** Replaces partial summaries by exact ones. */
async function count(
  catalog: Catalog,
  byId: Map<string, SessionSummary>,
  wanted: Iterable<string>,
  context: SummaryContext,
): Promise<void> {
  const agent = catalog.adapter.name;
  const chosen = [...wanted];
  const kin = await catalog.kin();
  const entries = await catalog.entries();
  const helpers = chosen.flatMap((id) => [...kin.descendants(id)]);
  const accounts = await catalog.accounts(context.prices).of([...chosen, ...helpers]);
  const costOf = sessionCosts(accounts, kin, context.runs, agent);
  for (const id of chosen) {
    const account = accounts.get(id);
    const source = catalog.source(id);
    if (!account || !source) continue;
    const head = withForeignFacts(account.head, entries.get(id));
    const { messageCount, turnCount } = account;
    byId.set(id, exactSummary(agent, source, { head, messageCount, turnCount }, costOf(id, head), context));
  }
}

function withinBudget(catalog: Catalog, rows: readonly SessionSummary[]): string[] {
  const chosen: string[] = [];
  let bytes = 0;
  const databases = new Set<string>();
  for (const { sessionId } of rows) {
    const source = catalog.source(sessionId)!;
    for (const file of source.files) {
      // A database holds many sessions but is not read whole for each of them.
      if (catalog.adapter.capabilities.sessionPersistence === "sqlite" && databases.has(file.path)) continue;
      databases.add(file.path);
      bytes += file.size;
    }
    if (bytes > AUTO_COUNT_BYTES) break;
    chosen.push(sessionId);
  }
  return chosen;
}

type Sortable = Pick<SessionSummary, "unifiedId" | "updatedAt"> & Partial<Pick<SessionSummary, "cost" | "turnCount">>;

export function sorted<Row extends Sortable>(
  rows: readonly Row[],
  { sort = "date", sortDirection = "desc" }: SessionListOptions,
): Row[] {
  const value = (row: Row): number => {
    if (sort === "cost") return row.cost?.totalUsd ?? 0;
    if (sort === "turns") return row.turnCount ?? 0;
    return row.updatedAt.getTime();
  };
  const sign = sortDirection === "asc" ? 1 : -1;
  return rows
    .map((row) => ({ row, value: sign * value(row) }))
    .sort((a, b) => a.value - b.value || (a.row.unifiedId < b.row.unifiedId ? -1 : 1))
    .map(({ row }) => row);
}
