/** Converts a session to rows of the archive's tables, and back. */
import { createHash } from "node:crypto";
import { resolve } from "node:path";
import type { ReportedTotal, SessionHead, UsageRecord } from "../../agents/adapter.ts";
import type { MessageRole, SessionMessage, SubagentTranscript } from "../../core/session.ts";
import { oneLine } from "../../lib/text/text.ts";
import { createdMsOf, updatedMsOf, type ArchivedSession } from "../archived-session.ts";
import { passagesOf } from "./passages.ts";

/** One row of a session's table, in the order of its columns. */
export interface PartRow {
  /** Index among the session's rows. */
  place: number;
  digest: string;
  values: readonly unknown[];
}

export interface PartTable {
  name: string;
  /** Besides session, place and digest, each with its type. */
  columns: readonly (readonly [name: string, type: string])[];
}

export const MESSAGES: PartTable = {
  name: "messages",
  columns: [
    ["helper", "integer"],
    ["number", "integer"],
    ["role", "text"],
    ["at_ms", "double precision"],
    ["model", "text"],
    ["content", "text"],
    ["thinking", "text"],
    ["details", "json"],
  ],
};
/** The names in the database are those of existing archives. */
export const SUBAGENTS: PartTable = { name: "helpers", columns: [["helper", "json"]] };
export const USAGE: PartTable = {
  name: "usage",
  columns: [
    ["key", "text"],
    ["at_ms", "double precision"],
    ["model", "text"],
    ["input_tokens", "double precision"],
    ["cached_tokens", "double precision"],
    ["cache_write_tokens", "double precision"],
    ["cache_write_1h_tokens", "double precision"],
    ["output_tokens", "double precision"],
    ["thinking_tokens", "double precision"],
    ["details", "json"],
  ],
};
export const FAMILY: PartTable = { name: "family", columns: [["key", "text"]] };
export const PASSAGES: PartTable = {
  name: "passages",
  columns: [
    ["passage", "integer"],
    ["words", "text"],
  ],
};

export interface SessionRows {
  digest: string;
  /** Row of `sessions` by column, without those that differ between machines. */
  facts: Readonly<Record<string, unknown>>;
  parts: readonly { table: PartTable; rows: readonly PartRow[] }[];
}

export function rowsOf(session: ArchivedSession): SessionRows {
  const { agent, sessionId, head, wholeHead, usage, reportedTotals } = session;
  const transcripts = [session.messages, ...session.subagents.map(({ messages }) => messages)];
  const messages = transcripts.flatMap((list, subagent) =>
    list.map((message, number) => messageRow(message, subagent, number)),
  );
  const subagents = session.subagents.map(({ messages: _, ...facts }, place) => row(place, JSON.stringify(facts)));
  const spent = usage.map(usageRow);
  const family = familyKeys(sessionId, head).map((key, place) => row(place, key));
  const { passages, length, models } = passagesOf(session);
  const facts = {
    title: clean(oneLine(head.title)),
    model: cleanOrNull(head.model),
    directory: head.cwd === undefined ? null : clean(resolve(head.cwd)),
    branch: cleanOrNull(head.branch),
    parent_id: head.parentId ?? null,
    models: models.map(clean),
    message_count: session.messageCount,
    turn_count: session.turnCount,
    usage_unknown: wholeHead.usageUnknown ?? false,
    total_ms: reportedTotals?.at(-1)?.at ?? null,
    length,
    head: JSON.stringify(head),
    whole_head: JSON.stringify(wholeHead),
    totals: reportedTotals ? JSON.stringify(reportedTotals) : null,
  };
  const parts = [
    { table: MESSAGES, rows: messages },
    { table: SUBAGENTS, rows: subagents },
    { table: USAGE, rows: spent },
    { table: FAMILY, rows: family },
    { table: PASSAGES, rows: passages.map(({ passage, words }, place) => row(place, passage, words)) },
  ];
  const hash = createHash("sha256").update(JSON.stringify([agent, sessionId, facts]));
  for (const { rows } of parts) for (const { digest } of rows) hash.update(digest);
  return { digest: hash.digest("hex"), facts, parts };
}

/** Columns that depend on a machine's modification times. */
export function datesOf(session: Pick<ArchivedSession, "head" | "sourceMs">): { created: number; updated: number } {
  // As lists show them: a fraction of a file's time would give the archive another order.
  return { created: Math.trunc(createdMsOf(session)), updated: Math.trunc(updatedMsOf(session)) };
}

