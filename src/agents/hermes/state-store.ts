/** The database Hermes writes: sessions of all its surfaces in one file, recognised by their seconds columns. */
import { asText, asTime } from "../../lib/json/fields.ts";
import { optional } from "../../lib/values/optional.ts";
import type { ReadOnlyDatabase, Row } from "../../lib/sqlite/sqlite.ts";
import { titleFrom } from "../../lib/text/text.ts";
import type { SessionHead } from "../adapter.ts";
import type { ParsedSession } from "../in-memory.ts";
import type { ReadNotes } from "../read-notes.ts";
import { bytesColumn, columnList, textFromBytes } from "../shared/columns.ts";
import { messagesOfRows, identityOf, promptOf, type PlacedMessage } from "./row-messages.ts";
import { lineageOf, PARENT_COLUMNS, type Lineage } from "./lineage.ts";
import { TOKEN_COLUMNS, USAGE_COLUMNS, usageOf, type SessionUsage } from "./usage.ts";

const SESSION_COLUMNS = [
  "id",
  "source",
  "model",
  "model_config",
  "parent_session_id",
  "session_key",
  "started_at",
  "ended_at",
  "last_activity_at",
  "title",
  "cwd",
  "git_branch",
  "archived",
  "hidden",
  ...TOKEN_COLUMNS,
  "estimated_cost_usd",
  "actual_cost_usd",
  "cost_status",
];

export function isStateStore(database: ReadOnlyDatabase): boolean {
  return database.hasColumn("sessions", "started_at") && database.hasColumn("messages", "timestamp");
}

/** Rows that belong to the record: not those taken back with /undo. Older schemas mark nothing, or with NULL. */
export function visibleRows(database: ReadOnlyDatabase, alias: string): string {
  if (!database.hasColumn("messages", "active")) return "1";
  const compacted = database.hasColumn("messages", "compacted") ? ` OR ${alias}.compacted = 1` : "";
  return `(${alias}.active IS NOT 0${compacted})`;
}

export interface StateSession {
  id: string;
  head: SessionHead;
  session: Row;
  usage: SessionUsage;
  lineage: Lineage | undefined;
}

/** All sessions that have messages or were billed for something. */
export function listStateSessions(database: ReadOnlyDatabase, notes: ReadNotes): StateSession[] {
  const usage = new Map<string, Row[]>();
  for (const row of usageRows(database)) {
    const id = String(row["session_id"]);
    const rows = usage.get(id);
    if (rows === undefined) usage.set(id, [row]);
    else rows.push(row);
  }
  const sessions: StateSession[] = [];
  for (const row of database.all(sessionQuery(database))) {
    const session = describe(database, row, usage.get(String(row["id"])) ?? [], notes);
    if (session !== undefined) sessions.push(session);
  }
  return sessions;
}

export interface ReadStateSession extends StateSession {
  placed: PlacedMessage[];
  parsed: ParsedSession;
}

export function readStateSession(
  database: ReadOnlyDatabase,
  id: string,
  notes: ReadNotes,
): ReadStateSession | undefined {
  const row = database.get(`${sessionQuery(database)} WHERE s.id = ?`, id);
  const counts = usageRows(database, id);
  const session = row === undefined ? undefined : describe(database, row, counts, notes);
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
    session: database.get("SELECT * FROM sessions WHERE id = ?", id),
    ...optional("lineage", session.lineage),
    messages: rows,
    usage: counts,
  };
  const messages = placed.map(({ message }) => message);
  return { ...session, placed, parsed: { head: session.head, messages, usage: session.usage.records, raw } };
}

function sessionQuery(database: ReadOnlyDatabase): string {
  const visible = visibleRows(database, "m");
  const parent = PARENT_COLUMNS.map((name) =>
    database.hasColumn("sessions", name) ? `p.${name} AS parent_${name}` : `NULL AS parent_${name}`,
  );
  const join = database.hasColumn("sessions", "parent_session_id") ? "s.parent_session_id" : "NULL";
  return `SELECT ${columnList(database, "sessions", "s", SESSION_COLUMNS)}, ${parent.join(", ")},
    (SELECT min(m.timestamp) FROM messages m WHERE m.session_id = s.id AND ${visible}) AS first_at,
    (SELECT max(m.timestamp) FROM messages m WHERE m.session_id = s.id AND ${visible}) AS last_at,
    EXISTS (SELECT 1 FROM messages m WHERE m.session_id = s.id AND m.role = 'assistant'
      AND m.timestamp >= s.started_at) AS replied
    FROM sessions s LEFT JOIN sessions p ON p.id = ${join}`;
}

