/** Sessions of several agents in one list. */
import type { SessionSummary } from "../core/session.ts";
import type { Catalog } from "./catalog.ts";
import { DEFAULT_LIMIT, listSessions, sorted } from "./list.ts";
import type { SessionListOptions } from "./options.ts";
import type { SummaryContext } from "./summary.ts";

export async function listAllSessions(
  catalogs: readonly Catalog[],
  options: SessionListOptions,
  context: SummaryContext,
): Promise<SessionSummary[]> {
  const rows: SessionSummary[] = [];
  // Each agent's share is not known before the merge, so the exact reading of rows waits until after it.
  const merged: SessionListOptions = { ...options, ...(needsWholeSessions(options) ? {} : { counts: false }) };
  for (const catalog of catalogs) rows.push(...(await listSessions(catalog, merged, context)));
  const chosen = sorted(rows, options).slice(0, options.limit ?? DEFAULT_LIMIT);
  if (options.counts === false || needsWholeSessions(options)) return chosen;
  const exact = new Map<string, SessionSummary>();
  for (const catalog of catalogs) {
    const ids = new Set(chosen.filter((row) => row.agent === catalog.adapter.name).map((row) => row.sessionId));
    if (ids.size === 0) continue;
    for (const row of await listSessions(
      catalog,
      { ...options, limit: Number.POSITIVE_INFINITY, only: ids },
      context,
    )) {
      exact.set(row.unifiedId, row);
    }
  }
  return chosen.map((row) => exact.get(row.unifiedId) ?? row);
}

function needsWholeSessions(options: SessionListOptions): boolean {
  return options.counts === true || options.model !== undefined || options.sort === "cost" || options.sort === "turns";
}
