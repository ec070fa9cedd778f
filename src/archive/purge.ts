/**
 * Removes a value from everything this member pushed: reads sessions back, replaces it, and rewrites the affected rows and search
 * words.
 */
import { isDeepStrictEqual } from "node:util";
import { AgentMuxError } from "../core/errors.ts";
import { joinUnifiedId } from "../core/unified-id.ts";
import { errorText } from "../lib/text/error-text.ts";
import type { PriceTable } from "../models/price-table.ts";
import { loadState } from "./answers/load.ts";
import type { Withheld } from "./push.ts";
import { redactSession, type RedactedSession } from "./redact-session.ts";
import { Redactor, UnreadableValue, type Finding } from "../redaction/redactor.ts";
import { settleSessions } from "./settle.ts";
import { checkedRun } from "./store/checked-rows.ts";
import type { Connection } from "./store/connection.ts";
import { requireSchema } from "./store/migrate.ts";
import { replaceState } from "./store/write-session.ts";

export interface PurgeOptions {
  /** A regular expression, matched in linear time. */
  pattern: string;
  prices: PriceTable;
  /** Only report what would change. */
  dryRun: boolean;
  onProgress?: (progress: { done: number; total: number }) => void;
}

export interface PurgeResult {
  /** Number of the caller's sessions. */
  looked: number;
  sessions: string[];
  /** Number of occurrences. */
  places: number;
  /** Sessions and runs with the value in their id; these were removed whole. */
  removed: string[];
  /** Sessions whose id in the record of sharing holds it; the id is taken out, the record's lines stay. */
  recorded: number;
  runs: number;
  /** Everybody else who could read these sessions, at any time until now. */
  readers: Reader[];
  /** The caller's machines that pushed these sessions. */
  machines: string[];
  /** Unchanged: unreadable, or with the value where it cannot be replaced. */
  failed: Withheld[];
}

export interface Reader {
  reader: string;
  team: string;
  sessions: number;
  /** Null if unknown. */
  since: Date | null;
}

const RULE = "purged";
const MIN_VALUE = 4;

