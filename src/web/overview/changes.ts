/** Changes since a given time, one entry per session: sessions that need attention first, then the newest. */
import { conversationOf } from "../../client/conversation.ts";
import type { AttentionItem } from "../../protocol/daemon-api.ts";
import type { Overview } from "../../protocol/history-api.ts";
import type { MuxSession } from "../../protocol/mux-session.ts";
import { endedInError } from "../../protocol/session-end.ts";

export type ChangeKind = "needs" | "failed" | "finished" | "ended" | "started" | "moved";

export interface Change {
  /** The id of the session, or of the conversation if that changed without one. */
  key: string;
  kind: ChangeKind;
  title: string;
  agent: string;
  cwd: string | undefined;
  at: string;
}

export interface World {
  sessions: Iterable<MuxSession>;
  attention: readonly AttentionItem[];
  /** Past sessions from the daemon. */
  moved: Overview["changed"];
}

export function changesSince(since: string, { sessions, attention, moved }: World): Change[] {
  const moment = Date.parse(since);
  const isNew = (at: string | undefined): at is string => at !== undefined && Date.parse(at) > moment;
  const asks = new Map(attention.filter((item) => isNew(item.since)).map((item) => [item.session_id, item]));
  const changes: Change[] = [];
  const told = new Set<string>();
  for (const session of sessions) {
    const found = changeOf(session, asks.get(session.id), isNew);
    if (found === undefined) continue;
    const { id: key, title, kind: agent, cwd } = session;
    changes.push({ key, title, agent, cwd, ...found });
    const conversation = conversationOf(session);
    if (conversation !== undefined) told.add(conversation);
  }
  for (const { unified_id: key, title, agent, cwd, updated_at: at } of moved) {
    if (!isNew(at) || told.has(key)) continue;
    changes.push({ key, kind: "moved", title, agent, cwd, at });
  }
  const isPressing = ({ kind }: Change): number => (kind === "needs" ? 0 : 1);
  return changes.sort((a, b) => isPressing(a) - isPressing(b) || Date.parse(b.at) - Date.parse(a.at));
}

const ASKED: Record<AttentionItem["reason"], ChangeKind> = {
  permission: "needs",
  question: "needs",
  error: "failed",
  limit: "failed",
  budget: "failed",
  finished: "finished",
  queue: "moved",
  conflict: "moved",
};

/** The most important change of a session, if any. */
function changeOf(
  session: MuxSession,
  asks: AttentionItem | undefined,
  isNew: (at: string | undefined) => at is string,
): Pick<Change, "kind" | "at"> | undefined {
  const { alive, exited_at, started_at } = session;
  if (alive && asks !== undefined) return { kind: ASKED[asks.reason], at: asks.since };
  if (!alive && isNew(exited_at)) return { kind: endedInError(session) ? "failed" : "ended", at: exited_at };
  return alive && isNew(started_at) ? { kind: "started", at: started_at } : undefined;
}
