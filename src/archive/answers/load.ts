/** Loads sessions from the archive's rows. */
import type { UsageRecord } from "../../agents/adapter.ts";
import { groupBy } from "../../lib/values/group-by.ts";
import { runIndexOf, type RunIndex } from "../../history/run-index.ts";
import { mergedUsage, type ArchivedSession } from "../archived-session.ts";
import type { Connection } from "../store/connection.ts";
import { checkedSubagent, checkedMessage, checkedRun, checkedSession, checkedUsage } from "../store/checked-rows.ts";
import {
  messageOf,
  usageOf,
  type SubagentFacts,
  type MessageRow,
  type SessionRow,
  type UsageRow,
} from "../store/rows.ts";
import { Parameters } from "./scope.ts";

/** A session of any owner. */
export interface SessionName {
  agent: string;
  sessionId: string;
}

export interface LoadOptions {
  messages?: boolean;
  usage?: boolean;
  owners?: readonly string[] | undefined;
}

export interface LoadedSessions {
  sessions: ArchivedSession[];
  /** Number of sessions with invalid rows, by agent. */
  refused: ReadonlyMap<string, number>;
}

/** Best first (see `isBest`). */
const ORDER = "(owner = session_user) DESC, updated_ms DESC, message_count DESC, digest DESC";

export async function loadSessions(
  connection: Connection,
  names: readonly SessionName[],
  { messages = false, usage = false, owners }: LoadOptions,
): Promise<LoadedSessions> {
  const parameters = new Parameters();
  const agents = parameters.add(names.map(({ agent }) => agent));
  const ids = parameters.add(names.map(({ sessionId }) => sessionId));
  const among = owners === undefined ? "" : `WHERE s.owner = ANY(${parameters.add(owners)}::name[])`;
  const rows = await connection.rows<SessionRow>(
    `SELECT s.id, s.owner, s.agent, s.session_id, s.created_ms, s.updated_ms, s.message_count, s.turn_count,
       s.head, s.whole_head, s.totals
     FROM unnest(${agents}::text[], ${ids}::text[]) AS g (agent, session_id)
     JOIN amux.sessions s ON s.agent = g.agent AND s.session_id = g.session_id ${among}
     ORDER BY ${ORDER}`,
    parameters.values,
  );
  const broken = new Set<string>();
  const checked = rows.flatMap((row) => checkedSession(row) ?? (broken.add(row.id), []));
  const spent = usage ? await usageOfSessions(connection, checked, broken) : new Map<string, UsageRecord[]>();
  const texts = messages ? await textsOf(connection, checked, broken) : undefined;
  const refused = new Map<string, number>();
  for (const { id, agent } of rows) if (broken.has(id)) refused.set(agent, (refused.get(agent) ?? 0) + 1);
  const whole = checked.filter(({ id }) => !broken.has(id));
  const states = groupBy(whole, ({ agent, session_id: id }) => `${agent}:${id}`);
  // The next best state's texts were not loaded if the best one's are unreadable.
  const told = [...states.values()].filter(([best]) => texts === undefined || texts.loaded.has(best!.id));
  return { sessions: told.map((all) => sessionOf(all, spent, texts)), refused };
}

/** One state of one session, complete. Undefined if its rows are invalid. */
export async function loadState(connection: Connection, id: string): Promise<ArchivedSession | undefined> {
  const [found] = await connection.rows<SessionRow>(
    `SELECT id, owner, agent, session_id, created_ms, updated_ms, message_count, turn_count, head, whole_head, totals
     FROM amux.sessions WHERE id = $1`,
    [id],
  );
  const row = found && checkedSession(found);
  if (row === undefined) return undefined;
  const broken = new Set<string>();
  const spent = await usageOfSessions(connection, [row], broken);
  const texts = await textsOf(connection, [row], broken);
  return broken.size > 0 ? undefined : sessionOf([row], spent, texts);
}

/** Shows the first of a session's states, with the requests of all. */
function sessionOf(
  states: readonly SessionRow[],
  spent: ReadonlyMap<string, UsageRecord[]>,
  texts: Texts | undefined,
): ArchivedSession {
  const row = states[0]!;
  return {
    agent: row.agent,
    sessionId: row.session_id,
    sourceMs: row.updated_ms,
    head: row.head,
    wholeHead: row.whole_head,
    messageCount: row.message_count,
    turnCount: row.turn_count,
    usage: mergedUsage(states.map(({ id }) => spent.get(id) ?? [])),
    ...(row.totals === null ? {} : { reportedTotals: row.totals }),
    messages: texts?.messages.get(row.id)?.get(0) ?? [],
    subagents: (texts?.subagents.get(row.id) ?? []).map((facts, index) => ({
      ...facts,
      messages: texts!.messages.get(row.id)?.get(index + 1) ?? [],
    })),
  };
}

