/** Usage that cannot be true is kept out of the sums, and says so. */
import type { UsageRecord } from "../../agents/adapter.ts";

/** No coding agent wrote sessions before this. */
const FIRST_MOMENT = Date.UTC(2023, 0, 1);
/** Clocks of two machines may differ, by no more than a day. */
const CLOCK_SKEW_MS = 24 * 3_600_000;
/** One store held 1.33e179. */
const MAX_TOKENS = 1e12;

export interface CheckedUsage {
  usage: UsageRecord;
  problem?: string;
}

/** Impossible counts make the request unknown; an impossible date leaves it without one: it was billed some day. */
export function checkUsage(record: UsageRecord, now: number): CheckedUsage {
  const { tokens, at, reportedMicroUsd } = record;
  for (const field in tokens) {
    const count = tokens[field as keyof typeof tokens];
    if (!(count >= 0 && count <= MAX_TOKENS && Number.isInteger(count))) {
      return { usage: unknown(record), problem: `left out: ${count} ${field} tokens cannot be` };
    }
  }
  if (reportedMicroUsd !== undefined && !(reportedMicroUsd >= 0 && reportedMicroUsd < MAX_TOKENS)) {
    return { usage: unknown(record), problem: `left out: a cost of ${reportedMicroUsd / 1e6} dollars cannot be` };
  }
  if (at === undefined || (at >= FIRST_MOMENT && at <= now + CLOCK_SKEW_MS)) return { usage: record };
  const { at: _, ...undated } = record;
  const date = Number.isFinite(at) && Math.abs(at) <= 8.64e15 ? new Date(at).toISOString() : String(at);
  return { usage: undated, problem: `counted without a date: ${date} cannot be` };
}

function unknown(record: UsageRecord): UsageRecord {
  const { reportedMicroUsd: _, ...rest } = record;
  return {
    ...rest,
    unknown: true,
    tokens: { input: 0, cached: 0, cacheWrite: 0, cacheWrite1h: 0, output: 0, thinking: 0 },
  };
}
