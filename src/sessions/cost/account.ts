/** A session's account: its counts and what it spent, settled with all sessions that hold copies of its requests. */
import type { BilledSession, SessionHead } from "../../agents/adapter.ts";
import type { PriceTable } from "../../models/price-table.ts";
import type { CatalogEntry } from "../catalog.ts";
import type { KeySieve } from "../key-sieve.ts";
import { settleEach } from "./ledger.ts";
import { SpendingSums, type SpendingRange } from "./spending.ts";

export interface Account {
  /** False: its requests were billed, and nothing else of it is known; its head has no title. */
  readonly isCounted: boolean;
  /** As the whole session tells it, without ids by which others may name it. */
  readonly head: SessionHead;
  /** The same as JSON. */
  readonly headText: string;
  /** The agent wrote no token counts. */
  readonly usageUnknown: boolean;
  readonly messageCount: number;
  readonly turnCount: number;
  /** Every model it used, in copied requests too. */
  readonly models: string[];
  readonly spending: SpendingRange;
  /** Numbers of its requests' keys: sessions without a common one cannot hold the same request. */
  readonly keys: Uint32Array;
  /** Whether one of them is in there. */
  hasKeyIn(sieve: KeySieve): boolean;
}

/** Settles sessions with each other. What else holds their requests must be among them. */
export function accountsOf(
  sessions: ReadonlyMap<string, BilledSession>,
  prices: PriceTable,
  now = Date.now(),
): Map<string, Account> {
  const sums = new SpendingSums();
  const ranges = new Map<string, { session: BilledSession; from: number; to: number }>();
  for (const { sessionId, session, entries } of settleEach("", sessions, prices, now)) {
    const from = sums.length;
    sums.addSession(entries);
    ranges.set(sessionId, { session, from, to: sums.length });
  }
  const table = sums.table();
  const accounts = new Map<string, Account>();
  for (const [id, { session, from, to }] of ranges) accounts.set(id, new SettledAccount(session, { table, from, to }));
  return accounts;
}

class SettledAccount implements Account {
  readonly isCounted: boolean;
  readonly head: SessionHead;
  readonly usageUnknown: boolean;
  readonly messageCount: number;
  readonly turnCount: number;
  readonly spending: SpendingRange;
  readonly keys: Uint32Array;
  readonly models: string[];

  constructor({ head, messageCount, turnCount, usage }: BilledSession, spending: SpendingRange) {
    this.isCounted = messageCount !== undefined;
    this.head = head.titleKeys ? withoutTitleKeys(head) : head;
    this.usageUnknown = head.usageUnknown ?? false;
    this.messageCount = messageCount ?? 0;
    this.turnCount = turnCount ?? 0;
    this.spending = spending;
    this.keys = Uint32Array.from(usage, ({ key }) => keyNumber(key));
    this.models = [...new Set(usage.flatMap(({ model }) => model ?? []))];
  }

  get headText(): string {
    return JSON.stringify(this.head);
  }

  hasKeyIn(sieve: KeySieve): boolean {
    return sieve.hasOneOf(this.keys);
  }
}

/** FNV-1a: requests with different numbers are different. */
export function keyNumber(key: string): number {
  let number = 0x811c9dc5;
  for (let at = 0; at < key.length; at++) number = Math.imul(number ^ key.charCodeAt(at), 0x01000193);
  return number >>> 0;
}

function withoutTitleKeys({ titleKeys: _, ...head }: SessionHead): SessionHead {
  return head;
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
