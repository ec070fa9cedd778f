/**
 * `sessions/<id>.jsonl`, one message `{role, content, …}` a line: what gateways wrote before everything moved into the
 * database, and what the documented adapter reads; and `sessions/session_<id>.json`, a document of the same messages,
 * which versions up to spring 2026 wrote beside it. Such a file counts only for a session the databases do not have.
 */
import { AgentMuxError } from "../../core/errors.ts";
import type { SessionMessage } from "../../core/session.ts";
import { jsonText } from "../../lib/json/json.ts";
import { asArray, asObject, asObjects, asString, asText, asTime, type Json } from "../../lib/json/fields.ts";
import { optional } from "../../lib/values/optional.ts";
import { titleFrom } from "../../lib/text/text.ts";
import type { SessionHead, SessionReader, SessionSource } from "../adapter.ts";
import { readerOf } from "../in-memory.ts";
import type { ReadNotes } from "../read-notes.ts";
import type { LineFormat } from "../shared/line-file.ts";
import { storedParts } from "./content.ts";
import { messagesOfRows, promptOf } from "./row-messages.ts";

export function transcriptLines(source: SessionSource, notes: ReadNotes): LineFormat {
  return {
    headOf: (records) => headOf(source, records),
    messagesOf: (records) => messagesOf(records, notes),
  };
}

/** A call and its result lie between two prompts, so that much is held at a time. */
export function* messagesOf(records: Iterable<Json>, notes: ReadNotes): Generator<SessionMessage> {
  let turn: Json[] = [];
  for (const record of records) {
    if (record["role"] === "user" && turn.length > 0) {
      yield* turnMessages(turn, notes);
      turn = [];
    }
    turn.push(record);
  }
  yield* turnMessages(turn, notes);
}

function* turnMessages(turn: readonly Json[], notes: ReadNotes): Generator<SessionMessage> {
  const rows = turn.map((record) => ({
    ...record,
    content: storedContent(record["content"]),
    tool_calls: asJsonText(record["tool_calls"]),
  }));
  const context = { model: undefined, isInherited: () => false, summariesAreInherited: false, notes };
  for (const { message } of messagesOfRows(rows, context)) yield message;
}

/** A document as the lines that say the same. */
export function documentLines(document: unknown): Json[] | undefined {
  const fields = asObject(document);
  const messages = asArray(fields?.["messages"]);
  if (fields === undefined || messages === undefined) return undefined;
  const meta = (time: string): Json => ({ role: "session_meta", model: fields["model"], timestamp: fields[time] });
  return [meta("session_start"), ...asObjects(messages), meta("last_updated")];
}

export function readDocument(
  source: SessionSource,
  records: Json[] | undefined,
  notes: ReadNotes,
): SessionReader | undefined {
  if (records === undefined) throw new AgentMuxError("PARSE_ERROR", `${source.path} holds no readable message.`);
  const head = headOf(source, records);
  return head && readerOf({ head, messages: [...messagesOf(records, notes)], usage: [], raw: records });
}

export function headOf(source: SessionSource, records: Iterable<Json>): SessionHead | undefined {
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
    if (role === "user") prompt ??= promptOf(asString(storedContent(record["content"])) ?? "", undefined);
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
    ...optional("createdMs", first),
    updatedMs: last ?? Math.round(source.updatedMs),
    ...optional("model", model),
    ...(replied ? { usageUnknown: true } : {}),
  };
}

function storedContent(content: unknown): unknown {
  return asArray(content) === undefined ? content : storedParts(content);
}

/** Lines hold the calls as a list where the database holds its JSON text. */
function asJsonText(calls: unknown): unknown {
  return calls === undefined || typeof calls === "string" ? calls : jsonText(calls);
}