/** A pattern that matches this exact value. */
export function patternOf(value: string): string {
  if (value.length < MIN_VALUE) {
    throw new AgentMuxError(
      "VALIDATION_ERROR",
      `A value has at least ${MIN_VALUE} characters; shorter ones are words.`,
    );
  }
  return value.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

export async function purge(connection: Connection, options: PurgeOptions): Promise<PurgeResult> {
  await requireSchema(connection);
  const { dryRun, prices, onProgress } = options;
  const redactor = redactorOf(options.pattern);
  const states = await connection.rows<{ id: string; agent: string; session_id: string }>(
    "SELECT id, agent, session_id FROM amux.sessions WHERE owner = session_user ORDER BY agent, session_id, id",
  );
  const found = new Set<string>();
  const stuck: string[] = [];
  const ids: string[] = [];
  const result = { looked: states.length, places: 0, removed: [] as string[], failed: [] as Withheld[] };
  for (const [index, { id, agent, session_id: sessionId }] of states.entries()) {
    onProgress?.({ done: index, total: states.length });
    const unifiedId = joinUnifiedId(agent, sessionId);
    const looked = await lookThrough(connection, id, redactor);
    if (looked === "unreadable") result.failed.push({ unifiedId, reason: "its rows are not in amux's format" });
    if (looked === "unreadable" || looked === "clean") continue;
    if (typeof looked === "object" && "reason" in looked) {
      result.failed.push({ unifiedId, reason: looked.reason });
      stuck.push(id);
      continue;
    }
    ids.push(id);
    found.add(unifiedId);
    result.places += looked === "in-an-id" ? 1 : Math.max(1, looked.findings.length);
    if (looked === "in-an-id") result.removed.push(unifiedId);
  }
  // Queried before any write: afterwards nobody can tell who could read a removed session.
  const readers = await readersOf(connection, [...ids, ...stuck]);
  const machines = await machinesOf(connection, [...ids, ...stuck]);
  if (!dryRun) {
    for (const id of ids) {
      const looked = await lookThrough(connection, id, redactor);
      if (looked === "in-an-id") await remove(connection, id);
      else if (typeof looked === "object" && "session" in looked) await replaceState(connection, id, looked.session);
    }
  }
  const runs = await purgeRuns(connection, redactor, dryRun, result);
  const recorded = await purgeRecord(connection, redactor, dryRun);
  if (!dryRun) await settleSessions(connection, prices);
  return { ...result, sessions: [...found], runs, recorded, readers, machines };
}

/** The session without the value, or why not: ids and keys must not change. */
async function lookThrough(
  connection: Connection,
  id: string,
  redactor: Redactor,
): Promise<RedactedSession | Pick<Withheld, "reason"> | "clean" | "in-an-id" | "unreadable"> {
  const session = await loadState(connection, id);
  if (session === undefined) return "unreadable";
  const { agent, sessionId } = session;
  if (isIn(redactor, agent, sessionId)) return "in-an-id";
  const without = redacted(() => redactSession(session, redactor));
  if ("reason" in without) return without;
  // Some duplicate places are not counted as findings.
  return isDeepStrictEqual(without.session, session) ? "clean" : without;
}

/** Throws if the pattern cannot be used for a purge. */
export function redactorOf(pattern: string): Redactor {
  let redactor: Redactor;
  try {
    redactor = new Redactor({ patterns: [{ name: RULE, pattern }], only: true });
  } catch (error) {
    throw new AgentMuxError("VALIDATION_ERROR", `The pattern is invalid: ${errorText(error)}.`, { cause: error });
  }
  try {
    redactor.text(`[redacted ${RULE}]`, "", []);
    redactor.text("a b 0", "", []);
  } catch {
    throw new AgentMuxError("VALIDATION_ERROR", "This pattern matches nearly everything; give a narrower one.");
  }
  return redactor;
}

function redacted<T extends object>(work: () => T): T | Pick<Withheld, "reason"> {
  try {
    return work();
  } catch (error) {
    if (error instanceof UnreadableValue) return { reason: `cannot be changed: ${errorText(error)}` };
    throw error;
  }
}

function isIn(redactor: Redactor, ...ids: readonly string[]): boolean {
  return "reason" in redacted(() => ids.map((id) => redactor.require(id, "id")));
}

async function remove(connection: Connection, id: string): Promise<void> {
  await connection.transaction(async () => {
    await connection.rows("DELETE FROM amux.copies WHERE session = $1", [id]);
    await connection.rows("DELETE FROM amux.sessions WHERE id = $1", [id]);
  });
}

async function purgeRuns(
  connection: Connection,
  redactor: Redactor,
  dryRun: boolean,
  { removed, failed }: Pick<PurgeResult, "removed" | "failed">,
): Promise<number> {
  const rows = await connection.rows<{ run_id: string; session_id: string | null; run: unknown }>(
    "SELECT run_id, session_id, run FROM amux.runs WHERE owner = session_user",
  );
  let changed = 0;
  for (const { run_id: runId, session_id: sessionId, run: before } of rows) {
    if (isIn(redactor, runId, sessionId ?? "")) {
      changed++;
      removed.push(`run ${runId}`);
      if (!dryRun) await connection.rows("DELETE FROM amux.runs WHERE owner = session_user AND run_id = $1", [runId]);
      continue;
    }
    const findings: Finding[] = [];
    const run = redacted(
      () => checkedRun(redactor.value(before, "run", findings)) ?? { reason: "its row is not in amux's format" },
    );
    if ("reason" in run) failed.push({ unifiedId: `run ${runId}`, reason: run.reason });
    if ("reason" in run || findings.length === 0) continue;
    changed++;
    if (dryRun) continue;
    await connection.rows("UPDATE amux.runs SET run = $2, tags = $3 WHERE owner = session_user AND run_id = $1", [
      runId,
      JSON.stringify(run),
      run.tags,
    ]);
  }
  return changed;
}

async function purgeRecord(connection: Connection, redactor: Redactor, dryRun: boolean): Promise<number> {
  const rows = await connection.rows<{ agent: string; id: string }>(
    "SELECT DISTINCT agent, session_id AS id FROM amux.sharing WHERE owner = session_user",
  );
  const found = rows.filter(({ id }) => isIn(redactor, id));
  for (const { agent, id } of dryRun ? [] : found) {
    await connection.rows("SELECT amux.purge_sharing($1, $2)", [agent, id]);
  }
  return found.length;
}

async function readersOf(connection: Connection, ids: readonly string[]): Promise<Reader[]> {
  const rows = await connection.rows<Omit<Reader, "since"> & { since: Date | number }>(
    `SELECT reader::text, team, sessions_seen AS sessions, since FROM amux.readers_of($1::bigint[])`,
    [ids],
  );
  // PostgreSQL's -infinity arrives as a number.
  return rows.map(({ since, ...row }) => ({ ...row, since: since instanceof Date ? since : null }));
}

async function machinesOf(connection: Connection, ids: readonly string[]): Promise<string[]> {
  const rows = await connection.rows<{ machine: string }>(
    `SELECT DISTINCT machine FROM amux.copies WHERE owner = session_user AND session = ANY($1::bigint[]) ORDER BY machine`,
    [ids],
  );
  return rows.map(({ machine }) => machine);
}
