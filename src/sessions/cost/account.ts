/** A session's account: its counts and what it spent, settled with all sessions that hold copies of its requests. */
import type { SessionHead, SessionTally, UsageRecord } from "../../agents/adapter.ts";
import type { PriceTable } from "../../models/price-table.ts";
import type { CatalogEntry } from "../catalog.ts";
import { keyNumber } from "./key-number.ts";
import { settle, type LedgerEntry } from "./ledger.ts";
import { spendingOf, type Spending } from "./spending.ts";

export interface Account {
  /** As the whole session tells it. */
  head: SessionHead;
  messageCount: number;
  turnCount: number;
  /** Every model it used, in copied requests too. */
  models: string[];
  spending: Spending[];
  /** Numbers of its requests' keys: sessions without a common one cannot hold the same request. */
  keys: Uint32Array;
}

/** Settles sessions with each other. What else holds their requests must be among them. */
export function accountsOf(
  agent: string,
  tallies: ReadonlyMap<string, SessionTally>,
  prices: PriceTable,
): Map<string, Account> {
  const ledger = settle(agent, tallies, prices);
  const owned = new Map<string, LedgerEntry[]>();
  for (const entry of ledger.entries) {
    const list = owned.get(entry.sessionId);
    if (list) list.push(entry);
    else owned.set(entry.sessionId, [entry]);
  }
  const accounts = new Map<string, Account>();
  for (const [id, { head, messageCount, turnCount, usage }] of tallies) {
    const keys = keyNumbers(usage);
    const models = [...new Set(usage.flatMap(({ model }) => model ?? []))];
    accounts.set(id, { head, messageCount, turnCount, models, spending: spendingOf(owned.get(id) ?? []), keys });
  }
  return accounts;
}

export function keyNumbers(usage: readonly UsageRecord[]): Uint32Array {
  return Uint32Array.from(usage, ({ key }) => keyNumber(key));
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
