/**
 * `agent-transcripts/…/<id>.jsonl`, written for other programs: no results, times, models or counts. It replaces an
 * unreadable store.
 */
import type { Json } from "../../lib/json/fields.ts";
import { optional } from "../../lib/values/optional.ts";
import type { SessionHead, SessionSource } from "../adapter.ts";
import type { ReadNotes } from "../read-notes.ts";
import { sessionTitle } from "../session-title.ts";
import type { LineFormat } from "../shared/line-file.ts";
import { chatMessages } from "./chat-messages.ts";
import { chatRecord } from "./format.ts";
import { promptOf } from "./prompt-text.ts";

export interface TranscriptLocation {
  transcript: string;
  cwd?: string;
  parentId?: string;
}

export function transcriptLines(source: SessionSource, place: TranscriptLocation, notes: ReadNotes): LineFormat {
  return {
    headOf: (records) => headOf(source, place, records),
    messagesOf: (records) => chatMessages(records, notes),
  };
}

export function transcriptHead(
  source: SessionSource,
  place: TranscriptLocation,
  prompt: string | undefined,
): SessionHead {
  return {
    title: sessionTitle(undefined, prompt),
    // Transcripts have no times.
    updatedMs: Math.round(source.updatedMs),
    ...optional("cwd", place.cwd),
    ...optional("parentId", place.parentId),
    usageUnknown: true,
  };
}

function headOf(source: SessionSource, place: TranscriptLocation, records: Iterable<Json>): SessionHead | undefined {
  let spoken = false;
  let prompt = "";
  for (const fields of records) {
    const { role, parts } = chatRecord(fields);
    const texts = parts.flatMap(({ kind, text }) => (kind === "text" ? [text] : []));
    if (role === "user" && prompt === "") prompt = promptOf(texts.join("\n")).text;
    spoken ||= prompt !== "" || role === "assistant";
  }
  return spoken ? transcriptHead(source, place, prompt) : undefined;
}
