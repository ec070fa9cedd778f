/**
 * `sessions/<id>.jsonl` of old gateways, and `session_<id>.json`, a document with the same messages. Used only for
 * sessions that no database has.
 */
import { AgentMuxError } from "../../core/errors.ts";
import type { SessionMessage } from "../../core/session.ts";
import { codeOf } from "../../lib/fs/directory.ts";
import { MAX_DOCUMENT_BYTES, readText } from "../../lib/fs/foreign-file.ts";
import { parseJson } from "../../lib/json/json.ts";
import type { Json } from "../../lib/json/fields.ts";
import { optional } from "../../lib/values/optional.ts";
import type { SessionHead, SessionReader, SessionSource } from "../adapter.ts";
import { readerOf } from "../in-memory.ts";
import type { ReadNotes } from "../read-notes.ts";
import { sessionTitle } from "../session-title.ts";
import type { LineFormat } from "../shared/line-file.ts";
import { atOf, documentLines, isPromptLine, META_ROLE, modelOf, roleOf, rowOfLine } from "./format.ts";
import { messagesOfRows, promptOf } from "./row-messages.ts";

export function transcriptLines(source: SessionSource, notes: ReadNotes): LineFormat {
  return {
    headOf: (records) => headOf(source, records),
    messagesOf: (records) => messagesOf(records, notes),
  };
}

/** A call and its result are between two prompts, so one turn is buffered at a time. */
export function* messagesOf(records: Iterable<Json>, notes: ReadNotes): Generator<SessionMessage> {
  let turn: Json[] = [];
  for (const record of records) {
    if (isPromptLine(record) && turn.length > 0) {
      yield* turnMessages(turn, notes);
      turn = [];
    }
    turn.push(record);
  }
  yield* turnMessages(turn, notes);
}

function* turnMessages(turn: readonly Json[], notes: ReadNotes): Generator<SessionMessage> {
  const context = { model: undefined, isInherited: () => false, summariesAreInherited: false, notes };
  for (const { message } of messagesOfRows(turn.map(rowOfLine), context)) yield message;
}

export function isDocument(path: string): boolean {
  return path.endsWith(".json");
}

/** The messages of a document as lines; undefined if it has none. */
export function documentIn(path: string): Json[] | undefined {
  let text: string;
  try {
    text = readText(path, MAX_DOCUMENT_BYTES);
  } catch (error) {
    throw new AgentMuxError("PARSE_ERROR", `${path} cannot be read (${codeOf(error)}).`, { cause: error });
  }
  return documentLines(parseJson(text));
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
    const role = roleOf(record);
    spoken ||= role === "user" || role === "assistant";
    replied ||= role === "assistant";
    if (role === "user") prompt ??= promptOf(rowOfLine(record));
    if (role === META_ROLE) model ??= modelOf(record);
    const at = atOf(record);
    if (at !== undefined) {
      first ??= Math.round(at);
      last = Math.round(at);
    }
  }
  if (!spoken) return undefined;
  return {
    title: sessionTitle(undefined, prompt),
    ...optional("createdMs", first),
    updatedMs: last ?? Math.round(source.updatedMs),
    ...optional("model", model),
    ...(replied ? { usageUnknown: true } : {}),
  };
}