function row(place: number, ...values: unknown[]): PartRow {
  return {
    place,
    values,
    digest: createHash("sha256").update(JSON.stringify(values)).digest("base64url").slice(0, 22),
  };
}

/** A growing conversation must not move its sub-agents' messages. */
const SUBAGENT_STEP = 2 ** 31;

function messageRow(message: SessionMessage, subagent: number, number: number): PartRow {
  const { role, content, timestamp, model, thinking, ...details } = message;
  // Text that PostgreSQL cannot store exactly is kept in the details, and cleaned in its column.
  const odd = {
    ...(clean(content) === content ? {} : { content }),
    ...(thinking === undefined || clean(thinking) === thinking ? {} : { thinking }),
    ...(model === undefined || clean(model) === model ? {} : { model }),
  };
  return row(
    subagent * SUBAGENT_STEP + number,
    subagent,
    number,
    role,
    timestamp === undefined || Number.isNaN(timestamp.getTime()) ? null : timestamp.getTime(),
    cleanOrNull(model),
    clean(content),
    cleanOrNull(thinking),
    JSON.stringify({ ...details, ...odd }),
  );
}

function usageRow(record: UsageRecord, place: number): PartRow {
  const { key, at, model, tokens, ...details } = record;
  const { input, cached, cacheWrite, cacheWrite1h, output, thinking } = tokens;
  const counts = [input, cached, cacheWrite, cacheWrite1h, output, thinking];
  return row(
    place,
    clean(key),
    at ?? null,
    cleanOrNull(model),
    ...counts.map((count) => (Number.isFinite(count) ? count : -1)),
    JSON.stringify(details),
  );
}

/** The same keys as the catalog's (history/catalog.ts). */
export function familyKeys(sessionId: string, head: SessionHead): string[] {
  const { forkedFrom, familyKeys: keys = [] } = head;
  const own = [`session:${sessionId}`, ...(forkedFrom === undefined ? [] : [`session:${forkedFrom}`]), ...keys];
  return [...new Set(own)];
}

const REPLACEMENT = "\ufffd";

/** PostgreSQL's text allows neither NUL nor lone surrogates. */
export function clean(text: string): string {
  return text.replaceAll("\0", REPLACEMENT).replace(/\p{Surrogate}/gu, REPLACEMENT);
}

function cleanOrNull(text: string | undefined): string | null {
  return text === undefined ? null : clean(text);
}

export interface SessionRow {
  id: string;
  owner: string;
  agent: string;
  session_id: string;
  created_ms: number;
  updated_ms: number;
  message_count: number;
  turn_count: number;
  head: SessionHead;
  whole_head: SessionHead;
  totals: ReportedTotal[] | null;
}

export interface MessageRow {
  session: string;
  helper: number;
  role: MessageRole;
  at_ms: number | null;
  model: string | null;
  content: string;
  thinking: string | null;
  details: Partial<SessionMessage>;
}

export function messageOf(found: MessageRow): SessionMessage {
  const { role, content, at_ms: at, model, thinking, details } = found;
  return {
    role,
    content,
    ...(at === null ? {} : { timestamp: new Date(at) }),
    ...(thinking === null ? {} : { thinking }),
    ...(model === null ? {} : { model }),
    ...details,
  };
}

export interface UsageRow {
  session: string;
  key: string;
  at_ms: number | null;
  model: string | null;
  input_tokens: number;
  cached_tokens: number;
  cache_write_tokens: number;
  cache_write_1h_tokens: number;
  output_tokens: number;
  thinking_tokens: number;
  details: Partial<UsageRecord>;
}

export function usageOf(found: UsageRow): UsageRecord {
  return {
    key: found.key,
    ...(found.at_ms === null ? {} : { at: found.at_ms }),
    ...(found.model === null ? {} : { model: found.model }),
    tokens: {
      input: found.input_tokens,
      cached: found.cached_tokens,
      cacheWrite: found.cache_write_tokens,
      cacheWrite1h: found.cache_write_1h_tokens,
      output: found.output_tokens,
      thinking: found.thinking_tokens,
    },
    ...found.details,
  };
}

export type SubagentFacts = Omit<SubagentTranscript, "messages">;
