/** Tokens and dollars in the entries of a JSONL tree. */
import type { TokenCounts } from "../../core/cost.ts";
import type { TokenUsage } from "../../core/session.ts";
import type { Json } from "../../lib/json/fields.ts";
import { optional } from "../../lib/values/optional.ts";
import type { UsageRecord } from "../adapter.ts";
import {
  answerOf,
  isAnswer,
  isOwnRecord,
  modelOf,
  stopReasonOf,
  usageIn,
  type CarriedUsage,
  type TreeEntry,
} from "./tree-format.ts";

/** The agents' tables have no price for these providers' models, so the recorded 0 is not a price. */
const FLAT_RATE_PROVIDERS = new Set(["github-copilot"]);

/** The billed request of an entry, if any; `modelInUse` prices entries that do not name their model. */
export function usageRecordOf(entry: TreeEntry, modelInUse: string | undefined): UsageRecord | undefined {
  const carrier = entry.message ?? entry.record;
  if (entry.message !== undefined && !isAnswer(entry)) return undefined;
  const usage = usageIn(carrier);
  if ((usage === undefined && entry.message === undefined) || isOwnRecord(carrier)) return undefined;

  const tokens = usage?.tokens ?? NO_TOKENS;
  const counted = tokens.input + tokens.cached + tokens.cacheWrite + tokens.output > 0;
  const stop = stopReasonOf(carrier);
  // A refused request (HTTP 400, 529) is recorded as an answer with zeros; it was not billed.
  if (!counted && stop === "error") return undefined;

  const dollars = counted && usage ? reportedDollars(usage) : undefined;
  return {
    key: requestKey(entry, tokens),
    ...optional("at", entry.at),
    ...optional("model", modelOf(carrier) ?? modelInUse),
    tokens: { ...tokens },
    ...(dollars === undefined ? {} : { reportedMicroUsd: dollars * 1e6 }),
    ...(usage && usage.webSearches > 0 ? { webSearches: usage.webSearches } : {}),
    // An interrupted answer has the counts of what had arrived.
    ...(stop === "aborted" || stop === "error" ? { lowerBound: true } : {}),
    ...(counted || stop === "aborted" ? {} : { unknown: true }),
  };
}

const NO_TOKENS: TokenCounts = { input: 0, cached: 0, cacheWrite: 0, cacheWrite1h: 0, output: 0, thinking: 0 };

/** The same counts for a message; undefined if the agent wrote none. */
export function tokenUsageOf(message: Json): TokenUsage | undefined {
  const { input, cached, cacheWrite, cacheWrite1h, output, thinking } = usageIn(message)?.tokens ?? NO_TOKENS;
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

/** The agent's figure; absent if it knows no price. */
export function reportedDollars({ dollars, provider }: CarriedUsage): number | undefined {
  if (dollars === undefined || dollars < 0) return undefined;
  return dollars === 0 && FLAT_RATE_PROVIDERS.has(provider ?? "") ? undefined : dollars;
}

/**
 * A key from what every copy of a request keeps. Entry ids are unsuitable: a newer Pi gives a v1 file random ones. A response id
 * alone is not enough: local servers count from 1.
 */
function requestKey(entry: TreeEntry, tokens: TokenCounts): string {
  if (entry.message === undefined) return `${entry.id}@${entry.at ?? ""}`;
  const { responseId, answeredMs } = answerOf(entry.message);
  const answered = answeredMs ?? entry.at;
  const identity =
    responseId ??
    `${tokens.input}+${tokens.cached}+${tokens.cacheWrite}+${tokens.output}${answered === undefined ? entry.id : ""}`;
  return `${identity}@${answered ?? ""}`;
}
