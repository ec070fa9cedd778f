/** Retention: sessions older than a date are removed from the archive and not sent again. */
import type { Connection } from "./store/connection.ts";
import { requireSchema } from "./store/migrate.ts";

export interface RetentionResult {
  /** Older sessions are not kept. Undefined keeps everything. */
  before: Date | undefined;
  sessions: number;
  messages: number;
  runs: number;
}

/** Retention date of this member; 0 if everything is kept. */
export async function keptFrom(connection: Connection): Promise<number> {
  const [row] = await connection.rows<{ before: number }>(
    "SELECT before_ms AS before FROM amux.retention WHERE owner = session_user",
  );
  return row?.before ?? 0;
}

const OLD = `SELECT agent, session_id FROM amux.sessions WHERE owner = session_user
  GROUP BY agent, session_id HAVING max(updated_ms) < $1`;

/** What would be removed, or was removed with `remove`. The date is stored, so that no push brings it back. */
export async function retain(
  connection: Connection,
  { before, remove }: { before: Date; remove: boolean },
): Promise<RetentionResult> {
  await requireSchema(connection);
  const values = [before.getTime()];
  const own = "owner = session_user AND (agent, session_id) IN (SELECT agent, session_id FROM old)";
  const [counts] = await connection.rows<Omit<RetentionResult, "before">>(
    `WITH old AS (${OLD}) SELECT (SELECT count(*)::integer FROM old) AS sessions,
       (SELECT coalesce(sum(message_count), 0)::integer FROM amux.sessions WHERE ${own}) AS messages,
       (SELECT count(*)::integer FROM amux.runs WHERE ${own}) AS runs`,
    values,
  );
  if (remove) {
    await connection.transaction(async () => {
      await connection.rows(
        `INSERT INTO amux.retention (before_ms) VALUES ($1) ON CONFLICT (owner) DO UPDATE SET before_ms = excluded.before_ms`,
        values,
      );
      for (const table of ["runs", "copies", "sessions"]) {
        await connection.rows(`WITH old AS (${OLD}) DELETE FROM amux.${table} WHERE ${own}`, values);
      }
    });
  }
  return { before, ...counts! };
}

/** Lifts the retention date. */
export async function keepAll(connection: Connection): Promise<void> {
  await requireSchema(connection);
  await connection.rows("DELETE FROM amux.retention WHERE owner = session_user");
}
