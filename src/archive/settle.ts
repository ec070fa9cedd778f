/**
 * Sums this member's costs for reports, after a push. Sessions that share ids are settled together, unless some belong to or are
 * visible to other people: then each reader settles them.
 */
import type { SessionTally, UsageRecord } from "../agents/adapter.ts";
import { groupBy } from "../lib/values/group-by.ts";
import type { PriceTable } from "../models/price-table.ts";
import { accountsOf } from "../history/cost/account.ts";
import type { CostItem } from "../history/cost/cost-item.ts";
import { COST_KINDS } from "../history/cost/cost-item.ts";
import { unknownItem } from "../history/cost/report.ts";
import { checkedSession, checkedUsage } from "./store/checked-rows.ts";
import type { Connection } from "./store/connection.ts";
import { clean, usageOf, type SessionRow, type UsageRow } from "./store/rows.ts";
import { SUMS } from "./store/schema.ts";

/** Sessions per transaction. */
const BATCH = 500;
/** Clocks differ; later requests may be counted with another day's date. */
const LATER_MS = 3_600_000;

interface Sum extends Pick<CostItem, "model" | "cwd" | "branch" | "kind" | "requests" | "nanoUsd" | "tokens"> {
  from: number;
  to: number;
}

/** Returns the number of sessions examined. */
export async function settleSessions(connection: Connection, prices: PriceTable): Promise<number> {
  let last = "0";
  let count = 0;
  for (;;) {
    const ids = await connection.transaction(() => settleSome(connection, prices, last));
    if (ids.length === 0) return count;
    count += ids.length;
    last = ids.at(-1)!;
  }
}

async function settleSome(connection: Connection, prices: PriceTable, after: string): Promise<string[]> {
  // A session being pushed again is settled by that push.
  const begun = await connection.rows<{ id: string }>(
    `SELECT s.id FROM amux.sessions s
     WHERE s.owner = session_user AND s.id > $2 AND (s.settled IS NULL OR s.settled < $1 OR s.settled > $1)
     ORDER BY s.id LIMIT ${BATCH} FOR UPDATE SKIP LOCKED`,
    [prices.digest, after],
  );
  if (begun.length === 0) return [];
  const rows = await withKin(
    connection,
    begun.map(({ id }) => id),
  );
  const ids = rows.map(({ id }) => id);
  const used = groupBy(
    await connection.rows<UsageRow>(
      `SELECT session, key, at_ms, model, input_tokens, cached_tokens, cache_write_tokens, cache_write_1h_tokens,
         output_tokens, thinking_tokens, details
       FROM amux.usage WHERE session = ANY($1::bigint[]) ORDER BY session, place`,
      [ids],
    ),
    (row) => row.session,
  );
  const strangers = new Set(
    (await connection.rows<{ id: string }>("SELECT related_among AS id FROM amux.related_among($1)", [ids])).map(
      ({ id }) => id,
    ),
  );
  const settled: Settled[] = [];
  for (const kin of groupBy(rows, ({ family }) => family).values()) {
    const isRelated = kin.some(({ id }) => strangers.has(id)) || !areOne(kin);
    settled.push(...sumsOf(kin, used, prices).map((one) => ({ ...one, isRelated })));
  }
  await connection.rows("DELETE FROM amux.spending WHERE session = ANY($1::bigint[])", [ids]);
  await insert(
    connection,
    settled.filter(({ isRelated }) => !isRelated),
  );
  await connection.rows(
    `UPDATE amux.sessions s SET settled = $1, related = g.related, spent_from_ms = g.from_ms, spent_to_ms = g.to_ms
     FROM unnest($2::bigint[], $3::boolean[], $4::double precision[], $5::double precision[])
       AS g (id, related, from_ms, to_ms)
     WHERE s.id = g.id`,
    [
      prices.digest,
      settled.map(({ id }) => id),
      settled.map(({ isRelated }) => isRelated),
      settled.map(({ sums }) =>
        sums.length === 0 ? null : sums.reduce((least, { from }) => Math.min(least, from), Infinity),
      ),
      settled.map(({ sums }) =>
        sums.length === 0 ? null : sums.reduce((most, { to }) => Math.max(most, to), -Infinity),
      ),
    ],
  );
  return begun.map(({ id }) => id);
}

interface Settled {
  id: string;
  sums: Sum[];
  isRelated: boolean;
}

type Kin = SessionRow & {
  /** The same for all that share ids. */
  family: string;
  team: string | null;
};

/**
 * These sessions and all of the same owner that share an id, transitively. Families locked by another push are left to it, to
 * avoid a deadlock.
 */
