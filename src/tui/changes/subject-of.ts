/** Whose changes are meant: a row of the list, or a conversation. */
import { optional } from "../../lib/values/optional.ts";
import type { Row } from "../data/row.ts";
import type { WorkSubject } from "../services.ts";
import type { Stage } from "../view.ts";

export function subjectOfRow(row: Row): WorkSubject {
  const { key, kind, name, cwd, conversation, known, peer } = row;
  const session = optional("session", conversation);
  if (peer !== undefined) return { title: name, remote: { id: key, isRunning: peer.alive } };
  if (known !== undefined) {
    const { meta, alive } = known;
    const times = { startedAt: meta.started_at, ...optional("endedAt", meta.exited_at) };
    return { title: name, ...session, terminal: { id: meta.id, cwd: meta.cwd, isRunning: alive, ...times } };
  }
  if (kind === "tmux")
    return { title: name, ...session, terminal: { id: key, cwd, isRunning: row.status !== "offline" } };
  return { title: name, ...session };
}

/** A conversation may be in a terminal now. */
export function subjectOf(
  stage: Stage,
  title: string,
  conversation: { agent: string; sessionId: string },
): WorkSubject {
  const row = stage.board
    .rows()
    .find(
      (each) =>
        each.conversation?.agent === conversation.agent && each.conversation.sessionId === conversation.sessionId,
    );
  return row === undefined ? { title, session: conversation } : { ...subjectOfRow(row), title };
}
