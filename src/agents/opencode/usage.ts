/** Usage and cost of a session's model calls. */
import type { TokenCounts } from "../../core/cost.ts";
import type { TokenUsage } from "../../core/session.ts";
import { asTime } from "../../lib/json/fields.ts";
import { optional } from "../../lib/values/optional.ts";
import type { UsageRecord } from "../adapter.ts";
import type { ForkOrigin } from "./forks.ts";
import { modelOf, requestsOf, roleOf, wasCutShort } from "./format.ts";
import type { StoredMessage, StoredSession } from "./stored-session.ts";

export function usageOf(session: StoredSession, origin: ForkOrigin): UsageRecord[] {
  const messages = [...session.messages, ...session.removed];
  return messages.flatMap((message) => (roleOf(message) === "assistant" ? recordsOf(message, origin) : []));
}

function recordsOf(message: StoredMessage, origin: ForkOrigin): UsageRecord[] {
  const original = origin.originals.get(message.id);
  const model = modelOf(message);
  const requests = requestsOf(message);
  const records: UsageRecord[] = [];
  for (const [index, { tokens, usd }] of requests.entries()) {
    const used = tokens.input + tokens.cached + tokens.cacheWrite + tokens.output > 0;
    // Calls that failed, were aborted or were killed are recorded with 0. If an answer had begun, it was billed.
    const lowerBound = !used && usd === 0 && wasCutShort(message);
    if (!used && usd === 0 && !lowerBound) continue;
    const key = original ?? message.id;
    records.push({
      key: requests.length === 1 ? key : `${key}#${index + 1}`,
      tokens,
      ...optional("at", asTime(message.createdMs)),
      ...optional("model", model),
      ...(usd > 0 || (used && isFree(model)) ? { reportedMicroUsd: usd * 1e6 } : {}),
      ...(lowerBound ? { lowerBound } : {}),
      ...(original === undefined ? {} : { copied: true }),
    });
  }
  return records;
}

/**
 * A cost of 0 is ambiguous: subscriptions, unpriced models and free models all have it. Only a name such as
 * `kimi-k2-free` or `deepseek-r1:free` makes it a price.
 */
function isFree(model: string | undefined): boolean {
  return model !== undefined && /[:-]free$/.test(model);
}

export function tokenUsageOf(tokens: TokenCounts): TokenUsage | undefined {
  const { input, cached, cacheWrite, output, thinking } = tokens;
  if (input + cached + cacheWrite + output === 0) return undefined;
  return {
    inputTokens: input,
    outputTokens: output,
    cachedTokens: cached,
    cacheWriteTokens: cacheWrite,
    thinkingTokens: thinking,
  };
}
