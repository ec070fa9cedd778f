/**
 * The usage of a session. Hermes stores sums: a row per model and task (task '' is the conversation), and the
 * conversation's sum in the session row, which is all that older databases have.
 */
import type { TokenCounts } from "../../core/cost.ts";
import { asNumber, asTokens } from "../../lib/json/fields.ts";
import { optional } from "../../lib/values/optional.ts";
import type { UsageRecord } from "../adapter.ts";
import type { SessionFields, UsageFields } from "./format.ts";

export interface SessionUsage {
  records: UsageRecord[];
  /** The model with the most calls in the conversation; on a tie, the last used. */
  model: string | undefined;
  /** All models the conversation used. */
  models: string[];
  /** The conversation itself has counts, not only side calls. */
  conversationCounted: boolean;
  /** Implausible counters and prices; one store held 1.33e179. */
  brokenValues: number;
}

export function usageOf(
  { id = "", sums, lastMs, startedMs }: SessionFields,
  rows: readonly UsageFields[],
): SessionUsage {
  let brokenValues = 0;
  const conversation: { row: UsageFields; record: UsageRecord }[] = [];
  const records: UsageRecord[] = [];
  const add = (row: UsageFields, key: string, at: number | undefined): UsageRecord => {
    const broken = Object.values(row.counts).filter(isBrokenCount).length;
    brokenValues += broken + [row.estimatedUsd, row.actualUsd].filter(isBrokenAmount).length;
    const record: UsageRecord = {
      key,
      tokens: tokensOf(row),
      ...(at === undefined ? {} : { at: Math.round(at) }),
      ...optional("model", row.model),
      ...optional("reportedMicroUsd", reportedMicroUsd(row)),
      ...(broken > 0 ? { lowerBound: true } : {}),
    };
    if (totalOf(record.tokens) > 0 || broken > 0) records.push(record);
    return record;
  };

  for (const row of rows) {
    const record = add(row, [id, row.task, ...row.keys].join("|"), row.lastMs);
    if (row.task === "") conversation.push({ row, record });
  }
  const missing = remainder(sums, conversation);
  if (missing !== undefined) add(missing, id, lastMs ?? startedMs);

  const byCalls = conversation.toSorted(
    ({ row: a }, { row: b }) => b.calls - a.calls || (b.lastMs ?? 0) - (a.lastMs ?? 0),
  );
  const models = new Set(byCalls.map(({ row }) => row.model).filter((model) => model !== undefined));
  return {
    records,
    model: [...models][0] ?? sums.model,
    models: [...models],
    conversationCounted: missing !== undefined || conversation.some(({ record }) => totalOf(record.tokens) > 0),
    brokenValues,
  };
}

/** The part of the session's sums that no model row covers, as such a row. */
function remainder(
  sums: UsageFields,
  conversation: readonly { row: UsageFields; record: UsageRecord }[],
): UsageFields | undefined {
  const counts = { ...sums.counts };
  let any = false;
  for (const name of Object.keys(counts) as (keyof typeof counts)[]) {
    const counted = conversation.reduce((sum, { row }) => sum + asTokens(row.counts[name]), 0);
    if (conversation.length > 0) counts[name] = Math.max(0, asTokens(counts[name]) - counted);
    any ||= name !== "reasoning" && (asTokens(counts[name]) > 0 || isBrokenCount(counts[name]));
  }
  if (!any) return undefined;
  const rest = { ...sums, counts };
  if (conversation.length === 0) return rest;
  const whole = reportedMicroUsd(sums);
  const counted = conversation.reduce((sum, { record }) => sum + (record.reportedMicroUsd ?? 0), 0);
  // The remaining dollars are known only if both sums are; otherwise the tokens are priced.
  const left = whole === undefined ? 0 : (whole - counted) / 1e6;
  const unpriced = { ...rest, actualUsd: undefined, estimatedUsd: undefined, costStatus: null };
  return left > 0 ? { ...unpriced, estimatedUsd: left, costStatus: sums.costStatus } : unpriced;
}

/** More dollars in one row are a broken record. */
const MAX_USD = 1e6;

/**
 * The cost that Hermes reports: the bill, else its estimate. Zero counts only if the status says that a price was
 * known; subscription usage is priced as for every other agent.
 */
function reportedMicroUsd({ costStatus, actualUsd, estimatedUsd }: UsageFields): number | undefined {
  const actual = dollars(actualUsd);
  // The column of the per-model table cannot be NULL: zero is a default unless the status is `actual`.
  if (actual !== undefined && (actual > 0 || costStatus === "actual")) return actual * 1e6;
  const estimated = dollars(estimatedUsd);
  if (estimated === undefined) return undefined;
  return estimated > 0 || costStatus === "estimated" ? estimated * 1e6 : undefined;
}

function dollars(value: unknown): number | undefined {
  const usd = asNumber(value);
  return usd !== undefined && usd >= 0 && usd <= MAX_USD ? usd : undefined;
}

function tokensOf({ counts }: UsageFields): TokenCounts {
  const output = asTokens(counts.output);
  return {
    input: asTokens(counts.input),
    cached: asTokens(counts.cacheRead),
    cacheWrite: asTokens(counts.cacheWrite),
    cacheWrite1h: 0,
    output,
    // Already part of the output, and billed as output.
    thinking: Math.min(output, asTokens(counts.reasoning)),
  };
}

function totalOf(tokens: TokenCounts): number {
  return tokens.input + tokens.cached + tokens.cacheWrite + tokens.output;
}

function isBrokenCount(value: unknown): boolean {
  return typeof value === "number" && value !== 0 && asTokens(value) === 0;
}

function isBrokenAmount(value: unknown): boolean {
  return typeof value === "number" && dollars(value) === undefined;
}
