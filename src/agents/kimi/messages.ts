/** Builds messages from the rows of a log. */
import type { SessionMessage, SessionToolCall } from "../../core/session.ts";
import type { Json } from "../../lib/json/fields.ts";
import { answerMessage, tokenUsage, toolMessage, withTimestamp } from "../shared/message-fields.ts";
import { entryOf, timeOf } from "./format.ts";
import type { Row } from "./log.ts";

export function* messagesOf<Place>(
  rows: readonly Row<Place>[],
  load: (places: readonly Place[]) => Iterable<Json | undefined>,
): Generator<SessionMessage> {
  const records = load(rows.flatMap(({ places }) => places))[Symbol.iterator]();
  for (const row of rows) {
    const own = row.places.map(() => records.next().value as Json | undefined);
    const common = { ...withTimestamp(row.at), ...(row.inherited ? { inherited: true } : {}) };
    yield* row.kind === "reply" ? replyMessages(row, own, common) : textMessages(row.kind, own, common);
  }
}

function* textMessages(
  kind: "prompt" | "notice",
  records: readonly (Json | undefined)[],
  common: Partial<SessionMessage>,
): Generator<SessionMessage> {
  for (const record of records) {
    const entry = record && entryOf(record);
    if (entry?.is === "prompt" || entry?.is === "notice") {
      yield { role: kind === "prompt" ? "user" : "system", content: entry.text, ...common };
    }
  }
}

function* replyMessages(
  row: Row<unknown>,
  records: readonly (Json | undefined)[],
  common: Partial<SessionMessage>,
): Generator<SessionMessage> {
  const texts: string[] = [];
  const thoughts: string[] = [];
  const calls = new Map<string, { call: SessionToolCall; at: number | undefined }>();
  const results: SessionMessage[] = [];
  for (const record of records) {
    const entry = record && entryOf(record);
    const at = record && timeOf(record);
    if (entry?.is === "text") texts.push(entry.text);
    else if (entry?.is === "thought") thoughts.push(entry.text);
    else if (entry?.is === "call") calls.set(entry.id, { call: { ...entry.call }, at });
    else if (entry?.is === "result") {
      const { output, isError, toolCallId } = entry;
      const asked = calls.get(entry.callId);
      if (asked) Object.assign(asked.call, { output }, isError ? { isError } : {});
      if (asked?.at !== undefined && at !== undefined) asked.call.durationMs = Math.max(0, at - asked.at);
      const toolName = asked?.call.toolName ?? "";
      results.push(toolMessage({ toolCallId, toolName, output, isError }, { ...common, ...withTimestamp(at) }));
    }
  }
  if (row.says) {
    yield answerMessage(
      {
        content: texts.join(""),
        thinking: thoughts.length === 0 ? undefined : thoughts.join("\n\n"),
        toolCalls: [...calls.values()].map(({ call }) => call),
        model: row.model,
        tokenUsage: row.tokens && tokenUsage(row.tokens),
      },
      common,
    );
  }
  yield* results;
}
