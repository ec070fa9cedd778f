/**
 * Sends this machine's sessions to the archive. Unchanged ones are not even read; each takes one transaction, so an interrupted
 * push continues where it stopped.
 */
import { resolve } from "node:path";
import { joinUnifiedId } from "../core/unified-id.ts";
import { errorText } from "../lib/text/error-text.ts";
import type { PriceTable } from "../models/price-table.ts";
import type { Catalog } from "../history/catalog.ts";
import type { Run } from "../history/run-index.ts";
import { localSessions, type LocalSession } from "./local-sessions.ts";
import type { Finding } from "../redaction/redactor.ts";
import { redactSession, type RedactedSession } from "./redact-session.ts";
import { doubtAbout } from "../redaction/unsure.ts";
import { isAsStrict, withoutMarks, type RuleSet } from "../redaction/user-rules.ts";
import type { Connection } from "./store/connection.ts";
import { requireSchema } from "./store/migrate.ts";
import { keptFrom } from "./retention.ts";
import { settleSessions } from "./settle.ts";
import { notShared, requireTeam, shareHeld, unshareDoubtful, type PassesRules } from "./share.ts";
import { writeRuns, writeUnread } from "./store/write-runs.ts";
import { writeSession } from "./store/write-session.ts";

export interface PushScope {
  since?: Date;
  cwd?: string;
  /** Redact uncertain findings; otherwise their session is withheld. */
  takeUnsure?: boolean;
}

export interface PushOptions extends PushScope {
  machine: string;
  rules: RuleSet;
  runs: readonly Run[];
  /** Prices for the sums in reports. */
  prices: PriceTable;
  /** Team to share the sessions with from now on. */
  team?: string;
  /** Started by the daemon, whose environment may lack a secret that a manual push redacted: that is no reason to send again. */
  isScheduled?: boolean;
  onProgress?: (progress: PushProgress) => void;
}

export interface PushProgress {
  agent: string;
  done: number;
  total: number;
}

/** A session that did not leave the machine, and why. */
export interface Withheld {
  unifiedId: string;
  reason: string;
}

export interface PushResult {
  sent: number;
  changed: number;
  unchanged: number;
  /** Older than the retention date (retention.ts). */
  tooOld: number;
  /** Sessions newly visible to the team. */
  shared: number;
  redactions: number;
  withheld: Withheld[];
  /** Sessions that the team does not see (any more), as some of what is there might not pass the present rules. */
  unshared: Withheld[];
  /** Runs whose record could not be redacted. */
  runsWithheld: number;
}

export async function push(
  connection: Connection,
  catalogs: readonly Catalog[],
  options: PushOptions,
): Promise<PushResult> {
  await requireSchema(connection);
  const { machine, rules, team, isScheduled = false, onProgress } = options;
  const wanted = isScheduled ? withoutMarks(rules.version) : rules.version;
  const known = await knownCopies(connection, machine, wanted);
  // Another machine has another environment.
  const passes: PassesRules = (from, sent) => isAsStrict(sent, from === machine ? wanted : withoutMarks(wanted));
  const oldest = await keptFrom(connection);
  const counts = { sent: 0, changed: 0, unchanged: 0, tooOld: 0, shared: 0, redactions: 0, runsWithheld: 0 };
  const result: PushResult = { ...counts, withheld: [], unshared: [] };
  if (team !== undefined) await requireTeam(connection, team);
  const seenBefore = await sharedCount(connection, team);
  const unread = new Map<string, number>();
  const pushed = new Set<string>();
  const old = new Set<string>();
  for (const catalog of catalogs) {
    const agent = catalog.adapter.name;
    const sessions = inScope(await localSessions(catalog), options);
    const before = result.withheld.length;
    let unreadable = 0;
    // Sessions in the archive under the current rules: a withheld one may be there under older rules.
    const unchanged: LocalSession[] = [];
    const there: LocalSession[] = [];
    for (const [index, session] of sessions.entries()) {
      onProgress?.({ agent, done: index, total: sessions.length });
      if (session.updatedMs < oldest) {
        old.add(session.unifiedId);
        continue;
      }
      pushed.add(session.unifiedId);
      if (known.get(session.unifiedId) === session.signature) {
        result.unchanged++;
        unchanged.push(session);
        continue;
      }
      const prepared = await prepare(session, rules, options);
      if (prepared === undefined) continue;
      if ("reason" in prepared) {
        result.withheld.push({ unifiedId: session.unifiedId, reason: prepared.reason });
        if (prepared.isUnreadable) unreadable++;
        else if (await unshareDoubtful(connection, session, passes)) {
          result.unshared.push({ unifiedId: session.unifiedId, reason: NO_LONGER });
        }
        continue;
      }
      const { findings } = prepared;
      const written = await writeSession(connection, prepared.session, {
        machine,
        signature: session.signature,
        rules: rules.version,
        redactions: findings.length,
        team,
        passes,
      });
      there.push(session);
      result.redactions += findings.length;
      if (written === "new") result.sent++;
      else if (written === "changed") result.changed++;
      else result.unchanged++;
    }
    if (team !== undefined) {
      await shareHeld(connection, unchanged, { team, machine, passes });
      const missing = await notShared(connection, [...unchanged, ...there], team);
      for (const unifiedId of missing) result.unshared.push({ unifiedId, reason: NOT_SHARED });
    }
    // Reading already noted the unreadable ones.
    unread.set(agent, catalog.notes.skippedCount + result.withheld.length - before - unreadable);
  }
  const isWhole = options.since === undefined && options.cwd === undefined;
  if (isWhole) await writeUnread(connection, machine, unread);
  const runs = options.runs.filter(({ agent, sessionId = "" }) =>
    isWhole
      ? unread.has(agent) && !old.has(joinUnifiedId(agent, sessionId))
      : pushed.has(joinUnifiedId(agent, sessionId)),
  );
  result.tooOld = old.size;
  result.shared = (await sharedCount(connection, team)) - seenBefore;
  result.runsWithheld = await writeRuns(connection, runs, rules.redactor);
  await settleSessions(connection, options.prices);
  return result;
}

