/**
 * `sessions/<id>.jsonl`, one message `{role, content, …}` a line: what gateways wrote before everything moved into the
 * database, and what the documented adapter reads. Such a file counts only for a session the databases do not have.
 */
import type { SessionMessage } from "../../core/session.ts";
import { jsonText } from "../../lib/json.ts";
import { asString, asText, asTime, type Json } from "../../lib/fields.ts";
import { optional } from "../../lib/optional.ts";
import { titleFrom } from "../../lib/text.ts";
import type { SessionHead, SessionSource } from "../adapter.ts";
import type { ReadNotes } from "../read-notes.ts";
import type { LineFormat } from "../shared/line-file.ts";
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
  const rows = turn.map((record) => ({ ...record, tool_calls: asJsonText(record["tool_calls"]) }));
  const context = { model: undefined, isInherited: () => false, summariesAreInherited: false, notes };
  for (const { message } of messagesOfRows(rows, context)) yield message;
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
    ...optional("createdMs", first),
    updatedMs: last ?? Math.round(source.updatedMs),
    ...optional("model", model),
    ...(replied ? { usageUnknown: true } : {}),
  };
}

/** Lines hold the calls as a list where the database holds its JSON text. */
function asJsonText(calls: unknown): unknown {
  return calls === undefined || typeof calls === "string" ? calls : jsonText(calls);
}
