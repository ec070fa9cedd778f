/** What the entries of a JSONL tree say about tokens and dollars. */
import type { TokenCounts } from "../../core/cost.ts";
import type { TokenUsage } from "../../core/session.ts";
import { asNumber, asObject, asText, asTime, asTokens, type Json } from "../../lib/fields.ts";
import { optional } from "../../lib/optional.ts";
import type { UsageRecord } from "../adapter.ts";
import type { TreeEntry } from "./tree-entry.ts";

/** Their models carry no price in the agents' own tables, so the 0 they record is no price either. */
const FLAT_RATE_PROVIDERS = new Set(["github-copilot"]);

/**
 * The billed request an entry stands for: an assistant message, or any other entry with a `usage` object
 * (compaction, branch summary, `usage`, `model_usage`). Undefined when nothing was billed.
 * `modelInUse` prices entries that do not name their model.
 */
export function usageRecordOf(entry: TreeEntry, modelInUse: string | undefined): UsageRecord | undefined {
  const carrier = entry.message ?? entry.record;
  if (entry.message !== undefined && carrier["role"] !== "assistant") return undefined;
  const usage = asObject(carrier["usage"]);
  if ((usage === undefined && entry.message === undefined) || isOwnRecord(carrier)) return undefined;

  const tokens = tokenCounts(usage ?? {});
  const counted = tokens.input + tokens.cached + tokens.cacheWrite + tokens.output > 0;
  const stop = carrier["stopReason"];
  // A refused request (HTTP 400, 529) is recorded as an answer with zeros; it was not billed.
  if (!counted && stop === "error") return undefined;

  const dollars = counted ? reportedDollars(carrier, usage ?? {}) : undefined;
  const webSearches = asTokens(asObject(usage?.["server"])?.["webSearch"]);
  return {
    key: requestKey(entry, tokens),
    ...optional("at", entry.at),
    ...optional("model", modelOf(carrier) ?? modelInUse),
    tokens,
    ...(dollars === undefined ? {} : { reportedMicroUsd: dollars * 1e6 }),
    ...(webSearches === 0 ? {} : { webSearches }),
    // An answer cut off in the middle has the counts of what had arrived.
    ...(stop === "aborted" || stop === "error" ? { lowerBound: true } : {}),
    ...(counted || stop === "aborted" ? {} : { unknown: true }),
  };
}

/** Counts of a native `usage` object in amux's words; files in the documented layout may have them in these already. */
export function tokenCounts(usage: Json): TokenCounts {
  const output = asTokens(usage["output"] ?? usage["outputTokens"]);
  const cacheWrite = asTokens(usage["cacheWrite"]);
  return {
    input: asTokens(usage["input"] ?? usage["inputTokens"]),
    cached: asTokens(usage["cacheRead"] ?? usage["cachedTokens"]),
    cacheWrite,
    // `cacheWrite1h` in Pi, `cttl.ephemeral1h` in omp.
    cacheWrite1h: Math.min(asTokens(usage["cacheWrite1h"] ?? asObject(usage["cttl"])?.["ephemeral1h"]), cacheWrite),
    output,
    // `reasoning` in Pi, `reasoningTokens` in omp; part of `output` in both.
    thinking: Math.min(asTokens(usage["reasoning"] ?? usage["reasoningTokens"] ?? usage["thinkingTokens"]), output),
  };
}

/** The same counts for a message; undefined when the agent told none. */
export function tokenUsageOf(message: Json): TokenUsage | undefined {
  const usage = asObject(message["usage"]);
  if (usage === undefined) return undefined;
  const { input, cached, cacheWrite, cacheWrite1h, output, thinking } = tokenCounts(usage);
  if (input + cached + cacheWrite + output === 0) return undefined;
  return {
    inputTokens: input,
    outputTokens: output,
    ...(thinking > 0 ? { thinkingTokens: thinking } : {}),
    cachedTokens: cached,
    cacheWriteTokens: cacheWrite,
    cacheWrite1hTokens: cacheWrite1h,
  };
}

/** The model that answered: what the provider said it was, else what was asked for. */
export function modelOf(carrier: Json): string | undefined {
  if (isOwnRecord(carrier)) return undefined;
  return asText(carrier["responseModel"]) ?? asText(carrier["model"]);
}

/** OpenClaw records what it sent to a chat (`delivery-mirror`, `gateway-injected`) as an answer that no model gave. */
function isOwnRecord(carrier: Json): boolean {
  return (
    carrier["provider"] === "openclaw" && /^(?:delivery-mirror|gateway-injected)$/.test(asText(carrier["model"]) ?? "")
  );
}

/** What the agent wrote; absent where it knows no price. */
export function reportedDollars(carrier: Json, usage: Json): number | undefined {
  const total = asNumber(asObject(usage["cost"])?.["total"]);
  if (total === undefined || total < 0) return undefined;
  return total === 0 && FLAT_RATE_PROVIDERS.has(asText(carrier["provider"]) ?? "") ? undefined : total;
}

/**
 * Made of what every copy of a request keeps. Entry ids do not serve for answers: opening a v1 file with a newer
 * Pi gives it random ones. A response id alone does not serve either: local servers count theirs from 1.
 */
function requestKey(entry: TreeEntry, tokens: TokenCounts): string {
  if (entry.message === undefined) return `${entry.id}@${entry.at ?? ""}`;
  const answered = asTime(entry.message["timestamp"]) ?? entry.at;
  const identity =
    asText(entry.message["responseId"]) ??
    `${tokens.input}+${tokens.cached}+${tokens.cacheWrite}+${tokens.output}${answered === undefined ? entry.id : ""}`;
  return `${identity}@${answered ?? ""}`;
}
