import { endsInError } from "../history/ends-in-error.ts";
import type { SessionListOptions } from "../history/options.ts";
import type { QueryClient } from "./archive-options.ts";

/** Sessions whose last message is an error of the service or of a tool; `unread` counts those that cannot be read. */
export async function failedSessions(
  { sessions }: Pick<QueryClient, "sessions">,
  agent: string | undefined,
  filters: SessionListOptions,
): Promise<{ found: ReadonlySet<string>; unread: number }> {
  const all = { ...filters, limit: Number.POSITIVE_INFINITY, counts: false };
  const rows = await (agent === undefined ? sessions.listAll(all) : sessions.list(agent, all));
  const found = new Set<string>();
  let unread = 0;
  for (const row of rows) {
    const isFailed = await endsInError(sessions, row);
    if (isFailed === undefined) unread++;
    else if (isFailed) found.add(row.unifiedId);
  }
  return { found, unread };
}
