/** A session's account: its counts and what it spent, settled with all sessions that hold copies of its requests. */
import type { SessionHead } from "../../agents/adapter.ts";
import type { PriceTable } from "../../models/price-table.ts";
import type { CatalogEntry } from "../catalog.ts";
import { beyond, type CountedSession, type SessionsInRows } from "./ledger.ts";
import { ownersOf } from "./owners.ts";
import { checkRows } from "./quarantine.ts";
import { REPORTED, RowPricer } from "./row-prices.ts";
import { SpendingTable, type SpendingRange } from "./spending.ts";

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
  const { at, input, cached, cacheWrite, cacheWrite1h, output, thinking, model, cwd, branch, subagent } = rows;
  for (const session of sessions) {
    const { sessionId, head, messageCount, turnCount, from, to } = session;
    const start = table.length;
    const models = new Set<number>();
    const total = session.reportedTotals?.at(-1);
    const reported: [string, number][] = [];
    const ownCwd = rows.texts.numberOf(head.cwd);
    const ownBranch = rows.texts.numberOf(head.branch);
    let lastModel = 0;
    for (let row = from; row < to; row++) {
      if (model[row] !== lastModel) {
        lastModel = model[row]!;
        if (lastModel !== 0) models.add(lastModel);
      }
      if (owners[row] !== row) continue;
      pricer.price(row);
      // The agent's own total includes this request, whatever the table makes of it.
      const kind = total && row - from < total.covers ? REPORTED : pricer.kind;
      if (total && kind === REPORTED) reported.push([rows.texts.text(model[row]!) ?? "", pricer.nanoUsd]);
      const index = table.place(
        start,
        at[row]!,
        model[row]!,
        cwd[row]! || ownCwd,
        branch[row]! || ownBranch,
        kind,
        subagent[row] === 0 ? 0 : 1,
      );
      table.add(
        index,
        at[row]!,
        1,
        pricer.nanoUsd,
        input[row]!,
        cached[row]!,
        cacheWrite[row]!,
        cacheWrite1h[row]!,
        output[row]!,
        thinking[row]!,
      );
    }
    for (const [name, nanoUsd] of total ? beyond(total, reported) : []) {
      const moment = total!.at ?? Number.NaN;
      const index = table.place(start, moment, rows.texts.numberOf(name), ownCwd, ownBranch, REPORTED, 0);
      table.add(index, moment, 0, nanoUsd, 0, 0, 0, 0, 0, 0);
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
      models: Array.from(models, (number) => rows.texts.text(number)!),
      spending: { table, from: start, to: table.length },
      keys: rows.keyNumber.slice(from, to),
    });
  }
  return accounts;
}

/** What only other files know of a session: a better title, the parent. */
export function withForeignFacts(head: SessionHead, entry: CatalogEntry | undefined): SessionHead {
  if (!entry) return head;
  return {
    ...head,
    ...(entry.foreignTitle !== undefined ? { title: entry.foreignTitle } : {}),
    ...(entry.head.forkedFrom !== undefined ? { forkedFrom: entry.head.forkedFrom } : {}),
  };
}
