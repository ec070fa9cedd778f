/** Hermes' database: sessions of all its surfaces in one file. */
import type { ReadOnlyDatabase, Row } from "../../lib/sqlite/sqlite.ts";
import { optional } from "../../lib/values/optional.ts";
import type { SessionHead } from "../adapter.ts";
import type { ParsedSession } from "../in-memory.ts";
import type { ReadNotes } from "../read-notes.ts";
import { sessionTitle } from "../session-title.ts";
import {
  identityOf,
  isOlderThan,
  messageRows,
  nextPromptRow,
  rawSession,
  rowIdOf,
  saysTheSame,
  sessionFields,
  type SessionFields,
  sessionIdOf,
  sessionRows,
  usageFields,
  usageRows,
} from "./format.ts";
import { messagesOfRows, type PlacedMessage, promptOf } from "./row-messages.ts";
import { type SessionUsage, usageOf } from "./usage.ts";

interface StateSession {
  id: string;
  head: SessionHead;
  session: SessionFields;
  usage: SessionUsage;
  lineage: Lineage | undefined;
}

/** All sessions with messages or usage. */
export function listStateSessions(database: ReadOnlyDatabase, notes: ReadNotes): StateSession[] {
  const usage = new Map<string, Row[]>();
  for (const row of usageRows(database)) {
    const id = sessionIdOf(row);
    const rows = usage.get(id);
    if (rows === undefined) usage.set(id, [row]);
    else rows.push(row);
  }
  const sessions: StateSession[] = [];
  for (const fields of sessionRows(database).map(sessionFields)) {
    const session = describe(database, fields, usage.get(fields.id ?? "") ?? [], notes);
    if (session !== undefined) sessions.push(session);
  }
  return sessions;
}

interface ReadStateSession extends StateSession {
  placed: PlacedMessage[];
  parsed: ParsedSession;
}

export function readStateSession(
  database: ReadOnlyDatabase,
  id: string,
  notes: ReadNotes,
): ReadStateSession | undefined {
  const row = sessionRows(database, id)[0];
  const counts = usageRows(database, id);
  const session = row === undefined ? undefined : describe(database, sessionFields(row), counts, notes);
  if (session === undefined) return undefined;

  const rows = messageRows(database, id);
  const inherited = inheritedRows(database, rows, session);
  const placed = messagesOfRows(rows, {
    model: session.usage.models.length > 1 ? undefined : session.head.model,
    isInherited: (message) => inherited.has(message),
    summariesAreInherited: session.lineage?.relation === "branch",
    notes,
  });
  const raw = {
    session: rawSession(database, id),
    ...optional("lineage", session.lineage),
    messages: rows,
    usage: counts,
  };
  const messages = placed.map(({ message }) => message);
  return { ...session, placed, parsed: { head: session.head, messages, usage: session.usage.records, raw } };
}

function describe(
  database: ReadOnlyDatabase,
  session: SessionFields,
  counts: readonly Row[],
  notes: ReadNotes,
): StateSession | undefined {
  const { id } = session;
  const usage = usageOf(session, counts.map(usageFields));
  if (id === undefined || (!session.hasMessages && usage.records.length === 0)) return undefined;
  if (usage.brokenValues > 0) notes.damage(database.path, usage.brokenValues);
  const lineage = lineageOf(session);
  return { id, session, usage, lineage, head: headOf(database, id, session, usage, lineage) };
}

function headOf(
  database: ReadOnlyDatabase,
  id: string,
  session: SessionFields,
  usage: SessionUsage,
  lineage: Lineage | undefined,
): SessionHead {
  const copies = lineage?.relation === "branch" || lineage?.relation === "compression";
  const { startedMs: started, firstMs: first, touched } = session;
  // The row is written at the first turn, seconds after the first message; copied messages are older still.
  const created = copies || first === undefined ? (started ?? first) : Math.min(first, started ?? first);
  return {
    title: sessionTitle(session.title, () => firstPrompt(database, id)),
    ...(created === undefined ? {} : { createdMs: Math.round(created) }),
    ...(touched.length === 0 ? {} : { updatedMs: Math.round(Math.max(...touched)) }),
    ...(started === undefined ? {} : { startedMs: Math.round(started) }),
    ...optional("model", usage.model),
    ...optional("cwd", session.cwd),
    ...optional("branch", session.branch),
    ...(session.archived ? { archived: true } : {}),
    ...(copies ? { forkedFrom: lineage.parent } : {}),
    ...(lineage?.relation === "delegate" ? { parentId: lineage.parent } : {}),
    // Hermes loses the counts of some sessions (if the provider is unknown): unknown, not zero.
    ...(session.replied && !usage.conversationCounted ? { usageUnknown: true } : {}),
  };
}

function firstPrompt(database: ReadOnlyDatabase, id: string): string | undefined {
  // Usually the first row; notices and summaries before it are skipped one by one.
  for (let after = 0; ;) {
    const row = nextPromptRow(database, id, after);
    if (row === undefined) return undefined;
    const prompt = promptOf(row);
    if (prompt !== undefined) return prompt;
    after = rowIdOf(row);
  }
}

/**
 * Rows copied from the parent. Since mid 2026 copies keep their times; before, only the equal beginning of both
 * conversations shows them.
 */
function inheritedRows(database: ReadOnlyDatabase, rows: readonly Row[], session: StateSession): Set<Row> {
  const inherited = new Set<Row>();
  const { lineage } = session;
  if (lineage?.relation !== "branch" && lineage?.relation !== "compression") return inherited;
  const parents = messageRows(database, lineage.parent);
  const known = new Set(parents.map(identityOf));
  let prefix = true;
  for (const [index, row] of rows.entries()) {
    const twin = parents[index];
    prefix &&= twin !== undefined && saysTheSame(twin, row);
    const orphaned = parents.length === 0 && isOlderThan(row, session.session.started);
    if (prefix || orphaned || known.has(identityOf(row))) inherited.add(row);
  }
  return inherited;
}

/**
 * The relation of a session to its parent. One column stands for four relations: marks distinguish them or, in older databases,
 * how the parent ended.
 */
interface Lineage {
  /** `branch` and `compression` begin with copies of the parent's messages; `reset` begins empty. */
  relation: "branch" | "compression" | "reset" | "delegate";
  parent: string;
}

function lineageOf(session: SessionFields): Lineage | undefined {
  const { marked, parent } = session;
  for (const relation of ["delegate", "branch", "reset"] as const) {
    const from = marked[relation];
    if (from !== undefined) return { relation, parent: from };
  }
  return parent === undefined ? undefined : { relation: unmarkedRelation(session), parent };
}

function unmarkedRelation(session: SessionFields): Lineage["relation"] {
  if (session.isSubagent) return "delegate";
  const { parentEnd } = session;
  if (parentEnd === "compression") return parentEnd;
  if (parentEnd === "branch" && session.startedAfterParent) return parentEnd;
  if (parentEnd === "reset" && session.sameKeyAsParent) return parentEnd;
  // Hermes treats every other child as a sub-agent.
  return "delegate";
}
