/**
 * Converts a session's rows to messages. A compaction inserts kept messages again, so a row that repeats a compacted
 * one is omitted. Role, time and call identify it, because the text may contain the summary.
 */
import type { SessionMessage } from "../../core/session.ts";
import type { Row } from "../../lib/sqlite/sqlite.ts";
import type { ReadNotes } from "../read-notes.ts";
import { answerMessage, CallIndex, withTimestamp, toolMessage } from "../shared/message-fields.ts";
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

/** A message and its row ids, to locate search hits. */
export interface PlacedMessage {
  message: SessionMessage;
  rows: number[];
}

interface RowContext {
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
      if (!summaryOnly) yield resultMessage(row, text, common, calls);
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
  return answerMessage({ content, toolCalls, thinking: thinkingOf(row), model: context.model }, common);
}

function resultMessage(row: Row, output: string, common: Partial<SessionMessage>, calls: CallIndex): SessionMessage {
  const toolCallId = callIdOf(row);
  const isError = isFailure(output);
  const call = calls.answer(toolCallId, output, isError, atOf(row));
  return toolMessage({ toolCallId, toolName: toolNameOf(row) ?? call?.toolName ?? "", output, isError }, common);
}

/**
 * Text that Hermes writes itself: notices are user rows, a summary is in a row of either role, and skills and scheduled jobs
 * wrap the user's text.
 */
interface Piece {
  kind: "said" | "notice" | "summary";
  text: string;
}

const NOTICE_STARTS = [
  "[ASYNC DELEGATION",
  "[IMPORTANT: Background process",
  "[System note:",
  "[System:",
  "[SYSTEM: Background process",
  "[Your active task list was preserved",
  "[Continuing toward your standing goal",
];

const SUMMARY_STARTS = ["[CONTEXT COMPACTION", "[CONTEXT SUMMARY]"];
const SUMMARY_END = "--- END OF CONTEXT SUMMARY";
const PRIOR_START = "[PRIOR CONTEXT";
const PRIOR_END = "[END OF PRIOR CONTEXT";

/** Splits a row's text into parts, in order. */
function pieces(role: string, text: string): Piece[] {
  const trimmed = text.trim();
  const summary = aroundSummary(trimmed);
  if (summary !== undefined) return summary;
  if (role !== "user") return [{ kind: "said", text }];
  if (NOTICE_STARTS.some((start) => trimmed.startsWith(start))) return [{ kind: "notice", text: trimmed }];
  return [{ kind: "said", text: unwrapped(text) }];
}

/** The kept messages before and after the summary; either may be missing. */
function aroundSummary(text: string): Piece[] | undefined {
  let before = "";
  let rest = text;
  const priorEnd = text.indexOf(PRIOR_END);
  if (priorEnd !== -1) {
    before = text.slice(0, priorEnd).trim();
    if (before.startsWith(PRIOR_START)) before = afterLine(before).trim();
    rest = afterLine(text.slice(priorEnd)).trim();
  }
  if (!SUMMARY_STARTS.some((start) => rest.startsWith(start))) return undefined;
  const end = rest.lastIndexOf(SUMMARY_END);
  const after = end === -1 ? "" : afterLine(rest.slice(end)).trim();
  const found: Piece[] = [
    { kind: "said", text: before },
    { kind: "summary", text: summaryBody(end === -1 ? rest : rest.slice(0, end)) },
    { kind: "said", text: after },
  ];
  return found.filter((piece) => piece.text !== "");
}

/** Without its first line, which is an instruction to the model. */
function summaryBody(text: string): string {
  const body = afterLine(text).trim();
  return body === "" ? text.trim() : body;
}

function afterLine(text: string): string {
  const newline = text.indexOf("\n");
  return newline === -1 ? "" : text.slice(newline + 1);
}

const SKILL = /^\[(?:IMPORTANT|SYSTEM): The user has invoked the "([^"\n]{1,200})" skill/;
const SKILL_INSTRUCTION =
  /\n(?:The user has provided the following instruction alongside the skill invocation|User instruction): ?/;
const RUNTIME_NOTE = /\n+\[Runtime note: [^\n]*\]\s*$/;
const SCHEDULED_JOB = /^\[(?:IMPORTANT|SYSTEM): You are running as a scheduled cron job[^\n]*\]\s*\n/;

/** The typed text: `/skill instruction` for a skill, the job's prompt for a scheduled job. */
function unwrapped(text: string): string {
  const skill = SKILL.exec(text);
  if (skill === null) return text.replace(SCHEDULED_JOB, "").trim() || text;
  const instruction = text.split(SKILL_INSTRUCTION)[1]?.replace(RUNTIME_NOTE, "").replace(SCHEDULED_JOB, "").trim();
  return `/${skill[1]!} ${instruction ?? ""}`.trim();
}
