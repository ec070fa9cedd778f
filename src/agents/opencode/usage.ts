/** What the model calls of a session used and cost. */
import type { TokenCounts } from "../../core/cost.ts";
import type { TokenUsage } from "../../core/session.ts";
import { asNumber, asObject, asText, asTime, asTokens, type Json } from "../../lib/json/fields.ts";
import { optional } from "../../lib/values/optional.ts";
import type { UsageRecord } from "../adapter.ts";
import type { ForkOrigin } from "./forks.ts";
import { roleOf, type StoredMessage, type StoredPart, type StoredSession } from "./stored-session.ts";

export function usageOf(session: StoredSession, origin: ForkOrigin): UsageRecord[] {
  const messages = [...session.messages, ...session.removed];
  return messages.flatMap((message) => (roleOf(message) === "assistant" ? recordsOf(message, origin) : []));
}

function recordsOf(message: StoredMessage, origin: ForkOrigin): UsageRecord[] {
  const original = origin.originals.get(message.id);
  const model = asText(message.data["modelID"]);
  const calls = callsOf(message);
  const records: UsageRecord[] = [];
  for (const [index, call] of calls.entries()) {
    const tokens = tokensOf(call, message.data);
    const cost = Math.max(0, asNumber(call["cost"]) ?? 0);
    const used = tokens.input + tokens.cached + tokens.cacheWrite + tokens.output > 0;
    // Calls that failed, were aborted or were killed are recorded with 0. Where an answer had begun, it was paid for.
    const lowerBound = !used && cost === 0 && wasCutShort(message);
    if (!used && cost === 0 && !lowerBound) continue;
    const key = original ?? message.id;
    records.push({
      key: calls.length === 1 ? key : `${key}#${index + 1}`,
      tokens,
      ...optional("at", asTime(message.createdMs)),
      ...optional("model", model),
      ...(cost > 0 || (used && isFree(model)) ? { reportedMicroUsd: cost * 1e6 } : {}),
      ...(lowerBound ? { lowerBound } : {}),
      ...(original === undefined ? {} : { copied: true }),
    });
  }
  return records;
}

/**
 * One message is one model call since 1.0. Before, a message went on over all steps of an answer: its `cost` adds
 * them up, but its `tokens` are those of the last one, so each step's own record counts.
 */
function callsOf(message: StoredMessage): Json[] {
  const steps = message.parts.map((part) => part.data).filter((part) => part["type"] === "step-finish");
  if (steps.length > 1) return steps;
  const step = steps[0];
  // Killed between writing the step and the message.
  return step !== undefined && sumOf(message.data["tokens"]) === 0 ? [step] : [message.data];
}

/** Token counts of one step of a message, or of the message. */
export function stepTokens(message: StoredMessage, step: readonly StoredPart[], onlyStep: boolean): TokenCounts {
  const finish = step.find((part) => part.data["type"] === "step-finish");
  const call = onlyStep ? callsOf(message)[0]! : (finish?.data ?? {});
  return tokensOf(call, message.data);
}

export function tokensOf(call: Json, message: Json): TokenCounts {
  const counts = asObject(call["tokens"]) ?? {};
  const cache = asObject(counts["cache"]) ?? {};
  const input = asTokens(counts["input"]);
  const output = asTokens(counts["output"]);
  const reasoning = asTokens(counts["reasoning"]);
  const cached = asTokens(cache["read"]);
  const cacheWrite = asTokens(cache["write"]);
  const total = asTokens(counts["total"]);

  // 1.18 keeps reasoning apart from output; 1.1 had it inside, which its total gives away; before that there was no
  // total and it was inside too.
  const inside = total === 0 ? reasoning <= output : total === input + output + cached + cacheWrite;
  const cacheInside = total === 0 && cached <= input && !reportsFreshInput(message, cacheWrite);
  return {
    input: cacheInside ? input - cached : input,
    cached,
    cacheWrite,
    cacheWrite1h: 0,
    output: inside ? output : output + reasoning,
    thinking: inside ? Math.min(reasoning, output) : reasoning,
  };
}

/**
 * Before there was a total, `input` was what the provider said: with cache reads inside, except from Anthropic's
 * interface (the only one that tells cache writes).
 */
function reportsFreshInput(message: Json, cacheWrite: number): boolean {
  const provider = `${String(message["providerID"])}/${String(message["modelID"])}`;
  return cacheWrite > 0 || /anthropic|bedrock|claude/i.test(provider);
}

function sumOf(tokens: unknown): number {
  const counts = asObject(tokens) ?? {};
  const cache = asObject(counts["cache"]) ?? {};
  return asTokens(counts["input"]) + asTokens(counts["output"]) + asTokens(cache["read"]) + asTokens(cache["write"]);
}

const REPLY_PARTS = new Set<unknown>(["text", "reasoning", "tool"]);

function wasCutShort(message: StoredMessage): boolean {
  const ended =
    asTime(asObject(message.data["time"])?.["completed"]) !== undefined && message.data["error"] === undefined;
  return !ended && message.parts.some((part) => REPLY_PARTS.has(part.data["type"]));
}

/**
 * A cost of 0 says nothing by itself: subscriptions, models without a known price and free models all get it.
 * Only a name such as `kimi-k2-free` or `deepseek-r1:free` makes it a price.
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
