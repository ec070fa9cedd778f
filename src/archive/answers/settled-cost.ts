/**
 * Sums of sessions settled at push time, added up by the database, so that millions of sessions need no transfer. The others,
 * from `unsettled`, are settled here.
 */
import type { PriceTable } from "../../models/price-table.ts";
import {
  groupsFrom,
  isDateGroup,
  periodOf,
  WITHOUT,
  zoneFrom,
  type CostGroup,
  type CostSums,
} from "../../history/cost/grouping.ts";
import type { CostReport } from "../../history/cost/report.ts";
import { COST_KINDS } from "../../history/cost/cost-item.ts";
import type { CostAggregationOptions } from "../../history/options.ts";
import type { Connection } from "../store/connection.ts";
import { SUMS } from "../store/schema.ts";
import type { SessionName } from "./load.ts";
import { Parameters } from "./scope.ts";

const DAY_MS = 86_400_000;
/** A sum covers requests within 15 minutes. */
const QUARTER_MS = 15 * 60_000;

export interface SettledScope extends CostAggregationOptions {
  owners?: readonly string[];
}

/** Sessions in a report that `spending` does not cover. */
export async function unsettled(
  connection: Connection,
  prices: PriceTable,
  { agent, since, until, owners }: SettledScope,
): Promise<SessionName[]> {
  const [from, to] = [since?.getTime() ?? -Infinity, until?.getTime() ?? Infinity];
  const isWhole = since === undefined && until === undefined;
  const rows = await connection.rows<{ agent: string; session_id: string }>(
    `SELECT s.agent, s.session_id FROM (
       SELECT s.id FROM amux.sessions s
       WHERE s.related AND s.settled = $3 AND ($6 OR (s.spent_to_ms >= $4 AND s.spent_from_ms <= $5))
       UNION
       SELECT s.id FROM amux.sessions s WHERE s.settled IS NULL OR s.settled < $3 OR s.settled > $3
       UNION
       -- Runs have tags; their cost counts where the session has none.
       SELECT s.id FROM amux.runs r JOIN amux.sessions s ON s.agent = r.agent AND s.session_id = r.session_id
       WHERE $6 OR r.at_ms BETWEEN $4 AND $5 OR (s.spent_to_ms >= $4 AND s.spent_from_ms <= $5)
       UNION
       -- Sums that the date range cuts.
       SELECT p.session FROM amux.spent p
       WHERE (p.from_ms < $4 AND p.from_ms >= $4 - ${QUARTER_MS} AND p.to_ms >= $4)
         OR (p.from_ms < $5 + 1 AND p.from_ms >= $5 + 1 - ${QUARTER_MS} AND p.to_ms >= $5 + 1)
     ) AS found JOIN amux.sessions s ON s.id = found.id
     WHERE ($1::text IS NULL OR s.agent = $1) AND ($2::name[] IS NULL OR s.owner = ANY($2::name[]))
     GROUP BY s.agent, s.session_id`,
    [agent ?? null, owners ?? null, prices.digest, from, to, isWhole],
  );
  return rows.map(({ agent: name, session_id: sessionId }) => ({ agent: name, sessionId }));
}

/** Adds the cost of all other sessions to a report. */
export async function addSettled(
  connection: Connection,
  report: CostReport,
  prices: PriceTable,
  options: SettledScope,
  without: readonly SessionName[],
): Promise<void> {
  // They have no runs, and so no tags.
  if (options.tags !== undefined && options.tags.length > 0) return;
  // Sums over millions of rows; only for this query.
  await connection.rows("SET LOCAL work_mem = '64MB'");
  const groups = groupsFrom(options.groupBy);
  const days = groups.some(isDateGroup) ? await daysOf(connection, options) : [];
  const hours = groups.includes("hour") ? hoursOf(days, options) : [];
  for (let depth = 0; depth <= groups.length; depth++) {
    const by = groups.slice(0, depth);
    const parameters = new Parameters();
    const chosen = chosenBy(parameters, prices, options, without);
    const periods = by.map((group) => (group === "hour" ? hours : isDateGroup(group) ? periodsOf(group, days) : []));
    const keys = by.map((group, index) => keyOf(group, parameters, periods[index]!));
    const names = keys.map((_, index) => `g${index}`);
    const sums = SUMS.map((sum) => `sum(${sum}) AS ${sum}`).join(", ");
    const rows = await connection.rows<SumRow>(
      // Each session counts once per group, however many rows it has there.
      `SELECT ${names.map((name) => `${name}, `).join("")} count(*)::double precision AS sessions, max(kind) AS kind, ${sums}
       FROM (
         SELECT ${keys.map((key, index) => `${key} AS g${index}, `).join("")} max(kind) AS kind, ${sums}
         FROM amux.spent p WHERE ${chosen} GROUP BY ${[...names, "p.session"].join(", ")}
       ) AS one ${names.length === 0 ? "" : `GROUP BY ${names.join(", ")}`}`,
      parameters.values,
    );
    for (const row of rows) if (row.sessions > 0) report.addSums(pathOf(row, by, periods), sumsOf(row));
  }
  await addKinds(connection, report, prices, options, without);
}

type SumRow = Record<(typeof SUMS)[number], number> & {
  sessions: number;
  kind: number;
  [group: `g${number}`]: unknown;
};

