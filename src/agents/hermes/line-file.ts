/**
 * `sessions/<id>.jsonl`, one message `{role, content, …}` a line: what gateways wrote before everything moved into the
 * database, and what the documented adapter reads. Such a file counts only for a session the databases do not have.
 */
import { AgentMuxError } from "../../core/errors.ts";
import type { SessionMessage } from "../../core/session.ts";
import { codeOf } from "../../lib/directory.ts";
import { asString, asText, asTime, type Json } from "../../lib/fields.ts";
import { parseRecord, readHeadAndTail, readLines } from "../../lib/jsonl.ts";
import { titleFrom } from "../../lib/text.ts";
import type { SessionHead, SessionReader, SessionSource } from "../adapter.ts";
import type { ReadNotes } from "../read-notes.ts";
import { conversationOf, promptOf } from "./conversation.ts";

const HEAD_BYTES = 64 * 1024;
const TAIL_BYTES = 32 * 1024;

export function summarizeLineFile(source: SessionSource, notes: ReadNotes): SessionHead | undefined {
  try {
    const { head, tail } = readHeadAndTail(source.path, HEAD_BYTES, TAIL_BYTES);
    const records = [...head, ...tail].map(parseRecord).filter((record) => record !== undefined);
    if (records.length === 0 && head.length > 0) notes.skip(source.path, "holds no readable message");
    return headOf(source, records);
  } catch (error) {
    notes.skip(source.path, `cannot be read (${codeOf(error)})`);
    return undefined;
  }
}

export function readLineFile(source: SessionSource, notes: ReadNotes): SessionReader | undefined {
  let damaged = 0;
  let head: SessionHead | undefined;
  try {
    head = headOf(
      source,
      recordsOf(source.path, () => damaged++),
    );
  } catch (error) {
    throw new AgentMuxError("PARSE_ERROR", `${source.path} cannot be read (${codeOf(error)}).`, { cause: error });
  }
  if (damaged > 0) notes.damage(source.path, damaged);
  if (head === undefined) {
    if (damaged === 0) return undefined;
    throw new AgentMuxError("PARSE_ERROR", `${source.path} holds no readable message.`);
  }
  return {
    head,
    messages: () => messagesOf(source.path, notes),
    usage: () => [],
    raw: () => [...recordsOf(source.path)],
  };
}

/** A call and its result lie between two prompts, so that much is held at a time. */
export function* messagesOf(path: string, notes: ReadNotes): Generator<SessionMessage> {
  let turn: Json[] = [];
  for (const record of recordsOf(path)) {
    if (record["role"] === "user" && turn.length > 0) {
      yield* turnMessages(turn, notes);
      turn = [];
    }
    turn.push(record);
  }
  yield* turnMessages(turn, notes);
}

function* turnMessages(turn: readonly Json[], notes: ReadNotes): Generator<SessionMessage> {
  const rows = turn.map((record) => ({ ...record, tool_calls: asJsonText(record["tool_calls"]) }));
  const context = { model: undefined, isInherited: () => false, summariesAreInherited: false, notes };
  for (const { message } of conversationOf(rows, context)) yield message;
}

function* recordsOf(path: string, onDamage?: () => void): Generator<Json> {
  for (const line of readLines(path, onDamage === undefined ? {} : { onLongLine: onDamage })) {
    const record = parseRecord(line.bytes);
    if (record !== undefined) yield record;
    else onDamage?.();
  }
}

function headOf(source: SessionSource, records: Iterable<Json>): SessionHead | undefined {
  let spoken = false;
  let replied = false;
  let prompt: string | undefined;
  let model: string | undefined;
  let first: number | undefined;
  let last: number | undefined;
  for (const record of records) {
    const role = record["role"];
    spoken ||= role === "user" || role === "assistant";
    replied ||= role === "assistant";
    if (role === "user") prompt ??= promptOf(asString(record["content"]) ?? "", undefined);
    if (role === "session_meta") model ??= asText(record["model"]);
    const at = asTime(record["timestamp"]);
    if (at !== undefined) {
      first ??= Math.round(at);
      last = Math.round(at);
    }
  }
  if (!spoken) return undefined;
  return {
    title: titleFrom(prompt),
    ...(first === undefined ? {} : { createdMs: first }),
    updatedMs: last ?? Math.round(source.updatedMs),
    ...(model === undefined ? {} : { model }),
    ...(replied ? { usageUnknown: true } : {}),
  };
}

/** Lines hold the calls as a list where the database holds its JSON text. */
function asJsonText(calls: unknown): unknown {
  return calls === undefined || typeof calls === "string" ? calls : JSON.stringify(calls);
}
