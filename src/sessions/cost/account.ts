/** A session's account: its counts and what it spent, settled with all sessions that hold copies of its requests. */
import type { ReportedTotal, SessionHead } from "../../agents/adapter.ts";
import type { UsageRows } from "../../agents/usage-rows.ts";
import type { Texts } from "../../lib/texts.ts";
import type { PriceTable } from "../../models/price-table.ts";
import type { CatalogEntry } from "../catalog.ts";
import type { KeySieve } from "../key-sieve.ts";
import type { RowRange } from "./owners.ts";
import { beyond, type BilledSession, type SessionsInRows } from "./ledger.ts";
import { isPacked } from "../../agents/packed-rows.ts";
import type { CostTexts } from "./cost-text.ts";
import { RowLedger } from "./row-ledger.ts";
import { REPORTED } from "./kind-numbers.ts";
import type { SpendingRange, SpendingTable } from "./spending.ts";

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

/** Settles sessions with each other. What else holds their requests must be among them. Rows are put right on the way. */
export function accountsOf(
  read: SessionsInRows<BilledSession>,
  prices: PriceTable,
  now = Date.now(),
): Map<string, Account> {
  const settled = new SettledSessions(read, prices, now);
  return new Map(read.sessions.map(({ sessionId }, index) => [sessionId, settled.account(index)]));
}

/** What sessions spent that were settled with each other, each as it is asked for. */
export class SettledSessions {
  readonly #rows: UsageRows;
  readonly #sessions: readonly BilledSession[];
  readonly #ledger: RowLedger;
  /** The first sum of each, and after the last one. */
  readonly #starts: Uint32Array;
  readonly #models: (readonly number[])[] = [];
  #table: SpendingTable | undefined;

  constructor({ rows, sessions }: SessionsInRows<BilledSession>, prices: PriceTable, now = Date.now()) {
    this.#rows = rows;
    this.#sessions = sessions;
    const ledger = new RowLedger(rows, sessions, prices, now);
    this.#ledger = ledger;
    this.#starts = new Uint32Array(sessions.length + 1);
    sessions.forEach((session, index) => {
      const start = ledger.sum(index);
      this.#starts[index] = start;
      if (!isPacked(session)) this.#models[index] = ledger.models();
      const total = session.reportedTotals?.at(-1);
      if (total) addBeyond(ledger, start, total, session, rows);
    });
    this.#starts[sessions.length] = ledger.sumCount;
  }

  /** Not of one whose row was packed: its counts are not known here. */
  account(index: number): Account {
    return new SettledAccount(this.#sessions[index]!, this.#rows, this.#models[index]!, this.spending(index));
  }

  spending(index: number): SpendingRange {
    this.#table ??= this.#ledger.table();
    return { table: this.#table, from: this.#starts[index]!, to: this.#starts[index + 1]! };
  }

  /** What some of them cost as a list shows it. To be copied before anything else is asked for: sums may be put in their place. */
  costTexts(indices: readonly number[], rowEnd: string): CostTexts {
    return this.#ledger.costTexts(this.#starts, indices, rowEnd);
  }
}

/** What the agent's own total has beyond the session's requests. */
function addBeyond(
  ledger: RowLedger,
  start: number,
  total: ReportedTotal,
  session: BilledSession,
  { texts, cwd, branch }: UsageRows,
): void {
  const { head, placed, from, to } = session;
  // A total of nothing but requests that were made elsewhere came from there with them.
  if (total.covers > 0 && !ledger.ownsAnyOf(from, Math.min(from + total.covers, to))) return;
  const told = ledger.told(session, total.covers);
  const last = to > from ? to - 1 : undefined;
  const [ownCwd, ownBranch] = placed
    ? [last === undefined ? 0 : cwd[last]!, last === undefined ? 0 : branch[last]!]
    : [texts.numberOf(head.cwd), texts.numberOf(head.branch)];
  const figures = told.map(([model, nanoUsd]): [string, number] => [texts.text(model) ?? "", nanoUsd]);
  for (const [name, nanoUsd] of beyond(total, figures)) {
    ledger.addMoney(start, total.at ?? Number.NaN, texts.numberOf(name), ownCwd, ownBranch, REPORTED, nanoUsd);
  }
}

class SettledAccount implements Account {
  readonly isCounted: boolean;
  readonly head: SessionHead;
  readonly usageUnknown: boolean;
  readonly messageCount: number;
  readonly turnCount: number;
  readonly spending: SpendingRange;
  readonly #rows: UsageRows;
  readonly #range: RowRange;
  readonly #texts: Texts;
  readonly #models: readonly number[];

  constructor(session: BilledSession, rows: UsageRows, models: readonly number[], spending: SpendingRange) {
    const { head, messageCount, turnCount } = session;
    this.isCounted = messageCount !== undefined;
    this.head = head.titleKeys ? withoutTitleKeys(head) : head;
    this.usageUnknown = head.usageUnknown ?? false;
    this.messageCount = messageCount ?? 0;
    this.turnCount = turnCount ?? 0;
    this.spending = spending;
    this.#rows = rows;
    this.#range = session;
    this.#texts = rows.texts;
    this.#models = models;
  }

  get keys(): Uint32Array {
    return this.#rows.keyNumber.subarray(this.#range.from, this.#range.to);
  }

  get headText(): string {
    return JSON.stringify(this.head);
  }

  hasKeyIn(sieve: KeySieve): boolean {
    return sieve.hasOneOf(this.keys);
  }

  get models(): string[] {
    return this.#models.map((number) => this.#texts.text(number)!);
  }
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
