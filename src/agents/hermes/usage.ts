/**
 * What a session was billed for. Hermes keeps sums, not requests: one row for each model and task of a session
 * (task '' is the conversation, others are titles, compression, vision …), and in the session's own row the sum of the
 * conversation. Databases from before that table have the latter only, and a session that lived through the upgrade
 * has rows for its later part.
 */
import type { TokenCounts } from "../../core/cost.ts";
import { asNumber, asText, asTime, asTokens } from "../../lib/json/fields.ts";
import { optional } from "../../lib/values/optional.ts";
import type { Row } from "../../lib/sqlite/sqlite.ts";
import type { UsageRecord } from "../adapter.ts";

export const TOKEN_COLUMNS = [
  "input_tokens",
  "output_tokens",
  "cache_read_tokens",
  "cache_write_tokens",
  "reasoning_tokens",
] as const;

export const USAGE_COLUMNS = [
  "session_id",
  "model",
  "billing_provider",
  "billing_base_url",
  "billing_mode",
  "task",
  "api_call_count",
  ...TOKEN_COLUMNS,
  "estimated_cost_usd",
  "actual_cost_usd",
  "cost_status",
  "last_seen",
] as const;

export interface SessionUsage {
  records: UsageRecord[];
  /** The model with the most calls of the conversation; of equals the one used last. */
  model: string | undefined;
  /** All models the conversation used. */
  models: string[];
  /** The conversation itself (not only side calls) has counts. */
  conversationCounted: boolean;
  /** Counters and prices outside all bounds; one store held 1.33e179. */
  brokenValues: number;
}

export function usageOf(session: Row, rows: readonly Row[]): SessionUsage {
  const id = String(session["id"]);
  let brokenValues = 0;
  const conversation: { row: Row; record: UsageRecord }[] = [];
  const records: UsageRecord[] = [];
  const add = (row: Row, key: string, model: string | undefined, at: number | undefined): UsageRecord => {
    const broken = TOKEN_COLUMNS.filter((column) => isBrokenCount(row[column])).length;
    brokenValues += broken + [row["estimated_cost_usd"], row["actual_cost_usd"]].filter(isBrokenAmount).length;
    const record: UsageRecord = {
      key,
      tokens: tokensOf(row),
      ...(at === undefined ? {} : { at: Math.round(at) }),
      ...optional("model", model),
      ...optional("reportedMicroUsd", reportedMicroUsd(row)),
      ...(broken > 0 ? { lowerBound: true } : {}),
    };
    if (totalOf(record.tokens) > 0 || broken > 0) records.push(record);
    return record;
  };

  for (const row of rows) {
    const record = add(row, keyOf(id, row), asText(row["model"]), asTime(row["last_seen"]));
    if (taskOf(row) === "") conversation.push({ row, record });
  }
  const missing = remainder(session, conversation);
  if (missing !== undefined) {
    add(missing, id, asText(session["model"]), asTime(session["last_at"]) ?? asTime(session["started_at"]));
  }

  const byCalls = conversation.toSorted((a, b) => calls(b.row) - calls(a.row) || lastSeen(b.row) - lastSeen(a.row));
  const models = new Set(byCalls.map(({ row }) => asText(row["model"])).filter((model) => model !== undefined));
  return {
    records,
    model: [...models][0] ?? asText(session["model"]),
    models: [...models],
    conversationCounted: missing !== undefined || conversation.some(({ record }) => totalOf(record.tokens) > 0),
    brokenValues,
  };
}

/** The part of the session's own sums that no row of a model accounts for, in the shape of such a row. */
function remainder(session: Row, conversation: readonly { row: Row; record: UsageRecord }[]): Row | undefined {
  const rest: Row = { cost_status: session["cost_status"] };
  let any = false;
  for (const column of TOKEN_COLUMNS) {
    const counted = conversation.reduce((sum, { row }) => sum + asTokens(row[column]), 0);
    const left = conversation.length === 0 ? session[column] : Math.max(0, asTokens(session[column]) - counted);
    rest[column] = left;
    any ||= column !== "reasoning_tokens" && (asTokens(left) > 0 || isBrokenCount(left));
  }
  if (!any) return undefined;
  if (conversation.length === 0) {
    return { ...rest, estimated_cost_usd: session["estimated_cost_usd"], actual_cost_usd: session["actual_cost_usd"] };
  }
  const whole = reportedMicroUsd(session);
  const counted = conversation.reduce((sum, { record }) => sum + (record.reportedMicroUsd ?? 0), 0);
  // Dollars are left over only when both sums are known; otherwise the tokens are priced.
  const left = whole === undefined ? 0 : (whole - counted) / 1e6;
  return left > 0 ? { ...rest, estimated_cost_usd: left } : { ...rest, cost_status: null };
}

/** More dollars than this for one row is a broken record, not a bill. */
const MAX_USD = 1e6;

/**
 * What Hermes says it cost: the amount from the bill, else its estimate. A zero is a price only where the status says
 * that one was known; with `unknown` it means nothing, and with `included` that a subscription paid, so the tokens are
 * priced as they are for every other agent.
 */
function reportedMicroUsd(row: Row): number | undefined {
  const status = row["cost_status"];
  const actual = dollars(row["actual_cost_usd"]);
  // The column of the per-model table cannot be NULL: its zero is a default unless the status is `actual`.
  if (actual !== undefined && (actual > 0 || status === "actual")) return actual * 1e6;
  const estimated = dollars(row["estimated_cost_usd"]);
  if (estimated === undefined) return undefined;
  return estimated > 0 || status === "estimated" ? estimated * 1e6 : undefined;
}

function dollars(value: unknown): number | undefined {
  const usd = asNumber(value);
  return usd !== undefined && usd >= 0 && usd <= MAX_USD ? usd : undefined;
}

function tokensOf(row: Row): TokenCounts {
  const output = asTokens(row["output_tokens"]);
  return {
    input: asTokens(row["input_tokens"]),
    cached: asTokens(row["cache_read_tokens"]),
    cacheWrite: asTokens(row["cache_write_tokens"]),
    cacheWrite1h: 0,
    output,
    // Part of the output already (the model is paid for it as output).
    thinking: Math.min(output, asTokens(row["reasoning_tokens"])),
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

function keyOf(id: string, row: Row): string {
  const parts = ["model", "billing_provider", "billing_base_url", "billing_mode"].map(
    (name) => asText(row[name]) ?? "",
  );
  return [id, taskOf(row), ...parts].join("|");
}

/** '' is the conversation; the table had no such column at first, when it held nothing else. */
function taskOf(row: Row): string {
  return asText(row["task"]) ?? "";
}

function calls(row: Row): number {
  return asNumber(row["api_call_count"]) ?? 0;
}

function lastSeen(row: Row): number {
  return asTime(row["last_seen"]) ?? 0;
}
