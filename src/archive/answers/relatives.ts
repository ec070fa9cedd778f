/** Sessions that affect each other's cost: copies, forks and sub-agents. */
import type { Connection } from "../store/connection.ts";
import type { SessionName } from "./load.ts";

export interface RelativesOptions {
  /** Include sub-agents' sessions. */
  children: boolean;
}

/** These sessions and all their relatives, like the catalog's (history/catalog.ts). */
export async function withRelatives(
  connection: Connection,
  names: readonly SessionName[],
  { children }: RelativesOptions,
): Promise<SessionName[]> {
  const found = new Map(names.map((name) => [keyOf(name), name]));
  let fresh = [...found.values()];
  while (fresh.length > 0) {
    const agents = fresh.map(({ agent }) => agent);
    const ids = fresh.map(({ sessionId }) => sessionId);
    const rows = await connection.rows<{ agent: string; session_id: string }>(
      `WITH asked AS (SELECT * FROM unnest($1::text[], $2::text[]) AS g (agent, session_id)),
       keys AS (
         SELECT DISTINCT s.agent, f.key FROM asked
         JOIN amux.sessions s ON s.agent = asked.agent AND s.session_id = asked.session_id
         JOIN amux.family f ON f.session = s.id
       )
       SELECT s.agent, s.session_id FROM keys
       JOIN amux.family f ON f.key = keys.key
       JOIN amux.sessions s ON s.id = f.session AND s.agent = keys.agent
       ${children ? CHILDREN : ""}`,
      [agents, ids],
    );
    fresh = [];
    for (const { agent, session_id: sessionId } of rows) {
      const name = { agent, sessionId };
      if (found.has(keyOf(name))) continue;
      found.set(keyOf(name), name);
      fresh.push(name);
    }
  }
  return [...found.values()];
}

const CHILDREN = `
  UNION
  SELECT s.agent, s.session_id FROM asked
  JOIN amux.sessions s ON s.parent_id = asked.session_id AND s.agent = asked.agent`;

export function keyOf({ agent, sessionId }: SessionName): string {
  return `${agent}:${sessionId}`;
}
