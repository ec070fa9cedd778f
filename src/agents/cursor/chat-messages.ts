/** Converts records of a chat or a transcript to messages. A result is a message of its own. */
import type { SessionMessage, SessionToolCall } from "../../core/session.ts";
import { type Json, wordOf } from "../../lib/json/fields.ts";
import { optional } from "../../lib/values/optional.ts";
import type { ReadNotes } from "../read-notes.ts";
import { answerMessage, CallIndex, withTimestamp, toolMessage } from "../shared/message-fields.ts";
import { chatRecord, type ChatRecord, eventOf, type Part } from "./format.ts";

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
  const calls = new CallIndex();
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
  calls: CallIndex,
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
  calls.add(toolCalls);
  const time = withTimestamp(clock?.ofReply(content, thinking));
  return answerMessage({ content, toolCalls, thinking, model: record.model }, time);
}

function* toolMessages(record: ChatRecord, calls: CallIndex): Generator<SessionMessage> {
  const results = record.parts.flatMap((part) => part.result ?? []);
  const whole = { ...record.answers, output: sentText(record), isError: false };
  for (const { callId = "", name, output, isError } of results.length > 0 ? results : [whole]) {
    const call = calls.answer(callId, output, isError);
    yield toolMessage({ toolCallId: callId, toolName: name ?? call?.toolName ?? "", output, isError });
  }
}

function* eventMessage(fields: Json, notes: ReadNotes): Generator<SessionMessage> {
  const { type, text, isKnown } = eventOf(fields);
  if (text !== undefined) yield { role: "system", content: text };
  else if (!isKnown) notes.unknown(`type ${type}`);
}

interface Prompt {
  /** Empty if the message is only context. */
  text: string;
  at?: number;
}

const QUERY = /<user_query>([\s\S]*?)(?:<\/user_query>|$)/g;
const CONTEXT =
  /<(user_info|timestamp|git_status|project_layout|rules|always_applied_workspace_rules|agent_requestable_workspace_rules|agent_skills|available_skills|agent_transcripts|open_and_recently_viewed_files|attached_files|additional_data|environment_context|mcp_instructions|mcp_file_system|system_reminder|system-reminder|image_files)>[\s\S]*?<\/\1>/g;

/** The typed text of a user message is inside `<user_query>`, the rest is context. */
export function promptOf(text: string): Prompt {
  const queries = [...text.matchAll(QUERY)].map((match) => match[1]!.trim());
  const said = queries.length > 0 ? queries.join("\n\n") : text.replace(CONTEXT, "").trim();
  return { text: said, ...optional("at", timestampIn(text)) };
}

const TIMESTAMP =
  /<timestamp>\s*(?:\w+, )?(\w{3})\w* (\d{1,2}), (\d{4}),? (\d{1,2}):(\d{2}) (AM|PM) \(UTC([+-]\d{1,2})?(?::(\d{2}))?\)\s*<\/timestamp>/;
const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** `Wednesday, Sep 2, 2026, 9:15 AM (UTC+0)`: precise to the minute. */
function timestampIn(text: string): number | undefined {
  const found = TIMESTAMP.exec(text);
  if (found === null) return undefined;
  const [, monthName, day, year, hour, minute, half, offsetHours = "+0", offsetMinutes = "0"] = found;
  const month = MONTHS.indexOf(monthName!);
  if (month === -1) return undefined;
  const hours = (Number(hour) % 12) + (half === "PM" ? 12 : 0);
  const sign = offsetHours.startsWith("-") ? -1 : 1;
  const offset = Number(offsetHours) * 60 + sign * Number(offsetMinutes);
  return Date.UTC(Number(year), month, Number(day), hours, Number(minute) - offset);
}

/** The start directory of a chat, if nothing else has it. */
export function workspacePathIn(text: string): string | undefined {
  return /<user_info>[\s\S]*?^Workspace Path: *(\S.*?)\s*$/m.exec(text)?.[1];
}
