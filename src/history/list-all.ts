/** Sessions of several agents in one list. */
import type { SessionSummary } from "../core/session.ts";
import type { Catalog } from "./catalog.ts";
import { completed, DEFAULT_LIMIT, isOfWhole, listSessions, newest, sorted } from "./list.ts";
import type { MatchingHead } from "./matching-heads.ts";
import type { SessionListOptions } from "./options.ts";
import type { SummaryContext } from "./summary.ts";

export async function listAllSessions(
  catalogs: readonly Catalog[],
  options: SessionListOptions,
  context: SummaryContext,
): Promise<SessionSummary[]> {
  const { limit = DEFAULT_LIMIT } = options;
  if (isOfWhole(options)) {
    const rows: SessionSummary[] = [];
    for (const catalog of catalogs) rows.push(...(await listSessions(catalog, options, context)));
    return sorted(rows, options).slice(0, limit);
  }
  // Each agent's share is not known before the merge, so the exact reading of rows waits until after it.
  const catalogOf = new Map<MatchingHead, Catalog>();
  for (const catalog of catalogs)
    for (const row of await newest(catalog, options, context)) catalogOf.set(row, catalog);
  const chosen = sorted([...catalogOf.keys()], options).slice(0, limit);
  const exact = new Map<string, SessionSummary>();
  for (const catalog of catalogs) {
    const own = chosen.filter((row) => catalogOf.get(row) === catalog).map((row) => row.summary());
    if (own.length === 0) continue;
    for (const row of await completed(catalog, own, options, context)) exact.set(row.unifiedId, row);
  }
  return chosen.map((row) => exact.get(row.unifiedId)!);
}
