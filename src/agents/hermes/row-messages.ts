/**
 * Converts a session's rows to messages. A compaction inserts kept messages again, so a row that repeats a compacted
 * one is omitted. Role, time and call identify it, because the text may contain the summary.
 */
import type { SessionMessage, SessionToolCall } from "../../core/session.ts";
import { optional } from "../../lib/values/optional.ts";
import type { Row } from "../../lib/sqlite/sqlite.ts";
import type { ReadNotes } from "../read-notes.ts";
import { withTimestamp } from "../shared/with-timestamp.ts";
import {
  atOf,
  callIdOf,
  identityOf,
  isFailure,
  isHidden,
  isLive,
  isVisible,
  META_ROLE,
  roleOf,
  rowIdOf,
  textOf,
  thinkingOf,
  toolCallsOf,
  toolNameOf,
} from "./format.ts";
import { pieces } from "./machine-text.ts";

/** A message and its row ids, to locate search hits. */
export interface PlacedMessage {
  message: SessionMessage;
  rows: number[];
}

export interface RowContext {
  /** The model of the replies, if the session used only one. */
  model: string | undefined;
  /** True for rows copied from the parent session. */
  isInherited(row: Row): boolean;
  /** Whether a copied row includes its summary; a continuation writes its own around the copy. */
  summariesAreInherited: boolean;
  notes: ReadNotes;
}

export function messagesOfRows(rows: readonly Row[], context: RowContext): PlacedMessage[] {
  const placed: PlacedMessage[] = [];
  const compacted = new Map<string, PlacedMessage[]>();
  const summaries = new Set<string>();
  const calls = new CallIndex();
  const gone = takenBack(rows);

  for (const row of rows) {
    if (!isVisible(row) || gone.has(identityOf(row))) continue;
    const first = compacted.get(identityOf(row));
    const own: PlacedMessage[] = [];
    for (const message of messagesOf(row, context, calls, first !== undefined)) {
      if (message.role === "system") {
        // A later compaction inserts the row with the earlier summary again.
        if (first !== undefined && summaries.has(message.content)) continue;
        summaries.add(message.content);
      }
      own.push({ message, rows: [rowIdOf(row)] });
    }
    if (first !== undefined) for (const original of first) original.rows.push(rowIdOf(row));
    else if (!isLive(row)) compacted.set(identityOf(row), own);
    for (const one of own) placed.push(one);
  }
  return placed;
}

/** Undone rows whose compacted originals would otherwise reappear. */
function takenBack(rows: readonly Row[]): Set<string> {
  const gone = new Set(rows.filter((row) => !isLive(row) && !isVisible(row)).map(identityOf));
  if (gone.size > 0) for (const row of rows) if (isLive(row)) gone.delete(identityOf(row));
  return gone;
}

/** The first text of the user, for a title. */
export function promptOf(row: Row): string | undefined {
  if (isHidden(row)) return undefined;
  return pieces("user", textOf(row)).find((piece) => piece.kind === "said" && piece.text.trim() !== "")?.text;
}

function* messagesOf(row: Row, context: RowContext, calls: CallIndex, summaryOnly: boolean): Generator<SessionMessage> {
  if (isHidden(row)) return;
  const role = roleOf(row);
  const text = textOf(row);
  const common: Partial<SessionMessage> = {
    ...withTimestamp(atOf(row)),
    ...(context.isInherited(row) ? { inherited: true } : {}),
  };
  switch (role) {
    case "user":
    case "assistant":
      yield* spoken(role, row, text, common, context, calls, summaryOnly);
      break;
    case "tool":
      if (!summaryOnly) yield toolMessage(row, text, common, calls);
      break;
    case "system":
      if (!summaryOnly && text.trim() !== "") yield { role, content: text, ...common };
      break;
    case META_ROLE:
      break;
    default:
      context.notes.unknown(`role ${role}`);
  }
}

function* spoken(
  role: "user" | "assistant",
  row: Row,
  text: string,
  common: Partial<SessionMessage>,
  context: RowContext,
  calls: CallIndex,
  summaryOnly: boolean,
): Generator<SessionMessage> {
  const parts = pieces(role, text);
  // A reply may have only calls and no text.
  if (role === "assistant" && !parts.some((part) => part.kind === "said")) parts.unshift({ kind: "said", text: "" });
  let said = false;
  for (const part of parts) {
    if (part.kind === "summary") {
      // The row has the time of the wrapped message, not of the compaction.
      const inherited = common.inherited === true && context.summariesAreInherited;
      yield { role: "system", content: part.text, ...(inherited ? { inherited } : {}) };
    } else if (summaryOnly) continue;
    else if (part.kind === "notice") yield { role: "system", content: part.text, ...common };
    else if (role === "user") {
      if (part.text.trim() !== "") yield { role, content: part.text, ...common };
    } else if (!said) {
      said = true;
      yield reply(row, part.text, common, context, calls);
    }
  }
}

function reply(
  row: Row,
  content: string,
  common: Partial<SessionMessage>,
  context: RowContext,
  calls: CallIndex,
): SessionMessage {
  const toolCalls = toolCallsOf(row);
  calls.add(toolCalls, atOf(row));
  return {
    role: "assistant",
    content,
    ...common,
    ...(toolCalls.length > 0 ? { toolCalls } : {}),
    ...optional("thinking", thinkingOf(row)),
    ...optional("model", context.model),
  };
}

function toolMessage(row: Row, text: string, common: Partial<SessionMessage>, calls: CallIndex): SessionMessage {
  const toolCallId = callIdOf(row);
  const isError = isFailure(text);
  const call = calls.answer(toolCallId, text, isError, atOf(row));
  return {
    role: "tool",
    content: text,
    ...common,
    toolResult: {
      toolCallId,
      toolName: toolNameOf(row) ?? call?.toolName ?? "",
      output: text,
      ...(isError ? { isError } : {}),
    },
  };
}

/** Open tool calls by id, latest first: some providers number ids per reply. */
class CallIndex {
  readonly #calls = new Map<string, { call: SessionToolCall; at: number | undefined; alone: boolean }>();

  add(calls: readonly SessionToolCall[], at: number | undefined): void {
    for (const call of calls) this.#calls.set(call.toolCallId, { call, at, alone: calls.length === 1 });
  }

  answer(id: string, output: string, isError: boolean, at: number | undefined): SessionToolCall | undefined {
    const entry = this.#calls.get(id);
    if (entry === undefined) return undefined;
    entry.call.output = output;
    if (isError) entry.call.isError = true;
    // Parallel calls are written in order, so only a single call has a time of its own.
    if (entry.alone && at !== undefined && entry.at !== undefined && at >= entry.at) {
      entry.call.durationMs = Math.round(at - entry.at);
    }
    return entry.call;
  }
}
