/** A session's account: its counts and spending, settled with all sessions that hold copies of its requests. */
import type { SessionHead, SessionTally, UsageRecord } from "../../agents/adapter.ts";
import type { PriceTable } from "../../models/price-table.ts";
import type { CatalogEntry } from "../catalog-entry.ts";
import { settleEach } from "./ledger.ts";
import { spendingByKind, spendingOf, type Spending } from "./spending.ts";

export interface Account {
  /** The head from the whole session, without title keys. */
  readonly head: SessionHead;
  /** The agent wrote no token counts. */
  readonly usageUnknown: boolean;
  readonly messageCount: number;
  readonly turnCount: number;
  /** Every model it used, in copied requests too. */
  readonly models: readonly string[];
  readonly spending: readonly Spending[];
  /** The same, summed by kind. */
  readonly totals: readonly Spending[];
  /** Hashes of its request keys: sessions without a common hash share no request. */
  readonly keys: readonly number[];
}

/** Settles sessions with each other. All other holders of their requests must be included. */
export function accountsOf(
  sessions: ReadonlyMap<string, SessionTally>,
  prices: PriceTable,
  now = Date.now(),
): Map<string, Account> {
  const accounts = new Map<string, Account>();
  for (const { sessionId, session, entries } of settleEach("", sessions, prices, now))
    accounts.set(sessionId, accountOf(session, spendingOf(entries)));
  return accounts;
}

function accountOf({ head, messageCount, turnCount, usage }: SessionTally, spending: Spending[]): Account {
  return {
    head: head.titleKeys ? withoutTitleKeys(head) : head,
    usageUnknown: head.usageUnknown ?? false,
    messageCount,
    turnCount,
    models: [...new Set(usage.flatMap(({ model }) => model ?? []))],
    spending,
    totals: spendingByKind(spending),
    keys: keysOf(usage),
  };
}

export function keysOf(usage: readonly UsageRecord[]): number[] {
  return usage.map(({ key }) => keyNumber(key));
}

/** FNV-1a. Different hashes mean different requests. */
function keyNumber(key: string): number {
  let number = 0x811c9dc5;
  for (let at = 0; at < key.length; at++) number = Math.imul(number ^ key.charCodeAt(at), 0x01000193);
  return number >>> 0;
}

function withoutTitleKeys({ titleKeys: _, ...head }: SessionHead): SessionHead {
  return head;
}

/** Facts about a session from other files: a better title, the parent. */
export function withForeignFacts(head: SessionHead, entry: CatalogEntry | undefined): SessionHead {
  if (!entry) return head;
  return {
    ...head,
    ...(entry.foreignTitle !== undefined ? { title: entry.foreignTitle } : {}),
    ...(entry.head.forkedFrom !== undefined ? { forkedFrom: entry.head.forkedFrom } : {}),
  };
}