async function withKin(connection: Connection, ids: readonly string[]): Promise<Kin[]> {
  const families = new Map<string, string>(ids.map((id) => [id, id]));
  const root = (id: string): string => {
    let at = id;
    while (families.get(at) !== at) at = families.get(at)!;
    return at;
  };
  for (let fresh = [...ids]; fresh.length > 0;) {
    const pairs = await connection.rows<{ id: string; kin: string }>(
      `SELECT DISTINCT f.session AS id, o.session AS kin FROM amux.family f
       JOIN amux.family o ON o.key = f.key AND o.session <> f.session
       JOIN amux.sessions s ON s.id = o.session AND s.owner = session_user
       WHERE f.session = ANY($1::bigint[])`,
      [fresh],
    );
    fresh = [];
    for (const { id, kin } of pairs) {
      if (!families.has(kin)) {
        families.set(kin, kin);
        fresh.push(kin);
      }
      families.set(root(kin), root(id));
    }
  }
  const rows = await connection.rows<Kin>(
    `SELECT s.id, s.owner, s.agent, s.session_id, s.created_ms, s.updated_ms, s.message_count, s.turn_count,
       s.head, s.whole_head, s.totals, s.team
     FROM amux.sessions s WHERE s.id = ANY($1::bigint[]) ORDER BY s.id FOR UPDATE SKIP LOCKED`,
    [[...families.keys()]],
  );
  const held = new Set(rows.map(({ id }) => id));
  const busy = new Set([...families.keys()].filter((id) => !held.has(id)).map(root));
  return rows.map((row) => ({ ...row, family: root(row.id) })).filter(({ family }) => !busy.has(family));
}

/** Visible to the same people, of one agent, each in one state. */
function areOne(kin: readonly Kin[]): boolean {
  const ids = new Set(kin.map(({ session_id }) => session_id));
  return ids.size === kin.length && kin.every(({ agent, team }) => agent === kin[0]!.agent && team === kin[0]!.team);
}

/** None if one's cost depends on the date of the report, or is unknown. */
function sumsOf(
  kin: readonly Kin[],
  used: ReadonlyMap<string, UsageRow[]>,
  prices: PriceTable,
): { id: string; sums: Sum[] }[] {
  const tallies = new Map<string, SessionTally>();
  for (const found of kin) {
    const rows = used.get(found.id) ?? [];
    const row = checkedSession(found);
    const usage = rows.flatMap((each) => checkedUsage(each) ?? []).map(usageOf);
    if (row === undefined || usage.length < rows.length || usage.some((record) => !isDated(record))) return [];
    const { totals } = row;
    if (totals?.some(({ at }) => at === undefined)) return [];
    tallies.set(row.session_id, {
      head: row.whole_head,
      messageCount: row.message_count,
      turnCount: row.turn_count,
      usage,
      ...(totals === null ? {} : { reportedTotals: totals }),
    });
  }
  const accounts = accountsOf(tallies, prices);
  const all = kin.map(({ id, agent, session_id: sessionId }) => {
    const { spending, usageUnknown, head } = accounts.get(sessionId)!;
    const sums: Sum[] = spending.map(({ to = Number.NaN, ...sum }) => {
      return { ...sum, agent, sessionId, from: sum.at ?? Number.NaN, to };
    });
    if (usageUnknown) {
      const at = head.createdMs ?? Number.NaN;
      sums.push({ ...unknownItem(agent, sessionId, head, at), from: at, to: at });
    }
    return { id, sums };
  });
  return all.every(({ sums }) => sums.every(isStorable)) ? all : [];
}

/** Whether its row identifies it: time, model and place in exactly this spelling. */
function isStorable({ from, model, cwd, branch }: Sum): boolean {
  const isText = (text: string | undefined): boolean => text === undefined || clean(text) === text;
  return !Number.isNaN(from) && isText(model) && isText(cwd) && isText(branch);
}

function isDated({ at }: UsageRecord): boolean {
  return at !== undefined && at < Date.now() + LATER_MS;
}

async function insert(connection: Connection, settled: readonly { id: string; sums: readonly Sum[] }[]): Promise<void> {
  const rows = settled.flatMap(({ id, sums }) => sums.map((sum, place) => ({ id, place, sum })));
  const numbers: readonly ((sum: Sum) => number)[] = [
    ({ requests }) => requests,
    ({ nanoUsd }) => nanoUsd,
    ({ tokens }) => tokens.input,
    ({ tokens }) => tokens.cached,
    ({ tokens }) => tokens.cacheWrite,
    ({ tokens }) => tokens.cacheWrite1h,
    ({ tokens }) => tokens.output,
    ({ tokens }) => tokens.thinking,
  ];
  const names = ["session", "place", "from_ms", "to_ms", "model", "directory", "branch", "kind", ...SUMS];
  const types = ["bigint", "integer", "double precision", "double precision", "text", "text", "text", "smallint"];
  const columns = [...types, ...SUMS.map(() => "double precision")].map((type, index) => `$${index + 1}::${type}[]`);
  await connection.rows(
    `INSERT INTO amux.spending (${names.join(", ")})
     SELECT * FROM unnest(${columns.join(", ")})`,
    [
      rows.map(({ id }) => id),
      rows.map(({ place }) => place),
      rows.map(({ sum }) => sum.from),
      rows.map(({ sum }) => sum.to),
      rows.map(({ sum }) => sum.model ?? null),
      rows.map(({ sum }) => sum.cwd ?? null),
      rows.map(({ sum }) => sum.branch ?? null),
      rows.map(({ sum }) => COST_KINDS.indexOf(sum.kind)),
      ...numbers.map((number) => rows.map(({ sum }) => number(sum))),
    ],
  );
}
