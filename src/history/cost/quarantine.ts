/** Keeps impossible usage out of the sums and notes it. */
import type { ReportedTotal, UsageRecord } from "../../agents/adapter.ts";
import { NO_TOKENS } from "../../core/tokens.ts";

/** No coding agent wrote sessions before this date. */
const FIRST_MOMENT = Date.UTC(2023, 0, 1);
/** Clocks of two machines may differ by up to a day. */
const CLOCK_SKEW_MS = 24 * 3_600_000;
/** One store contained 1.33e179. */
const MAX_TOKENS = 1e12;

export interface CheckedUsage {
  usage: UsageRecord;
  problem?: string;
}

/**
 * Impossible counts make the request unknown. An impossible cost is ignored. An impossible date is removed, but the request still
 * counts.
 */
export function checkUsage(record: UsageRecord, now: number): CheckedUsage {
  const { tokens, at, reportedMicroUsd } = record;
  const { input, cached, cacheWrite, cacheWrite1h, output, thinking } = tokens;
  for (const count of [input, cached, cacheWrite, cacheWrite1h, output, thinking]) {
    if (!isCount(count)) {
      return { usage: unknown(record), problem: `left out: ${count} tokens is impossible` };
    }
  }
  if (reportedMicroUsd !== undefined && !(reportedMicroUsd >= 0 && reportedMicroUsd <= MAX_MICRO_USD)) {
    const { reportedMicroUsd: _, ...rest } = record;
    return { usage: rest, problem: `the agent wrote a cost of ${reportedMicroUsd / 1e6} dollars, which is impossible` };
  }
  if (at === undefined || (at >= FIRST_MOMENT && at <= now + CLOCK_SKEW_MS)) return { usage: record };
  const { at: _, ...undated } = record;
  const date = Math.abs(at) <= MAX_DATE_MS ? new Date(at).toISOString() : String(at);
  return { usage: undated, problem: `counted without a date: ${date} is impossible` };
}

/** A total with an impossible sum is ignored. */
export function checkTotal(total: ReportedTotal | undefined): ReportedTotal | undefined {
  const isPossible = Object.values(total?.byModel ?? {}).every((usd) => usd >= 0 && usd <= MAX_TOTAL_MICRO_USD);
  return isPossible ? total : undefined;
}

function isCount(count: number): boolean {
  return count >= 0 && count <= MAX_TOKENS && Math.floor(count) === count;
}

const MAX_MICRO_USD = 1e12;
const MAX_TOTAL_MICRO_USD = 1e15;
/** The range of Date. */
const MAX_DATE_MS = 8.64e15;

function unknown(record: UsageRecord): UsageRecord {
  const { reportedMicroUsd: _, ...rest } = record;
  return { ...rest, unknown: true, tokens: { ...NO_TOKENS } };
}
