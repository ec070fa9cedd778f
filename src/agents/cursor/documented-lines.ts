/** `sessions/<id>.jsonl`, the files the documented adapter reads: `{role, content}` lines, and `{type: "tool_use"}`. */
import type { SessionMessage } from "../../core/session.ts";
import type { Json } from "../../lib/json/fields.ts";
import { optional } from "../../lib/values/optional.ts";
import type { SessionHead, SessionSource } from "../adapter.ts";
import type { ReadNotes } from "../read-notes.ts";
import { sessionTitle } from "../session-title.ts";
import { oneByOne, type LineFormat } from "../shared/line-file.ts";
import { withTimestamp } from "../shared/with-timestamp.ts";
import { documentedLine } from "./format.ts";

export function documentedLines(source: SessionSource, notes: ReadNotes): LineFormat {
  return {
    headOf: (records) => headOf(source, records),
    messagesOf: (records) => oneByOne(records, (record, index) => messageOf(record, index, notes)),
  };
}

function headOf(source: SessionSource, records: Iterable<Json>): SessionHead | undefined {
  let spoken = false;
  let prompt: string | undefined;
  let first: number | undefined;
  let last: number | undefined;
  for (const record of records) {
    const { kind, text, at } = documentedLine(record);
    spoken ||= kind === "user" || kind === "assistant";
    if (kind === "user" && text !== "") prompt ??= text;
    first ??= at;
    last = at ?? last;
  }
  if (!spoken) return undefined;
  return {
    title: sessionTitle(undefined, prompt),
    ...optional("createdMs", first),
    updatedMs: Math.round(last ?? source.updatedMs),
    usageUnknown: true,
  };
}

function messageOf(record: Json, index: number, notes: ReadNotes): SessionMessage | undefined {
  const { kind, isCall, text, input, at } = documentedLine(record);
  const time = withTimestamp(at);
  if (kind === "user" || kind === "assistant" || kind === "system") return { role: kind, content: text, ...time };
  // The line has only the tool's name.
  const toolCalls = [{ toolCallId: String(index), toolName: text, input }];
  if (isCall) return { role: "assistant", content: "", ...time, toolCalls };
  notes.unknown(`type ${kind}`);
  return undefined;
}
