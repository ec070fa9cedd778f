/** Transcripts in files, in three formats. */
import type { SessionMessage, SessionToolCall } from "../../core/session.ts";
import { MAX_DOCUMENT_BYTES, readText } from "../../lib/fs/foreign-file.ts";
import type { Json } from "../../lib/json/fields.ts";
import { optional } from "../../lib/values/optional.ts";
import type { SessionHead, SessionReader, SessionSource } from "../adapter.ts";
import { readerOf } from "../in-memory.ts";
import type { ReadNotes } from "../read-notes.ts";
import { sessionTitle } from "../session-title.ts";
import type { LineFormat } from "../shared/line-file.ts";
import { answerMessage, withTimestamp } from "../shared/message-fields.ts";
import { chatMessages, promptOf } from "./chat-messages.ts";
import { chatRecord, documentedLine } from "./format.ts";

export interface TranscriptLocation {
  transcript: string;
  cwd?: string;
  parentId?: string;
}

/**
 * `agent-transcripts/…/<id>.jsonl`, written for other programs: no results, times, models or counts. It replaces an unreadable
 * store.
 */
export function transcriptLines(source: SessionSource, place: TranscriptLocation, notes: ReadNotes): LineFormat {
  return {
    headOf: (records) => linesHead(source, place, records),
    messagesOf: (records) => chatMessages(records, notes),
  };
}

function transcriptHead(source: SessionSource, place: TranscriptLocation, prompt: string | undefined): SessionHead {
  return {
    title: sessionTitle(undefined, prompt),
    // Transcripts have no times.
    updatedMs: Math.round(source.updatedMs),
    ...optional("cwd", place.cwd),
    ...optional("parentId", place.parentId),
    usageUnknown: true,
  };
}

function linesHead(source: SessionSource, place: TranscriptLocation, records: Iterable<Json>): SessionHead | undefined {
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

/** `sessions/<id>.jsonl`, the files the documented adapter reads: `{role, content}` lines, and `{type: "tool_use"}`. */
export function documentedLines(source: SessionSource, notes: ReadNotes): LineFormat {
  return {
    headOf: (records) => documentedHead(source, records),
    *messagesOf(records) {
      let index = 0;
      for (const record of records) {
        const message = messageOf(record, index++, notes);
        if (message !== undefined) yield message;
      }
    },
  };
}

function documentedHead(source: SessionSource, records: Iterable<Json>): SessionHead | undefined {
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
  if (isCall) return answerMessage({ content: "", toolCalls }, time);
  notes.unknown(`type ${kind}`);
  return undefined;
}

/**
 * The older transcript, plain text: a line `user:` or `assistant:` begins a block; in a reply `[Thinking]`, `[Tool call] Name`
 * and `[Tool result] Name` begin sections whose bodies are indented. Throws if there is text but no message.
 */
export function readTextTranscript(source: SessionSource, place: TranscriptLocation): SessionReader | undefined {
  const text = readText(place.transcript, MAX_DOCUMENT_BYTES);
  const messages = parseText(text);
  if (messages.length === 0) {
    if (text.trim() === "") return undefined;
    throw new Error("holds no readable message");
  }
  const head = transcriptHead(source, place, messages.find((message) => message.role === "user")?.content);
  return readerOf({ head, messages, usage: [], raw: text });
}

function parseText(text: string): SessionMessage[] {
  const messages: SessionMessage[] = [];
  let role: "user" | "assistant" | undefined;
  let lines: string[] = [];
  const finish = (): void => {
    if (role === "assistant") messages.push(reply(lines, messages.length));
    else if (role === "user") {
      const { text: content } = promptOf(lines.join("\n"));
      if (content !== "") messages.push({ role, content });
    }
    lines = [];
  };
  for (const line of text.replace(/^\ufeff/, "").split(/\r?\n/)) {
    const heading = /^(user|assistant):\s*$/.exec(line)?.[1];
    if (heading === undefined) lines.push(line);
    else {
      finish();
      role = heading as "user" | "assistant";
    }
  }
  finish();
  return messages;
}

function reply(lines: readonly string[], index: number): SessionMessage {
  const content: string[] = [];
  const thoughts: string[] = [];
  const toolCalls: SessionToolCall[] = [];
  for (let at = 0; at < lines.length; at++) {
    const section = /^\[(Thinking|Tool call|Tool result)\] *(.*)$/.exec(lines[at]!);
    if (section === null) {
      content.push(lines[at]!);
      continue;
    }
    const body: string[] = [];
    while (at + 1 < lines.length && /^\s+\S/.test(lines[at + 1]!)) body.push(lines[++at]!.trim());
    const [, kind, rest] = section;
    if (kind === "Thinking") thoughts.push([rest, ...body].filter(Boolean).join("\n"));
    else if (kind === "Tool call") {
      toolCalls.push({ toolCallId: `${index}.${toolCalls.length}`, toolName: rest!, input: argumentsIn(body) });
    } else {
      // Results follow the calls in order, with the tool's name.
      const call = toolCalls.find((open) => open.output === undefined && (rest === "" || open.toolName === rest));
      if (call !== undefined) call.output = body.join("\n");
    }
  }
  const spoken = content.join("\n").replace(/\n{3,}/g, "\n\n");
  return answerMessage({ content: spoken.trim(), toolCalls, thinking: thoughts.join("\n\n") || undefined });
}

/** `name: value` lines; a line without a name continues the value before. */
function argumentsIn(body: readonly string[]): Record<string, string> {
  const input: [string, string][] = [];
  for (const line of body) {
    const named = /^([A-Za-z_]\w*): ?(.*)$/.exec(line);
    if (named !== null) input.push([named[1]!, named[2]!]);
    else if (input.length > 0) input.at(-1)![1] += `\n${line}`;
  }
  return Object.fromEntries(input);
}
