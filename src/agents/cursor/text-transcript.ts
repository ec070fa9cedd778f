/**
 * The older transcript, plain text: a line `user:` or `assistant:` begins a block; in a reply `[Thinking]`,
 * `[Tool call] Name` and `[Tool result] Name` begin sections whose bodies are indented.
 */
import { AgentMuxError } from "../../core/errors.ts";
import type { SessionMessage, SessionToolCall } from "../../core/session.ts";
import { codeOf } from "../../lib/fs/directory.ts";
import type { SessionHead, SessionReader, SessionSource } from "../adapter.ts";
import { readerOf } from "../in-memory.ts";
import { promptOf } from "./prompt-text.ts";
import { transcriptHead, type TranscriptLocation } from "./transcript.ts";
import { MAX_DOCUMENT_BYTES, readText } from "../../lib/fs/foreign-file.ts";

/** Throws if there is text but no message. */
export function summarizeTextTranscript(source: SessionSource, place: TranscriptLocation): SessionHead | undefined {
  const text = readText(place.transcript, MAX_DOCUMENT_BYTES);
  const head = headOf(source, place, parseText(text));
  if (head === undefined && text.trim() !== "") throw new Error("holds no readable message");
  return head;
}

export function readTextTranscript(source: SessionSource, place: TranscriptLocation): SessionReader | undefined {
  let text: string;
  try {
    text = readText(place.transcript, MAX_DOCUMENT_BYTES);
  } catch (error) {
    throw new AgentMuxError("PARSE_ERROR", `${place.transcript} cannot be read (${codeOf(error)}).`, { cause: error });
  }
  const messages = parseText(text);
  const head = headOf(source, place, messages);
  if (head === undefined) {
    if (text.trim() === "") return undefined;
    throw new AgentMuxError("PARSE_ERROR", `${place.transcript} holds no readable message.`);
  }
  return readerOf({ head, messages, usage: [], raw: text });
}

function headOf(source: SessionSource, place: TranscriptLocation, messages: SessionMessage[]): SessionHead | undefined {
  if (messages.length === 0) return undefined;
  return transcriptHead(source, place, messages.find((message) => message.role === "user")?.content);
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
  return {
    role: "assistant",
    content: content
      .join("\n")
      .replace(/\n{3,}/g, "\n\n")
      .trim(),
    ...(toolCalls.length > 0 ? { toolCalls } : {}),
    ...(thoughts.length > 0 ? { thinking: thoughts.join("\n\n") } : {}),
  };
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