async function usageOfSessions(
  connection: Connection,
  rows: readonly SessionRow[],
  broken: Set<string>,
): Promise<Map<string, UsageRecord[]>> {
  const found = await connection.rows<UsageRow>(
    `SELECT session, key, at_ms, model, input_tokens, cached_tokens, cache_write_tokens, cache_write_1h_tokens,
       output_tokens, thinking_tokens, details
     FROM amux.usage WHERE session = ANY($1::bigint[]) ORDER BY session, place`,
    [rows.map(({ id }) => id)],
  );
  const all = new Map<string, UsageRecord[]>();
  for (const [session, records] of groupBy(found, (row) => row.session)) {
    all.set(session, kept(records, checkedUsage, session, broken).map(usageOf));
  }
  return all;
}

type Texts = {
  /** Sessions whose texts these are. */
  loaded: ReadonlySet<string>;
  /** By session, then by sub-agent; 0 is the session's own. */
  messages: Map<string, Map<number, ArchivedSession["messages"]>>;
  subagents: Map<string, SubagentFacts[]>;
};

async function textsOf(connection: Connection, rows: readonly SessionRow[], broken: Set<string>): Promise<Texts> {
  const ids = [...groupBy(rows, ({ agent, session_id: id }) => `${agent}:${id}`).values()].map(([best]) => best!.id);
  const found = await connection.rows<MessageRow>(
    `SELECT session, helper, role, at_ms, model, content, thinking, details
     FROM amux.messages WHERE session = ANY($1::bigint[]) ORDER BY session, place`,
    [ids],
  );
  const facts = await connection.rows<{ session: string; helper: unknown }>(
    "SELECT session, helper FROM amux.helpers WHERE session = ANY($1::bigint[]) ORDER BY session, place",
    [ids],
  );
  const messages: Texts["messages"] = new Map();
  for (const [session, own] of groupBy(found, (row) => row.session)) {
    const bySubagent = groupBy(kept(own, checkedMessage, session, broken), (row) => row.helper);
    messages.set(session, new Map(Array.from(bySubagent, ([subagent, list]) => [subagent, list.map(messageOf)])));
  }
  const subagents = new Map<string, SubagentFacts[]>();
  for (const [session, list] of groupBy(facts, (row) => row.session)) {
    subagents.set(
      session,
      kept(list, ({ helper }) => checkedSubagent(helper), session, broken),
    );
  }
  return { loaded: new Set(ids), messages, subagents };
}

function kept<Row, Checked>(
  rows: readonly Row[],
  check: (row: Row) => Checked | undefined,
  session: string,
  broken: Set<string>,
): Checked[] {
  return rows.flatMap((row) => {
    const checked = check(row);
    if (checked === undefined) broken.add(session);
    return checked ?? [];
  });
}

interface RunRow {
  run_id: string;
  run: unknown;
}

/** Runs of these sessions. */
export async function loadRuns(connection: Connection, names: readonly SessionName[]): Promise<RunIndex> {
  return toIndex(await runsOfSessions(connection, names));
}

async function runsOfSessions(connection: Connection, names: readonly SessionName[]): Promise<RunRow[]> {
  return connection.rows<RunRow>(
    `SELECT r.run_id, r.run FROM unnest($1::text[], $2::text[]) AS g (agent, session_id)
       JOIN amux.runs r ON r.agent = g.agent AND r.session_id = g.session_id ORDER BY r.at_ms, r.run_id`,
    [names.map(({ agent }) => agent), names.map(({ sessionId }) => sessionId)],
  );
}

/** Runs of these sessions, and every run of a period, with or without a session. */
export async function loadAllRuns(
  connection: Connection,
  names: readonly SessionName[],
  { agent, since, until }: { agent?: string; since?: Date; until?: Date },
): Promise<RunIndex> {
  const own = await runsOfSessions(connection, names);
  const others = await connection.rows<RunRow>(
    `SELECT run_id, run FROM amux.runs
       WHERE ($1::text IS NULL OR agent = $1) AND ($2::double precision IS NULL OR at_ms >= $2)
         AND ($3::double precision IS NULL OR at_ms <= $3) ORDER BY at_ms, run_id`,
    [agent ?? null, since?.getTime() ?? null, until?.getTime() ?? null],
  );
  return toIndex([...own, ...others]);
}

function toIndex(rows: readonly RunRow[]): RunIndex {
  const runs = rows.flatMap(({ run }) => checkedRun(run) ?? []);
  return runIndexOf([...new Map(runs.map((run) => [run.runId, run])).values()]);
}

/** By agent: files that machines could not read, and rows refused here. */
export async function loadUnread(
  connection: Connection,
  refused: ReadonlyMap<string, number> = new Map(),
): Promise<Map<string, number>> {
  const rows = await connection.rows<{ agent: string; files: number }>(
    "SELECT agent, sum(files)::integer AS files FROM amux.unread GROUP BY agent",
  );
  const unread = new Map(rows.map(({ agent, files }) => [agent, files]));
  for (const [agent, sessions] of refused) unread.set(agent, (unread.get(agent) ?? 0) + sessions);
  return unread;
}