function usageRows(database: ReadOnlyDatabase, id?: string): Row[] {
  if (!database.hasTable("session_model_usage")) return [];
  const query = `SELECT ${columnList(database, "session_model_usage", "u", USAGE_COLUMNS)} FROM session_model_usage u`;
  return id === undefined ? database.all(query) : database.all(`${query} WHERE u.session_id = ?`, id);
}

function messageRows(database: ReadOnlyDatabase, id: string): Row[] {
  const bytes = bytesColumn("m.content", "content_bytes");
  return database
    .all(`SELECT m.*, ${bytes} FROM messages m WHERE m.session_id = ? ORDER BY m.id`, id)
    .map(({ content_bytes: content, ...row }) => ({
      ...row,
      content: content === null ? null : textFromBytes(content),
    }));
}

function describe(
  database: ReadOnlyDatabase,
  session: Row,
  counts: readonly Row[],
  notes: ReadNotes,
): StateSession | undefined {
  const id = asText(session["id"]);
  const usage = usageOf(session, counts);
  if (id === undefined || (session["last_at"] === null && usage.records.length === 0)) return undefined;
  if (usage.brokenValues > 0) notes.damage(database.path, usage.brokenValues);
  const lineage = lineageOf(session);
  return { id, session, usage, lineage, head: headOf(database, id, session, usage, lineage) };
}

function headOf(
  database: ReadOnlyDatabase,
  id: string,
  session: Row,
  usage: SessionUsage,
  lineage: Lineage | undefined,
): SessionHead {
  const copies = lineage?.relation === "branch" || lineage?.relation === "compression";
  const started = asTime(session["started_at"]);
  const first = asTime(session["first_at"]);
  // The row is written when the first turn begins, seconds after the first message; copied messages are older still.
  const created = copies || first === undefined ? (started ?? first) : Math.min(first, started ?? first);
  const touched = [session["last_at"], session["last_activity_at"], session["ended_at"], session["started_at"]]
    .map(asTime)
    .filter((time) => time !== undefined);
  const title = asText(session["title"]) ?? firstPrompt(database, id);
  return {
    title: titleFrom(title),
    ...(created === undefined ? {} : { createdMs: Math.round(created) }),
    ...(touched.length === 0 ? {} : { updatedMs: Math.round(Math.max(...touched)) }),
    ...(started === undefined ? {} : { startedMs: Math.round(started) }),
    ...optional("model", usage.model),
    ...optional("cwd", asText(session["cwd"])),
    ...optional("branch", asText(session["git_branch"])),
    ...(session["archived"] === 1 || session["hidden"] === 1 ? { archived: true } : {}),
    ...(copies ? { forkedFrom: lineage.parent } : {}),
    ...(lineage?.relation === "delegate" ? { parentId: lineage.parent } : {}),
    // Hermes loses the counts of some sessions (when it could not tell the provider): unknown, not zero.
    ...(session["replied"] === 1 && !usage.conversationCounted ? { usageUnknown: true } : {}),
  };
}

function firstPrompt(database: ReadOnlyDatabase, id: string): string | undefined {
  const kind = columnList(database, "messages", "m", ["display_kind"]);
  const query = `SELECT m.id AS row, ${bytesColumn("m.content", "content")}, ${kind} FROM messages m
    WHERE m.session_id = ? AND m.role = 'user' AND m.id > ? AND ${visibleRows(database, "m")} ORDER BY m.id LIMIT 1`;
  // Nearly always the first row is one; notices and summaries before it are passed one by one.
  for (let after = 0; ;) {
    const row = database.get(query, id, after);
    if (row === undefined) return undefined;
    const prompt = promptOf(textFromBytes(row["content"]), row["display_kind"]);
    if (prompt !== undefined) return prompt;
    after = Number(row["row"]);
  }
}

/**
 * Rows that were copied from the parent. Copies keep their times since mid 2026; before, they were written anew in one
 * go, and only the equal beginning of both conversations shows them.
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
    prefix &&= twin !== undefined && twin["role"] === row["role"] && twin["content"] === row["content"];
    const orphaned = parents.length === 0 && Number(row["timestamp"]) < Number(session.session["started_at"]);
    if (prefix || orphaned || known.has(identityOf(row))) inherited.add(row);
  }
  return inherited;
}
