/**
 * Sessions in one JSON document: `history-session-state/session_<id>_<ms>.json` of 0.0.340 (messages as sent to the
 * API, times only in a second list) and the documented `sessions/<id>.json`.
 */
import { AgentMuxError } from "../../core/errors.ts";
import type { SessionMessage, SessionToolCall } from "../../core/session.ts";
import { codeOf } from "../../lib/fs/directory.ts";
import { MAX_DOCUMENT_BYTES, readText } from "../../lib/fs/foreign-file.ts";
import { asObject, asText } from "../../lib/json/fields.ts";
import { optional } from "../../lib/values/optional.ts";
import type { SessionHead, UsageRecord } from "../adapter.ts";
import type { ParsedSession } from "../in-memory.ts";
import { sessionTitle } from "../session-title.ts";
import { documentOf, type DocumentRecord, type ShownEntry } from "./format-document.ts";
import { answerMessage, toolMessage } from "../shared/message-fields.ts";
import { tokenCounts } from "./tokens.ts";
import { trustedFolderOf } from "./head.ts";

type SessionDocument = ReturnType<typeof documentOf>;

/** Undefined without a conversation. Throws PARSE_ERROR if the file is not a document. */
export function readDocument(path: string, sessionId: string, copilotDir: string): ParsedSession | undefined {
  const raw = parse(path);
  const document = documentOf(raw);
  const messages = buildMessages(document);
  if (messages.length === 0) return undefined;
  const usage = usageOf(document, sessionId);
  const head = headOf(document, messages, copilotDir);
  if (usage.length === 0) head.usageUnknown = true;
  return { head, messages, usage, raw };
}

function parse(path: string): unknown {
  try {
    return JSON.parse(readText(path, MAX_DOCUMENT_BYTES).replace(/^\uFEFF/, ""));
  } catch (error) {
    const why = error instanceof SyntaxError ? "is no JSON document" : `cannot be read (${codeOf(error)})`;
    throw new AgentMuxError("PARSE_ERROR", `${path} ${why}.`, { cause: error });
  }
}

/** The documented layout may have token counts; 0.0.340 has none. */
function usageOf({ records, model }: SessionDocument, sessionId: string): UsageRecord[] {
  return records.flatMap((record, index) => {
    if (record.tokens === undefined) return [];
    return {
      key: record.id ?? `${sessionId}:${index}`,
      tokens: tokenCounts(record.tokens),
      ...optional("at", record.at),
      ...optional("model", record.model ?? model),
    };
  });
}

function buildMessages({ records, model, timeline }: SessionDocument): SessionMessage[] {
  const results = new Map(records.flatMap((record) => (record.callId === undefined ? [] : [[record.callId, record]])));
  const names = new Map<string, string>();
  return records.flatMap((record) => {
    const message = buildMessage(record, record.model ?? model, results, names, timeline);
    if (message === undefined) return [];
    const at = record.at ?? shownAt(record, message.content, timeline);
    if (at !== undefined) message.timestamp = new Date(at);
    return message;
  });
}

/** `names` collects tool names by call id; results come later. */
function buildMessage(
  record: DocumentRecord,
  model: string | undefined,
  results: ReadonlyMap<string, DocumentRecord>,
  names: Map<string, string>,
  timeline: readonly ShownEntry[],
): SessionMessage | undefined {
  switch (record.role) {
    case "user": {
      const content = withoutInjected(record.text);
      return content === "" ? undefined : { role: "user", content };
    }
    case "assistant": {
      for (const call of record.calls) names.set(call.id, call.name);
      const toolCalls = record.calls.map((call) => buildCall(call, results.get(call.id), timeline));
      return answerMessage({ content: record.text, toolCalls, model });
    }
    case "tool": {
      const toolCallId = record.callId ?? "";
      const isError = shownCall(toolCallId, timeline)?.failed === true;
      return toolMessage({ toolCallId, toolName: names.get(toolCallId) ?? "", output: record.text, isError });
    }
    default:
      // The vendor's instructions.
      return undefined;
  }
}

function buildCall(
  { id, name, input }: DocumentRecord["calls"][number],
  result: DocumentRecord | undefined,
  timeline: readonly ShownEntry[],
): SessionToolCall {
  return {
    toolCallId: id,
    toolName: name,
    input,
    ...optional("output", result?.text),
    ...(shownCall(id, timeline)?.failed ? { isError: true } : {}),
  };
}

/** When a message was shown. */
function shownAt(record: DocumentRecord, shown: string, timeline: readonly ShownEntry[]): number | undefined {
  const textTime = (by: ShownEntry["by"]): number | undefined =>
    timeline.find((entry) => entry.by === by && entry.text === shown)?.at;
  if (record.role === "user") return record.promptAt ?? textTime("user");
  if (record.role === "tool") return shownCall(record.callId, timeline)?.at;
  return shownCall(record.calls[0]?.id, timeline)?.at ?? textTime("agent");
}

function shownCall(callId: string | undefined, timeline: readonly ShownEntry[]): ShownEntry | undefined {
  return callId === undefined ? undefined : timeline.find((entry) => entry.callId === callId);
}

const INJECTED = /<(current_datetime|reminder|system_reminder)>.*?<\/\1>/gs;

function withoutInjected(text: string): string {
  return text.replace(INJECTED, "").trim();
}

function headOf(document: SessionDocument, messages: readonly SessionMessage[], copilotDir: string): SessionHead {
  const prompt = messages.find((message) => message.role === "user");
  const times = messages.flatMap((message) => message.timestamp?.getTime() ?? []);
  const createdMs = document.startMs ?? times[0];
  const model = messages.findLast((message) => message.model !== undefined)?.model;
  return {
    title: sessionTitle(document.title, prompt?.content),
    ...optional("createdMs", createdMs),
    ...optional("updatedMs", document.updatedMs ?? times.at(-1) ?? createdMs),
    ...optional("model", model ?? document.model),
    ...optional("cwd", document.cwd ?? trustedFolderOf(copilotDir, pathsIn(messages))),
  };
}

function pathsIn(messages: readonly SessionMessage[]): Set<string> {
  const inputs = messages.flatMap((message) => (message.toolCalls ?? []).map((call) => asObject(call.input) ?? {}));
  const texts = inputs.flatMap((input) => Object.values(input).flatMap((value) => asText(value) ?? []));
  return new Set(texts.filter((text) => text.startsWith("/") && !text.includes("\n")));
}
