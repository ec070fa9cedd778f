/** The conversation in a JSONL tree: the content of each entry, with tool results joined to their calls. */
import type { TokenCounts, TokenUsage } from "../../core/cost.ts";
import type { SessionMessage, SessionToolCall } from "../../core/session.ts";
import { NO_TOKENS } from "../../core/tokens.ts";
import { asText, type Json } from "../../lib/json/fields.ts";
import { optional } from "../../lib/values/optional.ts";
import type { UsageRecord } from "../adapter.ts";
import { answerMessage, withTimestamp, toolMessage } from "./message-fields.ts";
import {
  answerOf,
  type CarriedUsage,
  isAnswer,
  isOwnRecord,
  modelOf,
  resultTimes,
  stopReasonOf,
  toolStart,
  type TreeEntry,
  usageIn,
  type Utterance,
  utteranceOf,
} from "./tree-format.ts";

/**
 * The text of a `user` message; undefined if neither a person nor a script wrote it, a notice if the agent wrote it for the user
 * to see.
 */
export type UserText = (text: string, message: Json) => string | Notice | undefined;

export interface Notice {
  notice: string;
}

/**
 * Messages of a path from root to leaf. An answer is held back until its calls are answered or the next answer comes, so at most
 * one turn is in memory.
 */
export function* joinedMessages(
  entries: Iterable<TreeEntry>,
  options: { userText?: UserText; isInherited?: (entry: TreeEntry) => boolean } = {},
): Generator<SessionMessage> {
  let held: SessionMessage[] = [];
  let open = new Map<string, OpenCall>();
  for (const entry of entries) {
    noteToolStart(entry, open);
    const messages = messagesOf(entry, options.userText);
    for (const message of messages) {
      if (options.isInherited?.(entry)) message.inherited = true;
      if (message.role === "assistant") {
        yield* held;
        held = [];
        open = openCalls(message, entry);
      }
      if (message.toolResult) joinResult(message, entry, open);
      if (open.size === 0) {
        yield* held;
        held = [];
        yield message;
      } else held.push(message);
    }
  }
  yield* held;
}

/** The messages of one entry: none, one, or an answer with the error that ended it. */
export function messagesOf(entry: TreeEntry, userText?: UserText): SessionMessage[] {
  const said = utteranceOf(entry);
  switch (said?.kind) {
    case "user":
      return userMessage(entry, said, userText);
    case "answer":
      return answer(entry, said);
    case "result":
      return [
        toolMessage(
          { toolCallId: said.callId, toolName: said.tool, output: said.text, isError: said.isError },
          { ...said.images, ...withTimestamp(entry.at) },
        ),
      ];
    case "notice":
      return system(entry, said.text);
    default:
      return [];
  }
}

type Said<K extends Utterance["kind"]> = Extract<Utterance, { kind: K }>;

function userMessage(
  entry: TreeEntry,
  { text, images, message }: Said<"user">,
  userText: UserText | undefined,
): SessionMessage[] {
  const said = userText ? userText(text, message) : text;
  if (said === undefined) return [];
  return typeof said === "string"
    ? [{ role: "user", content: said, ...images, ...withTimestamp(entry.at) }]
    : system(entry, said.notice);
}

function answer(entry: TreeEntry, { text, thinking, calls, error, message }: Said<"answer">): SessionMessage[] {
  const failure = error === undefined ? [] : system(entry, error);
  // A refused request leaves an empty answer: show only the error.
  if (text === "" && thinking === "" && calls.length === 0 && failure.length > 0) return failure;
  const spoken = { content: text, toolCalls: calls, thinking: asText(thinking) };
  const facts = { model: modelOf(message), tokenUsage: tokenUsageOf(message) };
  return [answerMessage({ ...spoken, ...facts }, withTimestamp(entry.at)), ...failure];
}

function system(entry: TreeEntry, content: string | undefined): SessionMessage[] {
  return content === undefined || content === "" ? [] : [{ role: "system", content, ...withTimestamp(entry.at) }];
}

/** A call without a result so far. */
interface OpenCall {
  call: SessionToolCall;
  /** From omp's start record; otherwise, for a single call, from the end of its answer. */
  startedMs: number | undefined;
}

function openCalls(message: SessionMessage, entry: TreeEntry): Map<string, OpenCall> {
  const calls = message.toolCalls ?? [];
  const startedMs = calls.length === 1 ? entry.at : undefined;
  return new Map(calls.map((call) => [call.toolCallId, { call, startedMs }]));
}

function noteToolStart(entry: TreeEntry, open: Map<string, OpenCall>): void {
  const start = toolStart(entry);
  const call = start && open.get(start.callId);
  if (call) call.startedMs = start.startedMs;
}

function joinResult(message: SessionMessage, entry: TreeEntry, open: Map<string, OpenCall>): void {
  const { toolCallId, output, isError } = message.toolResult!;
  const waiting = open.get(toolCallId);
  if (waiting === undefined) return;
  open.delete(toolCallId);
  waiting.call.output = output;
  if (isError) waiting.call.isError = true;
  const { finishedMs, tookMs } = resultTimes(entry);
  if (tookMs !== undefined) waiting.call.durationMs = tookMs;
  else if (waiting.startedMs !== undefined && finishedMs !== undefined && finishedMs >= waiting.startedMs) {
    waiting.call.durationMs = finishedMs - waiting.startedMs;
  }
}

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

/** The same counts for a message; undefined if the agent wrote none. */
function tokenUsageOf(message: Json): TokenUsage | undefined {
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
