/** Shares sessions with a team. */
import { AgentMuxError } from "../core/errors.ts";
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
