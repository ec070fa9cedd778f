/** The overview: activity by day, and changes since a given time. */
import type { CostSummary } from "../../core/cost.ts";
import type { SessionSummary } from "../../core/session.ts";
import { uptimeMs } from "../../lib/process/clock.ts";
import { optional } from "../../lib/values/optional.ts";
import type { TimeZone } from "../../lib/values/time-zone.ts";
import type { Overview } from "../../protocol/history-api.ts";
import type { OnProgress } from "../../history/progress.ts";
import { zoneFrom } from "../../history/cost/grouping.ts";
import type { CostReport } from "../../history/cost/report.ts";
import type { CacheMode } from "../../history/cache/session-cache.ts";
import { sorted } from "../../history/list-order.ts";
import type { SessionManager } from "../../history/manager.ts";
import type { OverviewOptions } from "./history-request.ts";

/** Nobody reads more; the total is reported. */
const MAX_CHANGED = 200;

const DAY_MS = 86_400_000;

type Reading = { index: CacheMode; onProgress: OnProgress };

export async function overviewOf(
  manager: SessionManager,
  { since, days, timeZone }: OverviewOptions,
  reading: Reading,
): Promise<Overview> {
  const zone = zoneFrom(timeZone);
  const named = optional("timeZone", timeZone);
  const asked = uptimeMs();
  const sessions = await manager.heads(reading);
  const begin = new Date(Date.now() - days * DAY_MS);
  // All of it from one look at the stores.
  const how = (): Reading & { staleMs: number } => ({ ...reading, ...named, staleMs: uptimeMs() - asked });
  const activity = await manager.costReport({ ...how(), since: begin, groupBy: "day" });
  const spent = await manager.totalCost({ ...how(), since, groupBy: "project" });
  const changed = sorted(
    sessions.filter(({ updatedAt }) => updatedAt > since),
    { sort: "date" },
  );
  return {
    since: since.toISOString(),
    time_zone: zone.name,
    days: daysOf(sessions, activity, zone, begin),
    changed: changed.slice(0, MAX_CHANGED).map((session) => ({
      unified_id: session.unifiedId,
      agent: session.agent,
      title: session.title,
      ...optional("cwd", session.cwd),
      created_at: session.createdAt.toISOString(),
      updated_at: session.updatedAt.toISOString(),
      is_new: session.createdAt > since,
    })),
    changed_count: changed.length,
    projects: projectsOf(changed, spent.breakdowns ?? {}),
    usd: spent.totalUsd,
    requests: spent.requestCount,
  };
}

type Breakdowns = NonNullable<CostSummary["breakdowns"]>;

/** A session was active on a day with a request, its start or its last message. */
function daysOf(
  sessions: readonly SessionSummary[],
  report: CostReport,
  zone: TimeZone,
  begin: Date,
): Overview["days"] {
  const spent = report.build().breakdowns ?? {};
  const active = new Map<string, Set<string>>();
  const activeOn = (day: string): Set<string> => {
    let ids = active.get(day);
    if (ids === undefined) active.set(day, (ids = new Set(report.sessionsIn(day))));
    return ids;
  };
  for (const { unifiedId, createdAt, updatedAt } of sessions) {
    for (const at of [createdAt, updatedAt]) if (at >= begin) activeOn(zone.dayOf(at.getTime())).add(unifiedId);
  }
  for (const day of Object.keys(spent)) if (/^\d{4}-/.test(day)) activeOn(day);
  return [...active]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([day, ids]) => ({
      day,
      sessions: ids.size,
      requests: spent[day]?.requestCount ?? 0,
      usd: spent[day]?.totalUsd ?? 0,
      output_tokens: spent[day]?.outputTokens ?? 0,
    }));
}

/** Busiest first. */
function projectsOf(changed: readonly SessionSummary[], spent: Breakdowns): Overview["projects"] {
  const counts = new Map<string, number>();
  for (const { cwd } of changed) if (cwd !== undefined) counts.set(cwd, (counts.get(cwd) ?? 0) + 1);
  return [...counts]
    .map(([path, sessions]) => ({
      path,
      sessions,
      usd: spent[path]?.totalUsd ?? 0,
      requests: spent[path]?.requestCount ?? 0,
    }))
    .sort((a, b) => b.sessions - a.sessions || (a.path < b.path ? -1 : 1));
}
