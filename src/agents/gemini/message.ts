/** Builds messages from the rows of a conversation. */
import type { MessageRole, SessionMessage, SessionToolCall } from "../../core/session.ts";
import type { Json } from "../../lib/json/fields.ts";
import { answerMessage, withTimestamp, tokenUsage, toolMessage } from "../shared/message-fields.ts";
import type { Row } from "./replay.ts";
import { outputOf } from "../shared/parts-format.ts";
import { callsOf, imagesOf, isFailed, responsesOf, textOf, thinkingOf, type Call } from "./format.ts";
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

/** The roles of the messages of `buildMessages`, without loading anything. */
export function* rolesOf(rows: readonly Row<unknown>[]): Generator<{ role: MessageRole }> {
  for (const { row, count } of counted(rows)) {
    const role = row.kind === "prompt" ? "user" : row.kind === "reply" ? "assistant" : "system";
    for (let left = count; left > 0; left--) yield { role };
  }
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
      yield resultMessage(call.id, call.name, call.response, isFailed(call.response, call.status), call.at);
    }
  } else if (row.kind === "results") {
    for (const response of responsesOf(record)) {
      if (answered.has(response.id)) continue;
      answered.add(response.id);
      yield resultMessage(response.id, response.name, response.response, isFailed(response.response, undefined));
    }
  } else yield { role: "system", content: textOf(record) };
}

function buildReply<P>(
  row: Row<P>,
  record: Json,
  calls: Call[],
  responseTo: (call: Call) => Json | undefined,
): SessionMessage {
  return answerMessage({
    content: textOf(record),
    thinking: thinkingOf(record),
    toolCalls: calls.map((call) => buildCall(call, responseTo(call))),
    model: row.model,
    tokenUsage: row.tokens && tokenUsage(row.tokens),
  });
}

function buildCall(call: Call, response: Json | undefined): SessionToolCall {
  const built: SessionToolCall = { toolCallId: call.id, toolName: call.name, input: call.input };
  if (response !== undefined) built.output = outputOf(response);
  if (isFailed(response, call.status)) built.isError = true;
  return built;
}

function resultMessage(
  toolCallId: string,
  toolName: string,
  response: Json,
  isError: boolean,
  at?: number,
): SessionMessage {
  return toolMessage({ toolCallId, toolName, output: outputOf(response), isError }, withTimestamp(at));
}
