/** Filter counts of a search or of all sessions: by agent, project, model and day. */
import type { SessionSummary } from "../../core/session.ts";
import { optional } from "../../lib/values/optional.ts";
import { TimeZone } from "../../lib/values/time-zone.ts";
import type { Facet, Facets } from "../../protocol/history-api.ts";
import type { SessionManager } from "../../history/manager.ts";
import type { SessionQuery } from "../../history/options.ts";

export async function facetsOf(manager: SessionManager, query: SessionQuery): Promise<Facets> {
  const sessions = await sessionsFor(manager, query);
  const zone = new TimeZone();
  return {
    total: sessions.length,
    agents: counted(sessions, ({ agent }) => agent),
    projects: counted(sessions, ({ cwd }) => cwd),
    models: counted(sessions, ({ model }) => model),
    days: counted(sessions, ({ updatedAt }) => zone.dayOf(updatedAt.getTime())).sort((a, b) =>
      a.key < b.key ? 1 : -1,
    ),
  };
}

/** All matches, not only one page of hits. */
async function sessionsFor(manager: SessionManager, query: SessionQuery): Promise<SessionSummary[]> {
  const limit = Number.MAX_SAFE_INTEGER;
  if (query.text !== "") return manager.search({ ...query, limit, matches: false });
  const { text: _, agent, sort: __, matches: ___, staleMs: ____, foldCopies: _____, ...options } = query;
  // A session's models are known only after reading it whole.
  if (options.model === undefined) return manager.heads({ ...options, ...optional("agent", agent) });
  const all = { ...options, limit, counts: false };
  return agent === undefined ? manager.listAll(all) : manager.list(agent, all);
}

/** Most frequent first. */
function counted(sessions: readonly SessionSummary[], keyOf: (session: SessionSummary) => string | undefined): Facet[] {
  const counts = new Map<string, number>();
  for (const session of sessions) {
    const key = keyOf(session);
    if (key !== undefined && key !== "") counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return [...counts]
    .map(([key, count]) => ({ key, count }))
    .sort((a, b) => b.count - a.count || (a.key < b.key ? -1 : 1));
}
