/** Messages from the facts that agents record, with only the fields that have a value. */
import type { TokenCounts, TokenUsage } from "../../core/cost.ts";
import type { SessionMessage, SessionToolCall } from "../../core/session.ts";
import { jsonText } from "../../lib/json/json.ts";
import { optional } from "../../lib/values/optional.ts";

/** The `timestamp` of a message that may have none, for object literals. Rounded to milliseconds. */
export function withTimestamp(at: number | undefined): { timestamp?: Date } {
  return at === undefined ? {} : { timestamp: new Date(Math.round(at)) };
}

export interface Answer {
  content: string;
  thinking?: string | undefined;
  toolCalls: SessionToolCall[];
  model?: string | undefined;
  tokenUsage?: TokenUsage | undefined;
}

/** `common` are fields that all messages of a record have. */
export function answerMessage(answer: Answer, common: Partial<SessionMessage> = {}): SessionMessage {
  const { content, toolCalls, thinking, model, tokenUsage } = answer;
  return {
    role: "assistant",
    content,
    ...common,
    ...(toolCalls.length === 0 ? {} : { toolCalls }),
    ...optional("thinking", thinking),
    ...optional("model", model),
    ...optional("tokenUsage", tokenUsage),
  };
}

/** The message that a tool's result is. */
export function toolMessage(
  { isError, ...result }: NonNullable<SessionMessage["toolResult"]>,
  common: Partial<SessionMessage> = {},
): SessionMessage {
  const content = typeof result.output === "string" ? result.output : jsonText(result.output);
  return { role: "tool", content, ...common, toolResult: { ...result, ...(isError ? { isError } : {}) } };
}

export function tokenUsage(tokens: TokenCounts): TokenUsage {
  return {
    inputTokens: tokens.input,
    outputTokens: tokens.output,
    ...(tokens.thinking > 0 ? { thinkingTokens: tokens.thinking } : {}),
    ...(tokens.cached > 0 ? { cachedTokens: tokens.cached } : {}),
    ...(tokens.cacheWrite > 0 ? { cacheWriteTokens: tokens.cacheWrite } : {}),
  };
}

/** Open tool calls by id, latest first: some providers number ids per reply. */
export class CallIndex {
  readonly #calls = new Map<string, { call: SessionToolCall; at: number | undefined; alone: boolean }>();

  add(calls: readonly SessionToolCall[], at?: number): void {
    for (const call of calls) this.#calls.set(call.toolCallId, { call, at, alone: calls.length === 1 });
  }

  /** Adds a result to its call, which is returned. */
  answer(id: string, output: unknown, isError: boolean, at?: number): SessionToolCall | undefined {
    const entry = this.#calls.get(id);
    if (entry === undefined) return undefined;
    entry.call.output = output;
    if (isError) entry.call.isError = true;
    // Parallel calls are written in order, so only a single call has a time of its own.
    if (entry.alone && at !== undefined && entry.at !== undefined && at >= entry.at) {
      entry.call.durationMs = Math.round(at - entry.at);
    }
    return entry.call;
  }
}