async function addKinds(
  connection: Connection,
  report: CostReport,
  prices: PriceTable,
  options: SettledScope,
  without: readonly SessionName[],
): Promise<void> {
  const parameters = new Parameters();
  const rows = await connection.rows<{ kind: number; requests: number; nano_usd: number }>(
    `SELECT kind, sum(requests) AS requests, sum(nano_usd) AS nano_usd FROM amux.spent p
     WHERE ${chosenBy(parameters, prices, options, without)} GROUP BY kind`,
    parameters.values,
  );
  for (const { kind, requests, nano_usd: nanoUsd } of rows) report.addKind(COST_KINDS[kind]!, requests, nanoUsd);
}

function chosenBy(
  parameters: Parameters,
  prices: PriceTable,
  { agent, since, until, model, owners }: SettledScope,
  without: readonly SessionName[],
): string {
  const all = [`p.settled = ${parameters.add(prices.digest)}`];
  if (agent !== undefined) all.push(`p.agent = ${parameters.add(agent)}`);
  if (owners !== undefined) all.push(`p.owner = ANY(${parameters.add(owners)}::name[])`);
  if (since) all.push(`p.from_ms >= ${parameters.add(since.getTime())}`);
  if (until) all.push(`p.from_ms <= ${parameters.add(until.getTime())}`);
  if (model !== undefined) all.push(`p.model = ${parameters.add(model)}`);
  if (without.length > 0) {
    const agents = parameters.add(without.map(({ agent: name }) => name));
    const ids = parameters.add(without.map(({ sessionId }) => sessionId));
    all.push(`NOT EXISTS (
      SELECT 1 FROM unnest(${agents}::text[], ${ids}::text[]) AS w (agent, session_id)
      WHERE w.agent = p.agent AND w.session_id = p.session_id
    )`);
  }
  return all.join(" AND ");
}

function keyOf(group: CostGroup, parameters: Parameters, periods: readonly Day[]): string {
  switch (group) {
    case "agent":
      return "p.agent";
    case "model":
      return `coalesce(p.model, ${parameters.add(WITHOUT.model)})`;
    case "hour":
    case "day":
    case "week":
    case "month":
      // Days are computed here: the database may have other time zone rules.
      return `width_bucket(p.from_ms, ${parameters.add(periods.map(({ from }) => from))}::double precision[])`;
    case "tag":
      return `${parameters.add(WITHOUT.tag)}::text`;
    case "session":
      return "p.agent || ':' || p.session_id";
    case "project":
      return `coalesce(p.directory, ${parameters.add(WITHOUT.project)})`;
    case "branch":
      return `coalesce(p.branch, ${parameters.add(WITHOUT.branch)})`;
  }
}

function pathOf(row: SumRow, by: readonly CostGroup[], periods: readonly (readonly Day[])[]): string[] {
  return by.map((group, index) => {
    const key = row[`g${index}`];
    return isDateGroup(group) ? periods[index]![Number(key) - 1]!.name : String(key);
  });
}

/** Each begins with its first day. */
function periodsOf(group: "day" | "week" | "month", days: readonly Day[]): Day[] {
  const named = days.map(({ from, name }) => ({ from, name: name === WITHOUT.day ? name : periodOf(group, name) }));
  return named.filter(({ name }, index) => name !== named[index - 1]?.name);
}

function sumsOf(row: SumRow): CostSums {
  return {
    sessions: row.sessions,
    kind: COST_KINDS[row.kind]!,
    requests: row.requests,
    nanoUsd: row.nano_usd,
    tokens: {
      input: row.input_tokens,
      cached: row.cached_tokens,
      cacheWrite: row.cache_write_tokens,
      cacheWrite1h: row.cache_write_1h_tokens,
      output: row.output_tokens,
      thinking: row.thinking_tokens,
    },
  };
}

interface Day {
  from: number;
  name: string;
}

/** All days with requests, in the requested time zone. */
async function daysOf(connection: Connection, { since, until, timeZone }: SettledScope): Promise<Day[]> {
  const [range] = await connection.rows<{ from_ms: number | null; to_ms: number | null }>(
    `SELECT min(from_ms) AS from_ms, max(from_ms) AS to_ms FROM amux.spent
     WHERE ($1::double precision IS NULL OR from_ms >= $1) AND ($2::double precision IS NULL OR from_ms <= $2)`,
    [since?.getTime() ?? null, until?.getTime() ?? null],
  );
  if (range?.from_ms == null || range.to_ms == null) return [{ from: 0, name: WITHOUT.day }];
  const zone = zoneFrom(timeZone);
  const days: Day[] = [];
  for (let at = range.from_ms - DAY_MS; at <= range.to_ms + DAY_MS; at += DAY_MS / 2) {
    const name = zone.dayOf(at);
    if (days.at(-1)?.name === name) continue;
    days.push({ from: zone.momentAt(Date.parse(`${name}T00:00:00Z`)), name });
  }
  return days;
}

/** The hours of these days. No sum crosses one: zones are apart by quarters of an hour. */
function hoursOf(days: readonly Day[], { timeZone }: SettledScope): Day[] {
  const zone = zoneFrom(timeZone);
  const hours: Day[] = [];
  for (const { from, name: day } of days) {
    if (day === WITHOUT.day) return [...days];
    for (let at = from; zone.dayOf(at) === day; at += QUARTER_MS) {
      const name = zone.hourOf(at);
      if (hours.at(-1)?.name !== name) hours.push({ from: at, name });
    }
  }
  return hours;
}
