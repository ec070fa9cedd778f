/** Converts records of a chat or a transcript to messages. A result is a message of its own. */
import type { SessionMessage, SessionToolCall } from "../../core/session.ts";
import { jsonText } from "../../lib/json/json.ts";
import { type Json, wordOf } from "../../lib/json/fields.ts";
import { optional } from "../../lib/values/optional.ts";
import type { ReadNotes } from "../read-notes.ts";
import { withTimestamp } from "../shared/with-timestamp.ts";
import { chatRecord, eventOf, type ChatRecord, type Part } from "./format.ts";
import { promptOf } from "./prompt-text.ts";

/** Looks up message times, if the store has them. */
interface Clock {
  ofPrompt(text: string): number | undefined;
  ofReply(text: string, thinking: string | undefined): number | undefined;
}

export function* chatMessages(
  records: Iterable<Json>,
  notes: ReadNotes,
  clock?: Clock,
): Generator<SessionMessage, void, undefined> {
  const calls = new Map<string, SessionToolCall>();
  let index = 0;
  for (const fields of records) {
    const record = chatRecord(fields);
    const { role } = record;
    if (record.isSummary) yield { role: "system", content: textIn(record.parts, notes) };
    else if (role === "user") yield* userMessage(record, clock, notes);
    else if (role === "assistant") yield reply(record, index, clock, calls, notes);
    else if (role === "tool") yield* toolMessages(record, calls);
    else if (role === undefined) yield* eventMessage(fields, notes);
    else if (role !== "system") notes.unknown(`role ${wordOf(role)}`);
    index++;
  }
}

function textIn(parts: readonly Part[], notes: ReadNotes): string {
  const texts: string[] = [];
  for (const { kind, type, text } of parts) {
    if (kind === "text") texts.push(text);
    else if (kind !== "silent" && kind !== "picture") notes.unknown(`part ${type}`);
  }
  return texts.filter((text) => text !== "").join("\n");
}

/** The raw text of a record, including context. */
export function sentText({ parts }: ChatRecord): string {
  return parts.map((part) => part.text).join("\n");
}

function* userMessage({ parts }: ChatRecord, clock: Clock | undefined, notes: ReadNotes): Generator<SessionMessage> {
  const prompt = promptOf(textIn(parts, notes));
  const pictures = parts.filter((part) => part.kind === "picture").map(() => "[image]");
  const content = [prompt.text, ...pictures].filter((text) => text !== "").join("\n");
  if (content === "") return;
  yield { role: "user", content, ...withTimestamp(clock?.ofPrompt(prompt.text) ?? prompt.at) };
}

/** Calls of a transcript have no ids, so their position identifies them. */
function reply(
  record: ChatRecord,
  index: number,
  clock: Clock | undefined,
  calls: Map<string, SessionToolCall>,
  notes: ReadNotes,
): SessionMessage {
  const spoken = record.parts.filter(({ kind }) => kind !== "thinking" && kind !== "call");
  const content = textIn(spoken, notes);
  const thoughts = record.parts.filter(({ kind }) => kind === "thinking").map((part) => part.text);
  // Encrypted reasoning has an empty text.
  const thinking = thoughts.filter((text) => text !== "").join("\n\n") || undefined;
  const toolCalls = record.calls.map(({ id, name, input }, place): SessionToolCall => {
    return { toolCallId: id ?? `${index}.${place}`, toolName: name, input };
  });
  for (const call of toolCalls) calls.set(call.toolCallId, call);
  return {
    role: "assistant",
    content,
    ...withTimestamp(clock?.ofReply(content, thinking)),
    ...(toolCalls.length > 0 ? { toolCalls } : {}),
    ...optional("thinking", thinking),
    ...optional("model", record.model),
  };
}

function* toolMessages(record: ChatRecord, calls: ReadonlyMap<string, SessionToolCall>): Generator<SessionMessage> {
  const results = record.parts.flatMap((part) => part.result ?? []);
  const whole = { ...record.answers, output: sentText(record), isError: false };
  for (const result of results.length > 0 ? results : [whole]) yield toolMessage(result, calls);
}

function toolMessage(
  { callId = "", name, output, isError }: NonNullable<Part["result"]>,
  calls: ReadonlyMap<string, SessionToolCall>,
): SessionMessage {
  const call = calls.get(callId);
  if (call !== undefined) {
    call.output = output;
    if (isError) call.isError = true;
  }
  const toolName = name ?? call?.toolName ?? "";
  return {
    role: "tool",
    content: typeof output === "string" ? output : jsonText(output),
    toolResult: { toolCallId: callId, toolName, output, ...(isError ? { isError } : {}) },
  };
}

function* eventMessage(fields: Json, notes: ReadNotes): Generator<SessionMessage> {
  const { type, text, isKnown } = eventOf(fields);
  if (text !== undefined) yield { role: "system", content: text };
  else if (!isKnown) notes.unknown(`type ${type}`);
}
