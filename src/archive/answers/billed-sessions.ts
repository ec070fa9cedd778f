/** Sessions that affect a cost report: those with requests in its period, and their copies. */
import type { Connection } from "../store/connection.ts";
import type { SessionName } from "./load.ts";

export interface BilledScope {
  agent?: string;
  since?: Date;
  until?: Date;
  owners?: readonly string[];
}

export async function billedSessions(
  connection: Connection,
  { agent, since, until, owners }: BilledScope,
): Promise<SessionName[]> {
  const among = "($1::text IS NULL OR s.agent = $1) AND ($2::name[] IS NULL OR s.owner = ANY($2::name[]))";
  const values = [agent ?? null, owners ?? null];
  const isWhole = since === undefined && until === undefined;
  const rows = await connection.rows<{ agent: string; session_id: string }>(
    isWhole ? `SELECT DISTINCT s.agent, s.session_id FROM amux.sessions s WHERE ${among}` : within(among),
    isWhole ? values : [...values, since?.getTime() ?? -Infinity, until?.getTime() ?? Infinity],
  );
  return rows.map(({ agent: name, session_id: sessionId }) => ({ agent: name, sessionId }));
}

/** A session whose run was in the period is needed to see that its requests include the run's cost. */
function within(among: string): string {
  return `
    WITH billed AS (
      SELECT u.session AS id FROM amux.usage u WHERE u.at_ms BETWEEN $3 AND $4
      UNION
      SELECT s.id FROM amux.sessions s WHERE s.total_ms BETWEEN $3 AND $4
      UNION
      SELECT s.id FROM amux.sessions s WHERE s.usage_unknown AND s.created_ms BETWEEN $3 AND $4
      UNION
      SELECT s.id FROM amux.runs r JOIN amux.sessions s ON s.agent = r.agent AND s.session_id = r.session_id
      WHERE r.at_ms BETWEEN $3 AND $4
    ), shared AS (
      SELECT id FROM billed
      UNION
      SELECT o.session FROM billed b JOIN amux.usage u ON u.session = b.id JOIN amux.usage o ON o.key = u.key
    )
    SELECT DISTINCT s.agent, s.session_id FROM shared JOIN amux.sessions s ON s.id = shared.id WHERE ${among}`;
}
