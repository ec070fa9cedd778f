/** One row of the list, of any kind of session. */
import { isOutdated } from "../../client/runner-build.ts";
import type { KnownSession } from "../../client/session-list.ts";
import type { CostRecord } from "../../core/cost.ts";
import type { SessionSummary } from "../../core/session.ts";
import type { MuxSession } from "../../protocol/mux-session.ts";
import { splitRemoteId } from "../../protocol/session-id.ts";
import { oneLine } from "../../lib/text/text.ts";
import { optional } from "../../lib/values/optional.ts";
import { queueWords } from "../../status/queue/queue-words.ts";
import type { AttentionItem } from "../../status/attention.ts";
import { endedInError, endOf } from "../../protocol/session-end.ts";
import { hasFailed } from "../../status/runner-view.ts";
import type { AgentView, SessionView } from "../../status/session-view.ts";
import type { GitFields, TeamMember, TokenFields } from "../../status/status-file.ts";

export interface Row {
  /** Unique and stable. */
  key: string;
  /**
   * `live` and `dead` are sessions of runners; `tmux` has a status file; `peer` is from another machine's daemon;
   * `past` is a session on disk.
   */
  kind: "live" | "dead" | "tmux" | "peer" | "past";
  name: string;
  agent: string;
  cwd: string;
  /** The composite status: the most urgent of its agents. */
  status: string;
  message: string;
  /** When it last changed. */
  updatedMs: number;
  /** When its state began; unknown for a past session. */
  sinceMs?: number;
  createdMs: number;
  /** Agents besides the main one. */
  others: readonly AgentView[];
  team: readonly TeamMember[];
  pid?: number;
  /** It is in an error or ended in one. */
  hasFailed?: boolean;
  unread: boolean;
  git?: Partial<GitFields>;
  tokens?: TokenFields;
  cost?: CostRecord;
  known?: KnownSession;
  view?: SessionView;
  past?: SessionSummary;
  /** For another machine's session. `hasRun`: it has a terminal, not only files; `goesOn`: its agent can resume it. */
  peer?: { name: string; alive: boolean; hasRun: boolean; goesOn: boolean; unreachable: boolean; resumable: boolean };
  /** Its conversation: an agent and the agent's own id. */
  conversation?: { agent: string; sessionId: string };
}

export function rowOfRunner(known: KnownSession, view: SessionView): Row {
  const { meta, alive } = known;
  const key = meta.resume_key ?? view.top.evidence.session;
  const agent = meta.agent ?? meta.kind;
  const ended = view.top.status === "lost" ? "lost" : endOf(meta);
  return {
    ...common(view),
    key: meta.id,
    kind: alive ? "live" : "dead",
    status: alive ? view.top.status : "offline",
    message: alive
      ? [isOutdated(known) ? "outdated" : "", ...queueWords(meta), words(view)]
          .filter((part) => part !== "")
          .join(" · ")
      : [...queueWords(meta), ended].filter((part) => part !== "").join(" · "),
    createdMs: Date.parse(meta.created_at),
    updatedMs: Math.max(
      view.updatedMs,
      Date.parse(meta.last_activity_at ?? "") || 0,
      Date.parse(meta.exited_at ?? "") || 0,
    ),
    known,
    hasFailed: hasFailed(view, meta),
    ...optional("conversation", key === undefined ? undefined : { agent, sessionId: key }),
  };
}

/** It edits the same file as these. */
export function withConflict(row: Row, others: readonly string[]): Row {
  const note = `conflict with ${oneLine(others.join(", "))}`;
  return { ...row, message: [note, row.message].filter((part) => part !== "").join(" · ") };
}

export function rowOfFile(view: SessionView): Row {
  const { session } = view.top.evidence;
  return {
    ...common(view),
    key: `tmux:${view.ref}`,
    kind: "tmux",
    createdMs: view.updatedMs,
    ...optional(
      "conversation",
      session === undefined || view.top.agent === "" ? undefined : { agent: view.top.agent, sessionId: session },
    ),
  };
}

export function rowOfPast(past: SessionSummary): Row {
  return {
    key: past.unifiedId,
    kind: "past",
    name: `${past.starred === true ? "★ " : ""}${past.inVault === true ? "[vault] " : ""}${past.title === "" ? past.sessionId : oneLine(past.title)}`,
    agent: past.agent,
    cwd: past.cwd ?? "",
    status: "offline",
    message: [...past.tags.map((tag) => `#${oneLine(tag)}`), past.model ?? ""].join(" ").trim(),
    updatedMs: past.updatedAt.getTime(),
    createdMs: past.createdAt.getTime(),
    others: [],
    team: [],
    unread: false,
    past,
    conversation: { agent: past.agent, sessionId: past.sessionId },
    ...optional("git", past.branch === undefined ? undefined : { branch: past.branch }),
  };
}

const WAITING: Readonly<Record<string, string>> = { permission: "permission", question: "waiting" };

/** A session of another machine; `waiting`: its request to the user. */
export function rowOfPeer(session: MuxSession, waiting?: AttentionItem): Row {
  const { id, status, title, kind, cwd, alive, unread, created_at, started_at, exited_at } = session;
  const name = splitRemoteId(id)?.peer ?? "";
  const isUnreachable = session.unreachable === true;
  const told = status?.error === true ? "error" : status?.working === true ? "working" : "idle";
  const state = WAITING[waiting?.reason ?? ""] ?? told;
  const words = oneLine(waiting?.text ?? status?.label ?? "");
  const ended = endedInError(session) ? endOf(session) : "";
  return {
    key: id,
    kind: "peer",
    name: `${oneLine(title)} @${name}`,
    agent: kind,
    cwd: oneLine(cwd),
    status: alive && !isUnreachable ? state : "offline",
    message: isUnreachable
      ? "its machine cannot be reached"
      : [...queueWords(session), alive ? words : ended].filter((part) => part !== "").join(" · "),
    updatedMs: Date.parse(exited_at ?? started_at ?? created_at),
    createdMs: Date.parse(created_at),
    others: [],
    team: [],
    unread,
    hasFailed: status?.error === true || (!alive && ended !== ""),
    peer: {
      name,
      alive,
      goesOn: session.resume_key !== undefined && session.agent === undefined,
      hasRun: started_at !== undefined || exited_at !== undefined,
      unreachable: isUnreachable,
      resumable: session.resumable === true,
    },
  };
}

function common(view: SessionView): Row {
  return {
    key: view.ref,
    kind: "live",
    name: oneLine(view.name),
    agent: view.top.agent,
    cwd: view.cwd,
    status: view.top.status,
    message: words(view),
    updatedMs: view.updatedMs,
    sinceMs: view.top.since,
    createdMs: view.updatedMs,
    others: view.agents.filter(({ isMain }) => !isMain),
    team: view.team,
    unread: view.unread === true,
    view,
    ...optional("pid", view.pid),
    ...optional("git", view.git),
    ...optional("tokens", view.tokens),
  };
}

function words({ top }: SessionView): string {
  return oneLine(top.message ?? top.label ?? "");
}
