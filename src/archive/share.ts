/** Shares sessions with a team. */
import { AgentMuxError } from "../core/errors.ts";
import { joinUnifiedId } from "../core/unified-id.ts";
import type { LocalSession } from "./local-sessions.ts";
import type { Connection } from "./store/connection.ts";
import { requireSchema } from "./store/migrate.ts";

export interface Sharing {
  /** Undefined: all sessions the caller pushed. */
  session?: { agent: string; sessionId: string };
  /** Null: with nobody. */
  team: string | null;
}

/** Returns the number of changed sessions. The database refuses teams the caller is not in. */
export async function shareSessions(connection: Connection, { session, team }: Sharing): Promise<number> {
  await requireSchema(connection);
  if (team !== null) await requireTeam(connection, team);
  if (session !== undefined) await requireOwn(connection, session);
  const changed = await connection.rows(
    `UPDATE amux.sessions SET team = $3, settled = NULL WHERE owner = session_user AND team IS DISTINCT FROM $3
       AND ($1::text IS NULL OR (agent = $1 AND session_id = $2)) RETURNING id`,
    [session?.agent ?? null, session?.sessionId ?? null, team],
  );
  return changed.length;
}

export async function requireTeam(connection: Connection, team: string): Promise<void> {
  const [own] = await connection.rows("SELECT 1 FROM amux.members WHERE member = session_user AND team = $1", [team]);
  if (own !== undefined) return;
  throw new AgentMuxError("VALIDATION_ERROR", `You are not in the team "${team}"; amux archive members shows yours.`);
}

async function requireOwn(
  connection: Connection,
  { agent, sessionId }: NonNullable<Sharing["session"]>,
): Promise<void> {
  const [own] = await connection.rows(
    "SELECT 1 FROM amux.sessions WHERE owner = session_user AND agent = $1 AND session_id = $2",
    [agent, sessionId],
  );
  if (own !== undefined) return;
  throw new AgentMuxError(
    "SESSION_NOT_FOUND",
    `You pushed no session ${agent}:${sessionId}; only who pushed a session may share it.`,
  );
}

/** Whether what a machine sent under its rules would pass the present ones. */
export type PassesRules = (machine: string, rules: string) => boolean;

type Named = Pick<LocalSession, "agent" | "sessionId">;

/** Shares what this machine holds, except where another machine's state of it might not pass the present rules. */
export async function shareHeld(
  connection: Connection,
  sessions: readonly Named[],
  { team, machine, passes }: { team: string; machine: string; passes: PassesRules },
): Promise<void> {
  const elsewhere = await connection.rows<{ id: string; machine: string; rules: string }>(
    `SELECT c.agent || ':' || c.session_id AS id, c.machine, c.rules FROM amux.copies c
     WHERE c.owner = session_user AND c.machine <> $1 AND NOT EXISTS (
       SELECT 1 FROM amux.copies own
       WHERE own.owner = session_user AND own.machine = $1 AND own.session = c.session)`,
    [machine],
  );
  const doubtful = new Set(elsewhere.filter((copy) => !passes(copy.machine, copy.rules)).map(({ id }) => id));
  const shared = sessions.filter(({ agent, sessionId }) => !doubtful.has(joinUnifiedId(agent, sessionId)));
  await connection.rows(
    `UPDATE amux.sessions s SET team = $3, settled = NULL FROM unnest($1::text[], $2::text[]) AS g (agent, session_id)
     WHERE s.owner = session_user AND s.agent = g.agent AND s.session_id = g.session_id AND s.team IS DISTINCT FROM $3`,
    [shared.map(({ agent }) => agent), shared.map(({ sessionId }) => sessionId), team],
  );
}

/** Of a session that is held back now: what older rules let out is shown to nobody else. Answers whether it was. */
export async function unshareDoubtful(
  connection: Connection,
  { agent, sessionId }: Named,
  passes: PassesRules,
): Promise<boolean> {
  const copies = await connection.rows<{ machine: string; rules: string }>(
    `SELECT c.machine, c.rules FROM amux.copies c JOIN amux.sessions s ON s.id = c.session
     WHERE c.owner = session_user AND c.agent = $1 AND c.session_id = $2 AND s.team IS NOT NULL`,
    [agent, sessionId],
  );
  if (copies.every(({ machine, rules }) => passes(machine, rules))) return false;
  return (await shareSessions(connection, { session: { agent, sessionId }, team: null })) > 0;
}

/** Which of these the team does not see. */
export async function notShared(connection: Connection, sessions: readonly Named[], team: string): Promise<string[]> {
  const rows = await connection.rows<{ id: string }>(
    `SELECT DISTINCT s.agent || ':' || s.session_id AS id FROM amux.sessions s
     JOIN unnest($1::text[], $2::text[]) AS g (agent, session_id) USING (agent, session_id)
     WHERE s.owner = session_user AND s.team IS DISTINCT FROM $3 ORDER BY 1`,
    [sessions.map(({ agent }) => agent), sessions.map(({ sessionId }) => sessionId), team],
  );
  return rows.map(({ id }) => id);
}
