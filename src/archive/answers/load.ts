/** Sessions out of the archive's rows. */
import type { UsageRecord } from "../../agents/adapter.ts";
import { groupBy } from "../../lib/group-by.ts";
import { runIndexOf, type Run, type RunIndex } from "../../sessions/run-index.ts";
import { unitedUsage, type ArchivedSession } from "../archived-session.ts";
import type { Connection } from "../store/connection.ts";
import {
  messageOf,
  usageOf,
  type HelperFacts,
  type MessageRow,
  type SessionRow,
  type UsageRow,
} from "../store/rows.ts";
import { Parameters } from "./scope.ts";

/** Which session, whoever holds it. */
export interface SessionName {
  agent: string;
  sessionId: string;
}

export interface LoadOptions {
  messages?: boolean;
  usage?: boolean;
  owners?: readonly string[] | undefined;
}

/** Best first (see `isBest`). */
const ORDER = "(owner = session_user) DESC, updated_ms DESC, message_count DESC, digest DESC";

export async function loadSessions(
  connection: Connection,
  names: readonly SessionName[],
  { messages = false, usage = false, owners }: LoadOptions,
): Promise<ArchivedSession[]> {
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
  const states = groupBy(rows, ({ agent, session_id: id }) => `${agent}:${id}`);
  const spent = usage ? await usageOfSessions(connection, rows) : new Map<string, UsageRecord[]>();
  const best = [...states.values()].map(([first]) => first!);
  const texts = messages ? await textsOf(connection, best) : undefined;
  return [...states.values()].map((all) => {
    const [row] = all as [SessionRow, ...SessionRow[]];
    return {
      agent: row.agent,
      sessionId: row.session_id,
      sourceMs: row.updated_ms,
      head: row.head,
      wholeHead: row.whole_head,
      messageCount: row.message_count,
      turnCount: row.turn_count,
      usage: unitedUsage(all.map(({ id }) => spent.get(id) ?? [])),
      ...(row.totals === null ? {} : { reportedTotals: row.totals }),
      messages: texts?.messages.get(row.id)?.get(0) ?? [],
      subagents: (texts?.helpers.get(row.id) ?? []).map((facts, index) => ({
        ...facts,
        messages: texts!.messages.get(row.id)?.get(index + 1) ?? [],
      })),
    };
  });
}

async function usageOfSessions(
  connection: Connection,
  rows: readonly SessionRow[],
): Promise<Map<string, UsageRecord[]>> {
  const found = await connection.rows<UsageRow>(
    `SELECT session, key, at_ms, model, input_tokens, cached_tokens, cache_write_tokens, cache_write_1h_tokens,
       output_tokens, thinking_tokens, details
     FROM amux.usage WHERE session = ANY($1::bigint[]) ORDER BY session, place`,
    [rows.map(({ id }) => id)],
  );
  const all = new Map<string, UsageRecord[]>();
  for (const [session, records] of groupBy(found, (row) => row.session)) all.set(session, records.map(usageOf));
  return all;
}

type Texts = {
  /** By session, then by helper; 0 is the session's own. */
  messages: Map<string, Map<number, ArchivedSession["messages"]>>;
  helpers: Map<string, HelperFacts[]>;
};

async function textsOf(connection: Connection, rows: readonly SessionRow[]): Promise<Texts> {
  const ids = rows.map(({ id }) => id);
  const found = await connection.rows<MessageRow>(
    `SELECT session, helper, role, at_ms, model, content, thinking, details
     FROM amux.messages WHERE session = ANY($1::bigint[]) ORDER BY session, place`,
    [ids],
  );
  const facts = await connection.rows<{ session: string; helper: HelperFacts }>(
    "SELECT session, helper FROM amux.helpers WHERE session = ANY($1::bigint[]) ORDER BY session, place",
    [ids],
  );
  const messages: Texts["messages"] = new Map();
  for (const [session, own] of groupBy(found, (row) => row.session)) {
    const byHelper = groupBy(own, (row) => row.helper);
    messages.set(session, new Map(Array.from(byHelper, ([helper, list]) => [helper, list.map(messageOf)])));
  }
  const helpers = new Map<string, HelperFacts[]>();
  for (const [session, list] of groupBy(facts, (row) => row.session)) {
    helpers.set(
      session,
      list.map(({ helper }) => helper),
    );
  }
  return { messages, helpers };
}

interface RunRow {
  run_id: string;
  run: Run;
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

/** Runs of these sessions, and every run of a time whether its session is there or not. */
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
  return runIndexOf([...new Map(rows.map(({ run_id: id, run }) => [id, run])).values()]);
}

/** Files that could not be read on the machines, by agent. */
export async function loadUnread(connection: Connection): Promise<Map<string, number>> {
  const rows = await connection.rows<{ agent: string; files: number }>(
    "SELECT agent, sum(files)::integer AS files FROM amux.unread GROUP BY agent",
  );
  return new Map(rows.map(({ agent, files }) => [agent, files]));
}
