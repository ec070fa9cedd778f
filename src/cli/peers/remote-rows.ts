/** Remote sessions as known to the local daemon, so that a slow machine cannot delay this. */
import { DaemonMissing } from "../../client/daemon-client.ts";
import { AgentMuxError } from "../../core/errors.ts";
import type { State } from "../../core/state.ts";
import { optional } from "../../lib/values/optional.ts";
import type { AttentionItem } from "../../protocol/daemon-api.ts";
import type { MuxSession } from "../../protocol/mux-session.ts";
import { NO_EVIDENCE } from "../../status/evidence.ts";
import type { AgentView, SessionView } from "../../status/session-view.ts";
import { askDaemon } from "../mux/remote.ts";
import { peerNames } from "./peer-names.ts";

/** A running daemon answers from memory. */
const WITHIN_MS = 2000;

export interface RemoteRow extends MuxSession {
  peer: string;
  /** Its state, as far as its machine reports it. */
  state: State | "unreachable";
  /** Its question or current work, in its own words. */
  what: string;
  waiting?: AttentionItem;
}

export interface RemoteRows {
  rows: RemoteRow[];
  /** Why there are none, if there should be. */
  missing?: string;
}

/** Empty, at no cost, without linked machines. */
export async function remoteRows(): Promise<RemoteRows> {
  const peers = peerNames();
  if (peers.length === 0) return { rows: [] };
  try {
    const [sessions, attention] = await Promise.all([
      askDaemon<MuxSession[]>("GET", "/v1/sessions", undefined, WITHIN_MS),
      askDaemon<AttentionItem[]>("GET", "/v1/attention", undefined, WITHIN_MS),
    ]);
    return { rows: sessions.flatMap((session) => rowOf(session, attention) ?? []) };
  } catch (error) {
    if (!(error instanceof AgentMuxError)) throw error;
    const reason = error instanceof DaemonMissing ? "the daemon is not running (amux daemon start)" : error.message;
    return { rows: [], missing: `Without ${peers.join(", ")}: ${reason}` };
  }
}

const STATES: Readonly<Record<AttentionItem["reason"], State>> = {
  permission: "permission",
  question: "waiting",
  error: "error",
  limit: "error",
  budget: "error",
  finished: "done",
  queue: "idle",
  conflict: "idle",
};

function rowOf(session: MuxSession, attention: readonly AttentionItem[]): RemoteRow | undefined {
  const { peer, alive, status, unreachable } = session;
  if (peer === undefined) return undefined;
  const waiting = attention.find((item) => item.session_id === session.id && item.member === undefined);
  const own: State = status?.error === true ? "error" : status?.working === true ? "working" : "idle";
  const known = waiting === undefined ? own : STATES[waiting.reason];
  return {
    ...session,
    peer,
    state: unreachable === true ? "unreachable" : alive ? known : "offline",
    what: waiting?.text ?? status?.label ?? "",
    ...optional("waiting", waiting),
  };
}

/** Running sessions in the form of `amux status` and the attention list. */
export function viewsOf({ rows }: RemoteRows): SessionView[] {
  return rows.filter(({ alive }) => alive).map(viewOfRow);
}

export function viewOfRow(row: RemoteRow): SessionView {
  const { id, title, cwd, kind, state, what, waiting, created_at, started_at, exited_at, unread, peer } = row;
  const since = Date.parse(waiting?.since ?? exited_at ?? started_at ?? created_at);
  const top: AgentView = {
    agent: kind,
    isMain: true,
    status: state,
    ...(state === "unreachable" ? {} : { state }),
    ...(what === "" ? {} : { message: what }),
    since,
    evidence: NO_EVIDENCE,
  };
  return { ref: id, name: title, place: "amux", peer, cwd, top, agents: [top], team: [], unread, updatedMs: since };
}