const NO_LONGER = "it was sent under older rules and is now private";
const NOT_SHARED =
  "another machine of yours sent it under other rules; push from there with these, or use amux archive share";

export interface ReviewedSession {
  unifiedId: string;
  title: string;
  messages: number;
  findings: Finding[];
}

export interface Review {
  sessions: ReviewedSession[];
  withheld: Withheld[];
}

/** What a push would send and redact, without sending anything. */
export async function review(
  catalogs: readonly Catalog[],
  {
    rules,
    isKnown,
    onProgress,
    ...scope
  }: PushScope & {
    rules: RuleSet;
    /** Whether the archive has the session in this state. */
    isKnown: (session: LocalSession) => boolean;
    onProgress?: (progress: PushProgress) => void;
  },
): Promise<Review> {
  const found: Review = { sessions: [], withheld: [] };
  for (const catalog of catalogs) {
    const sessions = inScope(await localSessions(catalog), scope).filter((session) => !isKnown(session));
    for (const [index, session] of sessions.entries()) {
      onProgress?.({ agent: session.agent, done: index, total: sessions.length });
      const prepared = await prepare(session, rules, scope);
      const { unifiedId } = session;
      if (prepared === undefined) continue;
      if ("reason" in prepared) found.withheld.push({ unifiedId, reason: prepared.reason });
      else {
        const { messageCount: messages, head } = prepared.session;
        found.sessions.push({ unifiedId, title: head.title, messages, findings: prepared.findings });
      }
    }
  }
  return found;
}

/** By unified id, the state of the files when sent; only those sent under rules at least as strict. */
export async function knownCopies(
  connection: Connection,
  machine: string,
  rules: string,
): Promise<ReadonlyMap<string, string>> {
  const rows = await connection.rows<{ id: string; signature: string; rules: string }>(
    `SELECT agent || ':' || session_id AS id, signature, rules FROM amux.copies
     WHERE owner = session_user AND machine = $1`,
    [machine],
  );
  return new Map(rows.filter((row) => isAsStrict(row.rules, rules)).map(({ id, signature }) => [id, signature]));
}

/** Undefined without a conversation. On any failure the session stays here. */
async function prepare(
  session: LocalSession,
  { redactor }: RuleSet,
  { takeUnsure = false }: PushScope,
): Promise<RedactedSession | { reason: string; isUnreadable: boolean } | undefined> {
  let read;
  try {
    read = await session.read();
  } catch (error) {
    return { reason: `cannot be read: ${errorText(error)}`, isUnreadable: true };
  }
  if (read === undefined) return undefined;
  try {
    const redacted = redactSession(read, redactor);
    const doubt = takeUnsure ? undefined : doubtAbout(redacted.findings);
    if (doubt === undefined) return redacted;
    return { reason: `${doubt}; --take-unsure redacts it and sends the rest`, isUnreadable: false };
  } catch (error) {
    return { reason: `cannot be checked for secrets: ${errorText(error)}`, isUnreadable: false };
  }
}

function inScope(sessions: readonly LocalSession[], { since, cwd }: PushScope): LocalSession[] {
  return sessions.filter(
    (session) =>
      (since === undefined || session.createdMs >= since.getTime()) &&
      (cwd === undefined || (session.cwd !== undefined && resolve(session.cwd) === resolve(cwd))),
  );
}

async function sharedCount(connection: Connection, team: string | undefined): Promise<number> {
  const [row] = await connection.rows<{ n: number }>(
    `SELECT count(DISTINCT (agent, session_id))::integer AS n FROM amux.sessions
     WHERE owner = session_user AND team = $1`,
    [team ?? null],
  );
  return row!.n;
}
