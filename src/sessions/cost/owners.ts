/** Which session made a request that several sessions hold: forks and resumes copy what went before. */
import { COPIED, type UsageRows } from "../../agents/usage-rows.ts";
import type { SessionHead } from "../../agents/adapter.ts";

/** A session's rows are those from `from` to `to`. */
export interface RowRange {
  sessionId: string;
  head: SessionHead;
  from: number;
  to: number;
}

/** For each row the row it is billed as: itself, or the one of the session that made the request. */
export function ownersOf(rows: UsageRows, sessions: readonly RowRange[]): Int32Array {
  const owners = new Int32Array(rows.length);
  const first = firstWithKey(rows);
  // Kept at the first row with the key: the best one so far.
  const best = Int32Array.from(first);
  const session = new Int32Array(rows.length);
  sessions.forEach(({ from, to }, index) => session.fill(index, from, to));
  for (let row = 0; row < rows.length; row++) {
    const key = first[row]!;
    if (key !== row && isBetter(rows, sessions, session, row, best[key]!)) best[key] = row;
  }
  for (let row = 0; row < rows.length; row++) {
    const owner = best[first[row]!]!;
    // What one session holds twice was asked twice.
    owners[row] = session[owner] === session[row] ? row : owner;
  }
  return owners;
}

/** For each row the first one with the same key. */
function firstWithKey(rows: UsageRows): Int32Array {
  const first = new Int32Array(rows.length);
  const bits = Math.ceil(Math.log2(2 * rows.length + 2));
  const slots = 2 ** bits;
  const table = new Int32Array(slots);
  for (let row = 0; row < rows.length; row++) {
    let slot = Math.imul(rows.keyNumber[row]!, 0x9e37_79b1) >>> (32 - bits);
    while (table[slot] !== 0 && !rows.isSameKey(table[slot]! - 1, row)) slot = (slot + 1) & (slots - 1);
    if (table[slot] === 0) table[slot] = row + 1;
    first[row] = table[slot]! - 1;
  }
  return first;
}

/** The original is not marked as a copy; among equals it is dated earliest, in the file begun first. */
function isBetter(rows: UsageRows, sessions: readonly RowRange[], session: Int32Array, a: number, b: number): boolean {
  const [copied, otherCopied] = [rows.flags[a]! & COPIED, rows.flags[b]! & COPIED];
  if (copied !== otherCopied) return copied === 0;
  const [at, otherAt] = [dateOf(rows.at[a]!), dateOf(rows.at[b]!)];
  if (at !== otherAt) return at < otherAt;
  const [range, other] = [sessions[session[a]!]!, sessions[session[b]!]!];
  const [started, otherStarted] = [startOf(range), startOf(other)];
  return started === otherStarted ? range.sessionId < other.sessionId : started < otherStarted;
}

function dateOf(at: number): number {
  return Number.isNaN(at) ? Number.MAX_SAFE_INTEGER : at;
}

export function startOf({ head }: Pick<RowRange, "head">): number {
  return head.startedMs ?? head.createdMs ?? Number.MAX_SAFE_INTEGER;
}
