/** The record of who shared what with which team, and when. The database writes it; nobody can omit a line. */
import { joinUnifiedId } from "../core/unified-id.ts";
import type { Connection } from "./store/connection.ts";
import { requireSchema } from "./store/migrate.ts";

export interface Shared {
  /** Null: before the record began. */
  at: Date | null;
  owner: string;
  unifiedId: string;
  /** Null: with nobody from then on. */
  team: string | null;
}

/** What the caller shared, and what was shared with the caller's teams, newest first. */
export async function sharingRecord(connection: Connection, limit: number): Promise<Shared[]> {
  await requireSchema(connection);
  const rows = await connection.rows<{
    at: Date | number;
    owner: string;
    agent: string;
    id: string;
    team: string | null;
  }>(`SELECT at, owner::text, agent, session_id AS id, team FROM amux.sharing ORDER BY number DESC LIMIT $1`, [limit]);
  return rows.map(({ at, owner, agent, id, team }) => ({
    at: at instanceof Date ? at : null,
    owner,
    unifiedId: joinUnifiedId(agent, id),
    team,
  }));
}
