/** A session's account: its counts and what it spent, settled with all sessions that hold copies of its requests. */
import type { SessionHead } from "../../agents/adapter.ts";
import type { PriceTable } from "../../models/price-table.ts";
import type { CatalogEntry } from "../catalog.ts";
import { beyond, type CountedSession, type SessionsInRows } from "./ledger.ts";
import { ownersOf } from "./owners.ts";
import { checkRows } from "./quarantine.ts";
import { REPORTED, RowPricer } from "./row-prices.ts";
import { SpendingTable, type SpendingRange, type SpendingRow } from "./spending.ts";

export interface Account {
  /** As the whole session tells it, without ids by which others may name it. */
  readonly head: SessionHead;
  /** The same as JSON. */
  readonly headText: string;
  /** The agent wrote no token counts. */
  usageUnknown: boolean;
  messageCount: number;
  turnCount: number;
  /** Every model it used, in copied requests too. */
  readonly models: string[];
  spending: SpendingRange;
  /** Numbers of its requests' keys: sessions without a common one cannot hold the same request. */
  keys: Uint32Array;
}

/** Settles sessions with each other. What else holds their requests must be among them. Rows are put right on the way. */
export function accountsOf(
  { rows, sessions }: SessionsInRows<CountedSession>,
  prices: PriceTable,
  now = Date.now(),
): Map<string, Account> {
  const owners = ownersOf(rows, sessions);
  checkRows(rows, now);
  const table = new SpendingTable(rows.texts);
  const pricer = new RowPricer(prices, rows);
  const accounts = new Map<string, Account>();
  for (const session of sessions) {
    const { sessionId, head, messageCount, turnCount, from, to } = session;
    const start = table.length;
    const models = new Set<number>();
    const total = session.reportedTotals?.at(-1);
    const reported: [string, number][] = [];
    const cwd = rows.texts.numberOf(head.cwd);
    const branch = rows.texts.numberOf(head.branch);
    for (let row = from; row < to; row++) {
      if (rows.model[row] !== 0) models.add(rows.model[row]!);
      if (owners[row] !== row) continue;
      pricer.price(row);
      // The agent's own total includes this request, whatever the table makes of it.
      const kind = row - from < (total?.covers ?? 0) ? REPORTED : pricer.kind;
      if (total && kind === REPORTED) reported.push([rows.texts.text(rows.model[row]!) ?? "", pricer.nanoUsd]);
      ROW.at = rows.at[row]!;
      ROW.requests = 1;
      ROW.nanoUsd = pricer.nanoUsd;
      ROW.input = rows.input[row]!;
      ROW.cached = rows.cached[row]!;
      ROW.cacheWrite = rows.cacheWrite[row]!;
      ROW.cacheWrite1h = rows.cacheWrite1h[row]!;
      ROW.output = rows.output[row]!;
      ROW.thinking = rows.thinking[row]!;
      ROW.model = rows.model[row]!;
      ROW.cwd = rows.cwd[row]! || cwd;
      ROW.branch = rows.branch[row]! || branch;
      ROW.kind = kind;
      ROW.isSubagent = rows.subagent[row] === 0 ? 0 : 1;
      table.add(ROW, start);
    }
    for (const [model, nanoUsd] of total ? beyond(total, reported) : []) {
      const place = { model: rows.texts.numberOf(model), cwd, branch, kind: REPORTED, isSubagent: 0 };
      table.add({ ...NOTHING, ...place, at: total!.at ?? Number.NaN, nanoUsd }, start);
    }
    const { titleKeys: _, ...facts } = head;
    accounts.set(sessionId, {
      head: facts,
      get headText() {
        return JSON.stringify(facts);
      },
      usageUnknown: head.usageUnknown ?? false,
      messageCount,
      turnCount,
      models: Array.from(models, (model) => rows.texts.text(model)!),
      spending: { table, from: start, to: table.length },
      keys: rows.keyNumber.slice(from, to),
    });
  }
  return accounts;
}

const NOTHING: Readonly<SpendingRow> = {
  at: Number.NaN,
  requests: 0,
  nanoUsd: 0,
  input: 0,
  cached: 0,
  cacheWrite: 0,
  cacheWrite1h: 0,
  output: 0,
  thinking: 0,
  model: 0,
  cwd: 0,
  branch: 0,
  kind: 0,
  isSubagent: 0,
};
/** Filled anew for each request. */
const ROW: SpendingRow = { ...NOTHING };

/** What only other files know of a session: a better title, the parent. */
export function withForeignFacts(head: SessionHead, entry: CatalogEntry | undefined): SessionHead {
  if (!entry) return head;
  return {
    ...head,
    ...(entry.foreignTitle !== undefined ? { title: entry.foreignTitle } : {}),
    ...(entry.head.forkedFrom !== undefined ? { forkedFrom: entry.head.forkedFrom } : {}),
  };
}
