/**
 * Adds up what this member's sessions spent, for reports over many of them. Only sessions that share no id with another
 * one: whoever asks for the others settles them with those they may see. It is done after a push in transactions of its
 * own, which see everything that was pushed before; what is not settled yet is settled by whoever asks.
 */
import type { UsageRecord } from "../agents/adapter.ts";
import { groupBy } from "../lib/group-by.ts";
import type { PriceTable } from "../models/price-table.ts";
import { accountsOf } from "../sessions/cost/account.ts";
import type { CostItem } from "../sessions/cost/cost-item.ts";
import { inRows } from "../sessions/cost/ledger.ts";
import { COST_KINDS } from "../sessions/cost/row-prices.ts";
import { unknownItem } from "../sessions/cost/report.ts";
import { checkedSession, checkedUsage } from "./store/checked-rows.ts";
import type { Connection } from "./store/connection.ts";
import { usageOf, type SessionRow, type UsageRow } from "./store/rows.ts";
import { SUMS } from "./store/schema.ts";

/** Sessions in one transaction. */
const BATCH = 500;
/** Clocks differ; what is dated later than this may be counted with its date another day. */
const LATER_MS = 3_600_000;

interface Sum extends Pick<CostItem, "model" | "cwd" | "branch" | "kind" | "requests" | "nanoUsd" | "tokens"> {
  from: number;
  to: number;
}

/** Answers how many were looked at. */
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
  // A session that is just being pushed again is settled by whoever pushes it.
  const rows = await connection.rows<SessionRow>(
    `SELECT s.id, s.owner, s.agent, s.session_id, s.created_ms, s.updated_ms, s.message_count, s.turn_count,
       s.head, s.whole_head, s.totals
     FROM amux.sessions s
     WHERE s.owner = session_user AND s.id > $2 AND (s.settled IS NULL OR s.settled < $1 OR s.settled > $1)
     ORDER BY s.id LIMIT ${BATCH} FOR UPDATE SKIP LOCKED`,
    [prices.digest, after],
  );
  const ids = rows.map(({ id }) => id);
  if (ids.length === 0) return ids;
  const related = new Set(
    (await connection.rows<{ id: string }>("SELECT related_among AS id FROM amux.related_among($1)", [ids])).map(
      ({ id }) => id,
    ),
  );
  const used = groupBy(
    await connection.rows<UsageRow>(
      `SELECT session, key, at_ms, model, input_tokens, cached_tokens, cache_write_tokens, cache_write_1h_tokens,
         output_tokens, thinking_tokens, details
       FROM amux.usage WHERE session = ANY($1::bigint[]) ORDER BY session, place`,
      [ids],
    ),
    (row) => row.session,
  );
  const settled = rows.flatMap((row) => {
    const sums = sumsOf(row, used.get(row.id) ?? [], prices);
    return sums === undefined ? [] : [{ id: row.id, isRelated: related.has(row.id), sums }];
  });
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
      settled.map(({ sums }) => (sums.length === 0 ? null : Math.min(...sums.map(({ from }) => from)))),
      settled.map(({ sums }) => (sums.length === 0 ? null : Math.max(...sums.map(({ to }) => to)))),
    ],
  );
  return ids;
}

/** Undefined when what it spent depends on when it is asked for, or cannot be told. */
function sumsOf(found: SessionRow, used: readonly UsageRow[], prices: PriceTable): Sum[] | undefined {
  const row = checkedSession(found);
  const usage = used.flatMap((each) => checkedUsage(each) ?? []).map(usageOf);
  if (row === undefined || usage.length < used.length) return undefined;
  const { agent, session_id: id, whole_head: head, totals } = row;
  if (usage.some((record) => !isDated(record)) || totals?.some(({ at }) => at === undefined)) return undefined;
  const tally = {
    head,
    messageCount: row.message_count,
    turnCount: row.turn_count,
    usage,
    ...(totals === null ? {} : { reportedTotals: totals }),
  };
  const account = accountsOf(inRows(new Map([[id, tally]])), prices).get(id)!;
  const { table, from, to } = account.spending;
  const sums: Sum[] = [];
  for (let at = from; at < to; at++) sums.push({ ...table.item(agent, id, at), ...table.span(at) });
  if (account.usageUnknown) {
    if (head.createdMs === undefined) return undefined;
    const item = unknownItem(agent, id, account.head, head.createdMs);
    sums.push({ ...item, from: head.createdMs, to: head.createdMs });
  }
  return sums.some((sum) => Number.isNaN(sum.from)) ? undefined : sums;
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
