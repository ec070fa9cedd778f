/** Builds messages from the rows of a conversation. */
import type { TokenCounts } from "../../core/cost.ts";
import type { SessionMessage, SessionToolCall, TokenUsage } from "../../core/session.ts";
import { jsonText } from "../../lib/json/json.ts";
import type { Json } from "../../lib/json/fields.ts";
import { TurnCounter } from "../in-memory.ts";
import type { Row } from "./replay.ts";
import {
  callsOf,
  imagesOf,
  isFailed,
  outputOf,
  responsesOf,
  textOf,
  thinkingOf,
  type Call,
  type Response,
} from "./format.ts";
import { promptText } from "./record.ts";

type Load<P> = (place: P) => Json | undefined;

/** `importedMs`: earlier rows were copied from another session. */
export function* buildMessages<P>(
  rows: readonly Row<P>[],
  load: Load<P>,
  importedMs?: number,
): Generator<SessionMessage> {
  const resultsAt = new Map<string, P>();
  for (const row of rows) if (row.kind === "results") for (const id of row.answers) resultsAt.set(id, row.place);
  const responseTo = (call: Call): Json | undefined => {
    if (call.response !== undefined) return call.response;
    const place = resultsAt.get(call.id);
    const record = place === undefined ? undefined : load(place);
    return record && responsesOf(record).find((response) => response.id === call.id)?.response;
  };

  const answered = new Set<string>();
  for (const row of rows) {
    const record = load(row.place);
    if (record === undefined) continue;
    for (const message of messagesOf(row, record, responseTo, answered)) {
      if (row.at !== undefined) message.timestamp ??= new Date(row.at);
      if (importedMs !== undefined && row.at !== undefined && row.at < importedMs) message.inherited = true;
      yield message;
    }
  }
}

/** Counts the messages of `buildMessages` without loading anything. */
export function countMessages(rows: readonly Row<unknown>[]): { messageCount: number; turnCount: number } {
  const turns = new TurnCounter();
  let messageCount = 0;
  for (const { row, count } of counted(rows)) {
    messageCount += count;
    turns.see(row.kind === "prompt" ? "user" : row.kind === "reply" ? "assistant" : "system");
  }
  return { messageCount, turnCount: turns.count };
}

/** The rows of the messages up to one. */
export function rowsUpTo<P>(rows: readonly Row<P>[], last: number): Row<P>[] {
  const kept: Row<P>[] = [];
  let next = 0;
  for (const { row, count } of counted(rows)) {
    if (next > last) break;
    next += count;
    kept.push(row);
  }
  return kept;
}

/** The number of messages of each row. */
function* counted<P>(rows: readonly Row<P>[]): Generator<{ row: Row<P>; count: number }> {
  const answered = new Set<string>();
  for (const row of rows) {
    const { kind, answers } = row;
    const results = kind === "results" ? answers.filter((id) => !answered.has(id)) : answers;
    for (const id of results) answered.add(id);
    yield { row, count: results.length + (kind === "results" ? 0 : 1) };
  }
}

function* messagesOf<P>(
  row: Row<P>,
  record: Json,
  responseTo: (call: Call) => Json | undefined,
  answered: Set<string>,
): Generator<SessionMessage> {
  if (row.kind === "prompt") yield { role: "user", content: promptText(record), ...imagesOf(record) };
  else if (row.kind === "reply") {
    const calls = callsOf(record);
    yield buildReply(row, record, calls, responseTo);
    for (const call of calls) {
      // A result that is only in its own record is reported with that record.
      if (call.response === undefined) continue;
      answered.add(call.id);
      const message = toolMessage(
        { id: call.id, name: call.name, response: call.response },
        isFailed(call.response, call.status),
      );
      if (call.at !== undefined) message.timestamp = new Date(call.at);
      yield message;
    }
  } else if (row.kind === "results") {
    for (const response of responsesOf(record)) {
      if (answered.has(response.id)) continue;
      answered.add(response.id);
      yield toolMessage(response, isFailed(response.response, undefined));
    }
  } else yield { role: "system", content: textOf(record) };
}

function buildReply<P>(
  row: Row<P>,
  record: Json,
  calls: Call[],
  responseTo: (call: Call) => Json | undefined,
): SessionMessage {
  const message: SessionMessage = { role: "assistant", content: textOf(record) };
  const thinking = thinkingOf(record);
  if (thinking !== undefined) message.thinking = thinking;
  if (row.model !== undefined) message.model = row.model;
  if (row.tokens !== undefined) message.tokenUsage = tokenUsage(row.tokens);
  if (calls.length > 0) message.toolCalls = calls.map((call) => buildCall(call, responseTo(call)));
  return message;
}

function buildCall(call: Call, response: Json | undefined): SessionToolCall {
  const built: SessionToolCall = { toolCallId: call.id, toolName: call.name, input: call.input };
  if (response !== undefined) built.output = outputOf(response);
  if (isFailed(response, call.status)) built.isError = true;
  return built;
}

function toolMessage({ id, name, response }: Response, failed: boolean): SessionMessage {
  const output = outputOf(response);
  const message: SessionMessage = {
    role: "tool",
    content: typeof output === "string" ? output : jsonText(output),
    toolResult: { toolCallId: id, toolName: name, output },
  };
  if (failed) message.toolResult!.isError = true;
  return message;
}

function tokenUsage(tokens: TokenCounts): TokenUsage {
  const usage: TokenUsage = { inputTokens: tokens.input, outputTokens: tokens.output };
  if (tokens.thinking > 0) usage.thinkingTokens = tokens.thinking;
  if (tokens.cached > 0) usage.cachedTokens = tokens.cached;
  return usage;
}
