/** A database of OpenCode 1.2 or later: lists its sessions with a few queries, and reads one in full. */
import { errorText } from "../../../lib/text/error-text.ts";
import { optional } from "../../../lib/values/optional.ts";
import { withDatabase, type ReadOnlyDatabase } from "../../../lib/sqlite/sqlite.ts";
import type { SessionHead } from "../../adapter.ts";
import type { ReadNotes } from "../../read-notes.ts";
import { listDocumented } from "./format-documented.ts";
import { forkOrigin, isOlderThanSession, type FamilyMember, type ForkOrigin } from "./forks.ts";
import { firstPromptOf, hasOwnTitle, headOf, messageFacts, type ListedRow } from "./head.ts";
import type { SessionInfo, StoredSession } from "./stored-session.ts";
import {
  addParts,
  firstTimes,
  hasMessageTables,
  infoOf,
  loadSession,
  messagesOf,
  modelUses,
  removedMessages,
  sessionRows,
  type SessionTable,
} from "./format-tables.ts";
import { hasV2Messages, loadV2Session, v2MessagesOf } from "./format-tables-v2.ts";

/** Messages searched for the first prompt of a session without a title. */
const FIRST_MESSAGES = 20;

export function listDatabase(database: ReadOnlyDatabase, notes: ReadNotes): ListedRow[] {
  const documented = listDocumented(database);
  const entries = entriesOf(database);
  if (documented === undefined && entries === undefined) notes.skip(database.path, "holds no table of sessions");
  return [...listEntries(database, entries ?? [], notes), ...(documented ?? [])];
}

function listEntries(database: ReadOnlyDatabase, entries: Entry[], notes: ReadNotes): ListedRow[] {
  const models = modelsBySession(database, notes);
  const members = new Map<Entry, FamilyMember>();
  const load = (entry: Entry): FamilyMember => {
    const member = members.get(entry) ?? memberOf(database, entry, notes);
    members.set(entry, member);
    return member;
  };
  return entries.map((entry) => {
    const { info, firstMs } = entry;
    const head = headOf({
      info,
      firstMs,
      ...optional("firstPrompt", hasOwnTitle(info) ? undefined : firstPromptOf(firstMessages(database, entry, notes))),
      ...optional("model", models.get(info.id)),
      ...optional("forkedFrom", originIn(entry, entries, load).parentId),
    });
    return { id: info.id, head };
  });
}

/** The session, its head and the source of copied messages; undefined if it is gone. */
export function readFromDatabase(
  path: string,
  id: string,
  notes: ReadNotes,
): { session: StoredSession; head: SessionHead; origin: ForkOrigin } | undefined {
  return withDatabase(path, (database) => {
    const entry = entriesOf(database, id)?.[0];
    if (entry === undefined) return undefined;
    const session = entry.v2 ? loadV2Session(database, entry.table, id, notes) : loadSession(database, id, notes);
    if (session === undefined) return undefined;
    const isFork = isOlderThanSession(entry.info, entry.firstMs);
    const others = isFork ? (entriesOf(database) ?? []) : [];
    const origin = originIn(entry, others, (other) => memberOf(database, other, notes));
    const { parentId } = origin;
    const facts = { ...messageFacts(session.messages), info: session.info, firstMs: entry.firstMs };
    return { session, origin, head: headOf({ ...facts, ...optional("forkedFrom", parentId) }) };
  });
}

/** A session with messages, and the tables that hold them. */
interface Entry {
  info: SessionInfo;
  table: SessionTable;
  v2: boolean;
  /** When its first message was written. */
  firstMs: number;
}

/**
 * All sessions (or the one with the id) that have messages; undefined if the database lacks these tables. A migrated
 * session is in both generations of tables under one id; the newer one counts.
 */
function entriesOf(database: ReadOnlyDatabase, id?: string): Entry[] | undefined {
  const v1 = hasMessageTables(database) ? firstTimes(database, "message", id) : undefined;
  const v2 = hasV2Messages(database) ? firstTimes(database, "session_message", id) : undefined;
  if (v1 === undefined && v2 === undefined) return undefined;
  const entries = new Map<string, Entry>();
  for (const table of ["session_v2", "session"] as const) {
    if (!database.hasColumn(table, "id")) continue;
    for (const row of sessionRows(database, table, id)) {
      const info = infoOf(row);
      const inV1 = v1?.get(info.id);
      const inV2 = v2?.get(info.id);
      const isV2 = inV2 !== undefined && (table === "session_v2" || inV1 === undefined);
      const firstMs = isV2 ? inV2 : inV1;
      if (firstMs !== undefined && !entries.has(info.id)) entries.set(info.id, { info, table, v2: isV2, firstMs });
    }
  }
  return [...entries.values()];
}

/** The most used model of each session; on a tie, the latest. */
function modelsBySession(database: ReadOnlyDatabase, notes: ReadNotes): Map<string, string> {
  let uses: ReturnType<typeof modelUses> = [];
  try {
    if (hasMessageTables(database)) uses = modelUses(database, "message");
    if (hasV2Messages(database)) uses = uses.concat(modelUses(database, "session_message"));
  } catch (error) {
    // Damaged pages; sessions can still be listed.
    notes.skip(database.path, `models cannot be counted (${errorText(error)})`);
  }
  uses.sort((a, b) => a.count - b.count || a.lastMs - b.lastMs);
  return new Map(uses.flatMap(({ sessionId, model }) => (model === undefined ? [] : [[sessionId, model]])));
}

function firstMessages(database: ReadOnlyDatabase, entry: Entry, notes: ReadNotes): FamilyMember["messages"] {
  if (entry.v2) return v2MessagesOf(database, entry.info.id, notes);
  const messages = messagesOf(database, entry.info.id, notes, FIRST_MESSAGES);
  addParts(database, messages);
  return messages;
}

function originIn(entry: Entry, entries: Entry[], load: (entry: Entry) => FamilyMember): ForkOrigin {
  if (!isOlderThanSession(entry.info, entry.firstMs)) return forkOrigin({ info: entry.info, messages: [] }, []);
  const family = entries.filter((other) => other.firstMs === entry.firstMs);
  return forkOrigin(load(entry), family.map(load));
}

function memberOf(database: ReadOnlyDatabase, { info, v2 }: Entry, notes: ReadNotes): FamilyMember {
  if (v2) return { info, messages: v2MessagesOf(database, info.id, notes) };
  const messages = messagesOf(database, info.id, notes);
  return { info, messages: [...messages, ...removedMessages(database, info.id, messages)] };
}
