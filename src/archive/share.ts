/** With whom sessions are shared. */
import { AgentMuxError } from "../core/errors.ts";
import type { Connection } from "./store/connection.ts";
import { requireSchema } from "./store/migrate.ts";

export interface Sharing {
  /** Undefined: all sessions the caller pushed. */
  session?: { agent: string; sessionId: string };
  /** Null: with nobody. */
  team: string | null;
}

/** Answers how many sessions changed. The database refuses a team the caller is not in. */
export async function shareSessions(connection: Connection, { session, team }: Sharing): Promise<number> {
  await requireSchema(connection);
  if (team !== null) {
    const [own] = await connection.rows("SELECT 1 FROM amux.members WHERE member = session_user AND team = $1", [team]);
    if (own === undefined) {
      throw new AgentMuxError(
        "VALIDATION_ERROR",
        `You are not in the team "${team}"; amux archive members shows yours.`,
      );
    }
  }
  const changed = await connection.rows(
    `UPDATE amux.sessions SET team = $3, settled = NULL WHERE owner = session_user AND team IS DISTINCT FROM $3
       AND ($1::text IS NULL OR (agent = $1 AND session_id = $2)) RETURNING id`,
    [session?.agent ?? null, session?.sessionId ?? null, team],
  );
  return changed.length;
}
