/**
 * Without hooks nobody says which conversation a session writes. If directory, agent and time leave only one, it is taken, so that
 * the conversation is not listed a second time as past.
 */
import { joinUnifiedId } from "../../core/unified-id.ts";
import type { Row } from "./row.ts";

/** Difference between file system clocks and programs. */
const SLACK_MS = 2000;

export function withLikelyConversations(runners: readonly Row[], past: readonly Row[]): Row[] {
  const taken = new Set(runners.map(idOf));
  const unknown = runners.filter(({ kind, conversation }) => kind === "live" && conversation === undefined);
  if (unknown.length === 0) return [...runners];
  const agents = new Set(unknown.map(({ agent }) => agent));
  const free = past.filter((row) => agents.has(row.agent) && row.past?.parentId === undefined && !taken.has(idOf(row)));
  return runners.map((row) => {
    if (!unknown.includes(row)) return row;
    const [only, ...more] = free.filter((each) => canWrite(row, each));
    if (only === undefined || more.length > 0) return row;
    const isShared = unknown.some((other) => other !== row && canWrite(other, only));
    return isShared ? row : { ...row, conversation: only.conversation! };
  });
}

/** It was begun there after the session's program. */
function canWrite({ agent, cwd, known }: Row, past: Row): boolean {
  const startedMs = Date.parse(known?.meta.started_at ?? known?.meta.created_at ?? "");
  return agent === past.agent && cwd === past.cwd && past.createdMs >= startedMs - SLACK_MS;
}

function idOf({ conversation }: Row): string | undefined {
  return conversation && joinUnifiedId(conversation.agent, conversation.sessionId);
}
