/**
 * `agent-transcripts/…/<id>.jsonl`: what Cursor writes beside a chat for other programs to read. It has the prompts,
 * the replies and the names of the tools, but no results, times, models or token counts. It is a session of its own
 * only where there is no store of the same id.
 */
import { AgentMuxError } from "../../core/errors.ts";
import type { SessionMessage, SessionToolCall } from "../../core/session.ts";
import { codeOf } from "../../lib/directory.ts";
import { asArray, asObject, asString, asText, type Json } from "../../lib/fields.ts";
import { parseRecord, readHeadAndTail, readLines } from "../../lib/jsonl.ts";
import { titleFrom } from "../../lib/text.ts";
import type { SessionHead, SessionReader, SessionSource } from "../adapter.ts";
import type { ReadNotes } from "../read-notes.ts";
import { promptOf } from "./prompt-text.ts";

export interface TranscriptPlace {
  transcript: string;
  cwd?: string;
  parentId?: string;
}

const HEAD_BYTES = 64 * 1024;
const TAIL_BYTES = 32 * 1024;

/** Throws when there are lines and none of them is a record. */
export function summarizeTranscript(source: SessionSource, place: TranscriptPlace): SessionHead | undefined {
  const { head } = readHeadAndTail(place.transcript, HEAD_BYTES, TAIL_BYTES);
  const records = head.map(parseRecord).filter((record) => record !== undefined);
  if (records.length === 0 && head.length > 0) throw new Error("holds no readable message");
  return headOf(source, place, records);
}

export function readTranscript(
  source: SessionSource,
  place: TranscriptPlace,
  notes: ReadNotes,
): SessionReader | undefined {
  const path = place.transcript;
  let damaged = 0;
  let head: SessionHead | undefined;
  try {
    head = headOf(
      source,
      place,
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

export function transcriptHead(source: SessionSource, place: TranscriptPlace, prompt: string | undefined): SessionHead {
  return {
    title: titleFrom(prompt),
    // Nothing in a transcript is dated.
    updatedMs: Math.round(source.updatedMs),
    ...(place.cwd === undefined ? {} : { cwd: place.cwd }),
    ...(place.parentId === undefined ? {} : { parentId: place.parentId }),
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

function* recordsOf(path: string, onDamage?: () => void): Generator<Json> {
  for (const line of readLines(path, onDamage === undefined ? {} : { onLongLine: onDamage })) {
    const record = parseRecord(line.bytes);
    if (record !== undefined) yield record;
    else onDamage?.();
  }
}

function* messagesIn(path: string, notes: ReadNotes): Generator<SessionMessage> {
  let index = 0;
  for (const record of recordsOf(path)) {
    const message = messageOf(record, index++, notes);
    if (message !== undefined) yield message;
  }
}

function messageOf(record: Json, index: number, notes: ReadNotes): SessionMessage | undefined {
  switch (record["role"]) {
    case "user": {
      const prompt = promptOf(textIn(record));
      if (prompt.text === "") return undefined;
      const time = prompt.at === undefined ? {} : { timestamp: new Date(prompt.at) };
      return { role: "user", content: prompt.text, ...time };
    }
    case "assistant":
      return reply(record, index, notes);
    case undefined:
      return event(record, notes);
    default:
      notes.unknown(`role ${String(record["role"])}`);
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
