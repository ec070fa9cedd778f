/** `sessions/<id>.jsonl`, the files the documented adapter reads: `{role, content}` lines, and `{type: "tool_use"}`. */
import { AgentMuxError } from "../../core/errors.ts";
import type { SessionMessage } from "../../core/session.ts";
import { codeOf } from "../../lib/directory.ts";
import { asString, asText, asTime, type Json } from "../../lib/fields.ts";
import { parseRecord, readHeadAndTail, readLines } from "../../lib/jsonl.ts";
import { titleFrom } from "../../lib/text.ts";
import type { SessionHead, SessionReader, SessionSource } from "../adapter.ts";
import type { ReadNotes } from "../read-notes.ts";

const HEAD_BYTES = 64 * 1024;
const TAIL_BYTES = 32 * 1024;

/** Throws when there are lines and none of them is a record. */
export function summarizeLineFile(source: SessionSource): SessionHead | undefined {
  const { head, tail } = readHeadAndTail(source.path, HEAD_BYTES, TAIL_BYTES);
  const records = [...head, ...tail].map(parseRecord).filter((record) => record !== undefined);
  if (records.length === 0 && head.length > 0) throw new Error("holds no readable message");
  return headOf(source, records);
}

export function readLineFile(source: SessionSource, notes: ReadNotes): SessionReader | undefined {
  const { path } = source;
  let damaged = 0;
  let head: SessionHead | undefined;
  try {
    head = headOf(
      source,
      recordsOf(path, () => damaged++),
    );
  } catch (error) {
    throw new AgentMuxError("PARSE_ERROR", `${path} cannot be read (${codeOf(error)}).`, { cause: error });
  }
  if (damaged > 0) notes.damage(path, damaged);
  if (head === undefined) {
    if (damaged === 0) return undefined;
    throw new AgentMuxError("PARSE_ERROR", `${path} holds no readable message.`);
  }
  return { head, messages: () => messagesIn(path, notes), usage: () => [], raw: () => [...recordsOf(path)] };
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
  let prompt: string | undefined;
  let first: number | undefined;
  let last: number | undefined;
  for (const record of records) {
    const { role } = record;
    spoken ||= role === "user" || role === "assistant";
    if (role === "user") prompt ??= asText(record["content"]);
    const at = asTime(record["timestamp"]);
    first ??= at;
    last = at ?? last;
  }
  if (!spoken) return undefined;
  return {
    title: titleFrom(prompt),
    ...(first === undefined ? {} : { createdMs: first }),
    updatedMs: Math.round(last ?? source.updatedMs),
    usageUnknown: true,
  };
}

function* messagesIn(path: string, notes: ReadNotes): Generator<SessionMessage> {
  let index = 0;
  for (const record of recordsOf(path)) {
    const message = messageOf(record, index++, notes);
    if (message !== undefined) yield message;
  }
}

function messageOf(record: Json, index: number, notes: ReadNotes): SessionMessage | undefined {
  const kind = asText(record["role"]) ?? asText(record["type"]) ?? "(none)";
  const content = asString(record["content"]) ?? "";
  const at = asTime(record["timestamp"]);
  const time = at === undefined ? {} : { timestamp: new Date(at) };
  if (kind === "user" || kind === "assistant" || kind === "system") return { role: kind, content, ...time };
  if (kind === "tool_use") {
    // The line holds the tool's name and nothing else.
    const toolCalls = [{ toolCallId: String(index), toolName: content, input: record["input"] }];
    return { role: "assistant", content: "", ...time, toolCalls };
  }
  notes.unknown(`type ${kind}`);
  return undefined;
}
