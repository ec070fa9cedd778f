/** Counts sessions one after the other, all their usage in rows. */
import type {
  AgentAdapter,
  AgentEnv,
  SessionBill,
  SessionCounts,
  SessionSource,
  SessionTally,
} from "../agents/adapter.ts";
import { tallyOf } from "../agents/in-memory.ts";
import type { CountPacker } from "../agents/packed-rows.ts";
import type { ReadNotes } from "../agents/read-notes.ts";
import type { RowRoom } from "../agents/row-columns.ts";
import { UsageRows } from "../agents/usage-rows.ts";
import type { BilledSession, SessionsInRows } from "./cost/ledger.ts";

/** `empty`: sessions without a conversation. What cannot be read is left out, and noted. */
export interface CountedSessions extends SessionsInRows<BilledSession> {
  empty: string[];
}

/** Whose sessions they are. */
interface Store {
  readonly adapter: AgentAdapter;
  readonly env: AgentEnv;
  readonly notes: ReadNotes;
}

/** Requests that a session has on average, of those that have many; the rest is no matter. */
const ROWS_PER_SESSION = 32;

export class SessionCounter {
  readonly counted: CountedSessions;
  readonly #store: Store;
  /** So many of the sessions were read ahead. */
  #read = 0;

  /** `expected`: how many sessions. `roomFor`: where their rows lie, if not in memory of their own. */
  constructor(store: Store, expected: number, roomFor?: (rows: number) => RowRoom) {
    this.#store = store;
    const size = 256 + expected * ROWS_PER_SESSION;
    const rows = new UsageRows(undefined, size, roomFor?.(size));
    this.counted = { rows, sessions: [], empty: [] };
  }

  /** Before one of these is counted: reads it, and some after it, unless that is done. */
  readAhead(sources: readonly SessionSource[], index: number, packer: CountPacker | undefined): void {
    if (packer !== undefined && index >= this.#read) this.#read = packer.readAhead(sources, index);
  }

  /** `known`: when it was read before. Gives what was found, if anything. */
  count(source: SessionSource, known: SessionTally | undefined, packer?: CountPacker): SessionBill | undefined {
    const { rows } = this.counted;
    const from = rows.length;
    const skipped = this.#store.notes.skippedCount;
    const counted = this.#countInto(source, known, rows, packer);
    this.#take(source, from, skipped, counted);
    return counted;
  }

  /** Its counts are left out where that takes less. */
  bill(source: SessionSource, known: SessionTally | undefined): void {
    const { rows } = this.counted;
    const from = rows.length;
    const skipped = this.#store.notes.skippedCount;
    const bill = this.#billInto(source, known, rows) ?? this.#countInto(source, known, rows);
    this.#take(source, from, skipped, bill);
  }

  /** `from`, `skipped`: how many rows, and files that could not be read, there were before it. */
  #take({ sessionId }: SessionSource, from: number, skipped: number, bill: SessionBill | undefined): void {
    const { rows, sessions, empty } = this.counted;
    if (bill !== undefined) {
      const billed = bill as BilledSession;
      billed.sessionId = sessionId;
      billed.from = from;
      billed.to = rows.length;
      sessions.push(billed);
    } else if (this.#store.notes.skippedCount === skipped) empty.push(sessionId);
  }

  #billInto(source: SessionSource, known: SessionTally | undefined, rows: UsageRows): SessionBill | undefined {
    const { adapter, env, notes } = this.#store;
    const { history } = adapter;
    if (!history?.billInto || known !== undefined) return undefined;
    const start = rows.length;
    try {
      const bill = history.billInto(source, env, notes, rows);
      if (bill === undefined) rows.cut(start);
      return bill;
    } catch (error) {
      rows.cut(start);
      notes.skip(source.path, (error as Error).message);
      return undefined;
    }
  }

  #countInto(
    source: SessionSource,
    known: SessionTally | undefined,
    rows: UsageRows,
    packer?: CountPacker,
  ): SessionBill | undefined {
    const { adapter, env, notes } = this.#store;
    const { history } = adapter;
    if (known === undefined && history?.tallyInto) {
      const start = rows.length;
      try {
        return packer ? packer.count(source, env, notes, rows) : history.tallyInto(source, env, notes, rows);
      } catch (error) {
        rows.cut(start);
        notes.skip(source.path, (error as Error).message);
        return undefined;
      }
    }
    const { usage, ...counts } = known ?? tallyNow(this.#store, source) ?? {};
    for (const record of usage ?? []) rows.add(record);
    return usage && (counts as SessionCounts);
  }
}

/** Undefined when there is no conversation, or it cannot be read, which is noted. */
export function tallyNow({ adapter, env, notes }: Store, source: SessionSource): SessionTally | undefined {
  const history = adapter.history!;
  try {
    if (history.tally) return history.tally(source, env, notes);
    const reader = history.read(source, env, notes);
    return reader && tallyOf(reader);
  } catch (error) {
    // Also what no adapter foresaw (values nested too deep to be written, for one): it costs this session, not the list.
    notes.skip(source.path, (error as Error).message);
    return undefined;
  }
}
