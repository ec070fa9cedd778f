import { AgentMuxError } from "../core/errors.ts";
import { isErrorMessage } from "../core/message-error.ts";
import type { SessionMessage } from "../core/session.ts";
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
  for (const { agent: name, sessionId, unifiedId } of rows) {
    try {
      let last: SessionMessage | undefined;
      for (const message of (await sessions.open(name, sessionId)).messages()) last = message;
      if (last !== undefined && isErrorMessage(last)) found.add(unifiedId);
    } catch (error) {
      if (!isUnreadable(error)) throw error;
      unread++;
    }
  }
  return { found, unread };
}

/** Damaged, or removed since it was listed. */
function isUnreadable(error: unknown): boolean {
  return error instanceof AgentMuxError && (error.code === "PARSE_ERROR" || error.code === "SESSION_NOT_FOUND");
}
