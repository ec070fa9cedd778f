/**
 * `agent-transcripts/…/<id>.jsonl`: what Cursor writes beside a chat for other programs to read. It has the prompts,
 * the replies and the names of the tools, but no results, times, models or token counts. It is a session of its own
 * only where there is no store of the same id.
 */
import type { SessionMessage, SessionToolCall } from "../../core/session.ts";
import { asArray, asObject, asString, asText, wordOf, type Json } from "../../lib/json/fields.ts";
import { optional } from "../../lib/values/optional.ts";
import { titleFrom } from "../../lib/text/text.ts";
import type { SessionHead, SessionSource } from "../adapter.ts";
import type { ReadNotes } from "../read-notes.ts";
import { oneByOne, type LineFormat } from "../shared/line-file.ts";
import { stamped } from "../shared/stamped.ts";
import { promptOf } from "./prompt-text.ts";

export interface TranscriptPlace {
  transcript: string;
  cwd?: string;
  parentId?: string;
}

export function transcriptLines(source: SessionSource, place: TranscriptPlace, notes: ReadNotes): LineFormat {
  return {
    headOf: (records) => headOf(source, place, records),
    messagesOf: (records) => oneByOne(records, (record, index) => messageOf(record, index, notes)),
  };
}

export function transcriptHead(source: SessionSource, place: TranscriptPlace, prompt: string | undefined): SessionHead {
  return {
    title: titleFrom(prompt),
    // Nothing in a transcript is dated.
    updatedMs: Math.round(source.updatedMs),
    ...optional("cwd", place.cwd),
    ...optional("parentId", place.parentId),
    usageUnknown: true,
  };
}

function headOf(source: SessionSource, place: TranscriptPlace, records: Iterable<Json>): SessionHead | undefined {
  let spoken = false;
  let prompt = "";
  for (const record of records) {
    if (record["role"] === "user" && prompt === "") prompt = promptOf(textIn(record)).text;
    spoken ||= prompt !== "" || record["role"] === "assistant";
  }
  return spoken ? transcriptHead(source, place, prompt) : undefined;
}

function messageOf(record: Json, index: number, notes: ReadNotes): SessionMessage | undefined {
  switch (record["role"]) {
    case "user": {
      const prompt = promptOf(textIn(record));
      return prompt.text === "" ? undefined : { role: "user", content: prompt.text, ...stamped(prompt.at) };
    }
    case "assistant":
      return reply(record, index, notes);
    case undefined:
      return event(record, notes);
    default:
      notes.unknown(`role ${wordOf(record["role"])}`);
      return undefined;
  }
}

/** Lines without a role: the end of a turn, of which only a bad one is news, and errors. */
function event(record: Json, notes: ReadNotes): SessionMessage | undefined {
  const type = asText(record["type"]) ?? "(none)";
  if (type === "error") {
    const error =
      asText(record["error"]) ?? asText(asObject(record["error"])?.["message"]) ?? asText(record["message"]);
    return { role: "system", content: error ?? "Error" };
  }
  if (type !== "turn_ended") notes.unknown(`type ${type}`);
  else if (record["status"] === "error" || record["status"] === "aborted") {
    return { role: "system", content: `Turn ended: ${record["status"]}` };
  }
  return undefined;
}

function partsOf(record: Json): unknown[] {
  const content = asObject(record["message"])?.["content"] ?? record["content"];
  return typeof content === "string" ? [{ type: "text", text: content }] : (asArray(content) ?? []);
}

function textIn(record: Json): string {
  return partsOf(record)
    .map(asObject)
    .filter((part) => part?.["type"] === "text")
    .map((part) => asString(part!["text"]) ?? "")
    .join("\n");
}

function reply(record: Json, index: number, notes: ReadNotes): SessionMessage {
  const toolCalls: SessionToolCall[] = [];
  const thoughts: string[] = [];
  for (const entry of partsOf(record)) {
    const part = asObject(entry) ?? {};
    const type = asText(part["type"]) ?? "(none)";
    if (type === "tool_use") {
      // Calls have no ids here; a place in the file identifies them as well.
      const toolCallId = asText(part["id"]) ?? `${index}.${toolCalls.length}`;
      toolCalls.push({ toolCallId, toolName: asText(part["name"]) ?? "", input: part["input"] });
    } else if (type === "thinking") thoughts.push(asString(part["thinking"]) ?? asString(part["text"]) ?? "");
    else if (type !== "text") notes.unknown(`part ${type}`);
  }
  return {
    role: "assistant",
    content: textIn(record),
    ...(toolCalls.length > 0 ? { toolCalls } : {}),
    ...(thoughts.length > 0 ? { thinking: thoughts.join("\n\n") } : {}),
  };
}
