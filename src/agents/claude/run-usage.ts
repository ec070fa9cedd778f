/**
 * Usage of a run, from the `result` record. Its `usage` excludes sub-agents and its totals cover the whole session, including
 * resumed parts; `model_usage_since_last_result` (2.1.3xx) is exactly this run.
 */
import type { TokenCounts } from "../../core/cost.ts";
import { addTokens, NO_TOKENS } from "../../core/tokens.ts";
import { asNumber, asObject, asTokens, type Json } from "../../lib/json/fields.ts";

export interface RunUsage {
  byModel: { model?: string; tokens: TokenCounts }[];
  total: TokenCounts;
  /** Absent if only the session's total is known. */
  usd?: number;
}

export function usageOfRun(result: Json, isNewSession: boolean): RunUsage {
  const since = asObject(result["model_usage_since_last_result"]);
  if (!since) {
    const tokens = mainTokens(asObject(result["usage"]) ?? {});
    // 1.0.x called it cost_usd.
    const usd = isNewSession ? (asNumber(result["total_cost_usd"]) ?? asNumber(result["cost_usd"])) : undefined;
    return { byModel: [{ tokens }], total: tokens, ...(usd === undefined ? {} : { usd }) };
  }
  const byModel = Object.entries(since).map(([model, usage]) => ({
    model,
    tokens: modelTokens(asObject(usage) ?? {}),
  }));
  const usd = Object.values(since).reduce<number>(
    (sum, usage) => sum + (asNumber(asObject(usage)?.["costUSD"]) ?? 0),
    0,
  );
  return { byModel, total: byModel.reduce((total, { tokens }) => addTokens(total, tokens), { ...NO_TOKENS }), usd };
}

function modelTokens(usage: Json): TokenCounts {
  return {
    input: asTokens(usage["inputTokens"]),
    cached: asTokens(usage["cacheReadInputTokens"]),
    cacheWrite: asTokens(usage["cacheCreationInputTokens"]),
    cacheWrite1h: asTokens(usage["cacheCreationEphemeral1hInputTokens"]),
    output: asTokens(usage["outputTokens"]),
    thinking: asTokens(usage["thinkingTokens"]),
  };
}

function mainTokens(usage: Json): TokenCounts {
  return {
    input: asTokens(usage["input_tokens"]),
    cached: asTokens(usage["cache_read_input_tokens"]),
    cacheWrite: asTokens(usage["cache_creation_input_tokens"]),
    cacheWrite1h: asTokens(asObject(usage["cache_creation"])?.["ephemeral_1h_input_tokens"]),
    output: asTokens(usage["output_tokens"]),
    thinking: asTokens(asObject(usage["output_tokens_details"])?.["thinking_tokens"]),
  };
}
