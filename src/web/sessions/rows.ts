/** Merges sessions with a terminal and past sessions into table rows. */
import { conversationOf } from "../../client/conversation.ts";
import type { Wire } from "../../client/daemon-api.ts";
import type { SessionSummary } from "../../core/session.ts";
import type { AttentionItem } from "../../protocol/daemon-api.ts";
import type { MuxSession } from "../../protocol/mux-session.ts";
import { endOf } from "../../protocol/session-end.ts";

/** A session summary and its machine; undefined for this one. */
export type Listed = Wire<SessionSummary> & { peer?: string | undefined };

export interface SessionRow {
  key: string;
  title: string;
  agent: string;
  model: string;
  /** The session's working directory. */
  project: string;
  branch: string;
  /** Empty for this machine. */
  machine: string;
  state: string;
  isRunning: boolean;
  tags: readonly string[];
  /** Its own file is gone; the vault has a copy. */
  inVault?: boolean;
  /** Absent while unknown. */
  turns?: number;
  usd?: number;
  started: string;
  updated: string;
  /** Present if it has a terminal or a last screen. */
  session?: MuxSession;
  /** Present if it has a transcript. */
  unifiedId?: string;
  peer?: string | undefined;
}

export function rowsOf(
  listed: readonly Listed[],
  sessions: Iterable<MuxSession>,
  asked: ReadonlyMap<string, AttentionItem["reason"]>,
): SessionRow[] {
  const rows = new Map<string, SessionRow>();
  for (const one of listed) if (one.memory !== true) rows.set(keyOf(one.unifiedId, one.peer), pastRow(one));
  for (const session of sessions) {
    const unifiedId = conversationOf(session);
    const key = unifiedId === undefined ? session.id : keyOf(unifiedId, session.peer);
    const known = rows.get(key);
    // One conversation may have had several terminals: the running one is used, else the newest.
    if (known?.session !== undefined && !isMeant(session, known.session)) continue;
    rows.set(key, { ...(known ?? liveRow(session, key, unifiedId)), ...ofSession(session, asked.get(session.id)) });
  }
  return [...rows.values()];
}

function keyOf(unifiedId: string, peer: string | undefined): string {
  return peer === undefined ? unifiedId : `${unifiedId}@${peer}`;
}

function isMeant(session: MuxSession, other: MuxSession): boolean {
  return session.alive === other.alive ? session.created_at > other.created_at : session.alive;
}

function pastRow(one: Listed): SessionRow {
  const { unifiedId, peer, cost } = one;
  return {
    key: keyOf(unifiedId, peer),
    title: one.title,
    agent: one.agent,
    model: one.model ?? "",
    project: one.cwd ?? "",
    branch: one.branch ?? "",
    machine: peer ?? "",
    state: "ended",
    isRunning: false,
    tags: one.tags,
    ...(one.inVault === true ? { inVault: true } : {}),
    ...(one.partial === true ? {} : { turns: one.turnCount }),
    ...(cost === undefined || cost.kind === "unknown" || cost.kind === "unpriced" ? {} : { usd: cost.totalUsd }),
    started: one.createdAt,
    updated: one.updatedAt,
    unifiedId,
    peer,
  };
}

function liveRow(session: MuxSession, key: string, unifiedId: string | undefined): SessionRow {
  return {
    key,
    title: session.title,
    agent: session.agent ?? session.kind,
    model: "",
    project: session.cwd,
    branch: "",
    machine: session.peer ?? "",
    state: "ended",
    isRunning: false,
    tags: [],
    started: session.started_at ?? session.created_at,
    updated: session.exited_at ?? session.created_at,
    ...(unifiedId === undefined ? {} : { unifiedId }),
    peer: session.peer,
  };
}

/** Facts that only a session with a terminal has. */
function ofSession(session: MuxSession, reason: AttentionItem["reason"] | undefined): Partial<SessionRow> {
  const { alive, name } = session;
  return {
    session,
    isRunning: alive,
    state: stateOf(session, reason),
    ...(name === undefined ? {} : { title: name }),
  };
}

function stateOf(session: MuxSession, reason: AttentionItem["reason"] | undefined): string {
  const { alive, status, started_at } = session;
  if (!alive) return started_at === undefined ? "ended" : endOf(session);
  if (reason === "permission") return "permission";
  if (reason === "question") return "waiting";
  if (status?.error === true) return "error";
  return status?.working === true ? "working" : "idle";
}
