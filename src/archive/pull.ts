/** Fetches visible sessions into a bundle, for reading without the database. */
import { joinUnifiedId } from "../core/unified-id.ts";
import { errorText } from "../lib/text/error-text.ts";
import { optional } from "../lib/values/optional.ts";
import { loadAllRuns, loadSessions, loadUnread } from "./answers/load.ts";
import type { Bundle, StateName } from "./bundle.ts";
import type { Connection } from "./store/connection.ts";
import { requireSchema } from "./store/migrate.ts";
import type { Withheld } from "./push.ts";

export interface PullOptions {
  agent?: string;
  owners?: readonly string[];
  onProgress?: (progress: { done: number; total: number }) => void;
}

export interface PullResult {
  fetched: number;
  unchanged: number;
  /** Sessions that could not be fetched or written. */
  failed: Withheld[];
}

/** One file per session: an interrupted pull continues where it stopped. */
export async function pull(
  connection: Connection,
  bundle: Bundle,
  { agent, owners, onProgress }: PullOptions,
): Promise<PullResult> {
  await requireSchema(connection);
  const names = await connection.rows<StateName>(
    `SELECT owner::text, agent, session_id AS "sessionId", string_agg(digest, ' ' ORDER BY digest) AS digest
     FROM amux.sessions
     WHERE ($1::text IS NULL OR agent = $1) AND ($2::name[] IS NULL OR owner = ANY($2::name[]))
     GROUP BY owner, agent, session_id ORDER BY owner, agent, session_id`,
    [agent ?? null, owners ?? null],
  );
  const states = bundle.states();
  const result: PullResult = { fetched: 0, unchanged: 0, failed: [] };
  for (const [index, name] of names.entries()) {
    onProgress?.({ done: index, total: names.length });
    if (bundle.has(name, states)) {
      result.unchanged++;
      continue;
    }
    const { sessions, refused } = await loadSessions(connection, [name], {
      messages: true,
      usage: true,
      owners: [name.owner],
    });
    const [session] = sessions;
    const unifiedId = joinUnifiedId(name.agent, name.sessionId);
    if (refused.size > 0) result.failed.push({ unifiedId, reason: "its rows are not in amux's format" });
    // Unreadable, or removed since it was listed.
    if (session === undefined) continue;
    try {
      bundle.put(name, { owner: name.owner, session });
      result.fetched++;
    } catch (error) {
      result.failed.push({ unifiedId, reason: errorText(error) });
    }
  }
  const { runs } = await loadAllRuns(connection, names, optional("agent", agent));
  bundle.putNotes({ runs, unread: Object.fromEntries(await loadUnread(connection)) });
  return result;
}
