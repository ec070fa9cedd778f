/** The daemon's state, built from its events. User actions never change it directly; their results arrive as events. */
import { computed, signal } from "@preact/signals";
import type { AttentionItem, ConversationUpdate } from "../../protocol/daemon-api.ts";
import type { MuxSession } from "../../protocol/mux-session.ts";
import type { PeerStatus } from "../../protocol/peers.ts";
import type { ProjectsAnswer } from "../../protocol/projects.ts";
import { api, Refusal } from "./api.ts";
import { forgetLastKnown, readLastKnown, writeLastKnown } from "./last-known.ts";

/** Batches changes, so that fifty busy sessions do not cause fifty renders. */
const GATHER_MS = 50;
/** Short enough that a restarted daemon is found quickly. */
const RETRY_MS = 700;
/** How long the activity indicator shows. */
const ACTIVITY_MS = 3000;

export type Connection = "connecting" | "live" | "lost" | "unauthorized";

export const connection = signal<Connection>("connecting");
/** When the daemon was last heard, while it is unreachable; empty if never. */
export const knownAt = signal("");
/** False until the first snapshot is complete. */
export const isComplete = signal(false);
export const sessions = signal<ReadonlyMap<string, MuxSession>>(new Map());
export const attention = signal<readonly AttentionItem[]>([]);
/** The most urgent request of each session. */
export const asked = computed(() => {
  const reasons = new Map<string, AttentionItem["reason"]>();
  for (const { session_id, reason } of attention.value) {
    if (!reasons.has(session_id)) reasons.set(session_id, reason);
  }
  return reasons;
});
/** What each session's edits have in common with another's. */
export const conflicts = computed(() => {
  const texts = new Map<string, string>();
  for (const { reason, sessions: both = [], title, text = "" } of attention.value)
    for (const id of reason === "conflict" ? both : [])
      texts.set(id, [texts.get(id), `${title}: ${text}`].filter(Boolean).join("\n"));
  return texts;
});
export const projects = signal<ProjectsAnswer>({ items: [], pins: [], discovered: [] });
/** The session that grew last; a new object each time. */
export const grown = signal<{ unifiedId: string; peer: string | undefined } | null>(null);
/** The peers and their state. */
export const peers = signal<readonly PeerStatus[]>([]);
/** Sessions with recent activity, and when the indicator ends. */
export const recentlyActive = signal<ReadonlyMap<string, number>>(new Map());

let source: EventSource | undefined;
/** The position in the event stream; empty until the first snapshot is complete. */
let lastEventId = "";
let retry: ReturnType<typeof setTimeout> | undefined;

/** A partial snapshot; it is applied when complete. */
let telling: Map<string, MuxSession> | undefined;
const changed = new Map<string, MuxSession | undefined>();
const active = new Set<string>();
let flushing: ReturnType<typeof setTimeout> | undefined;
let calming: ReturnType<typeof setTimeout> | undefined;

export function connect(): void {
  clearTimeout(retry);
  source?.close();
  source = new EventSource(`/v1/events${lastEventId === "" ? "" : `?last_event_id=${lastEventId}`}`);
  source.addEventListener("open", () => (connection.value = "live"));
  source.addEventListener("error", failed);
  listen("sync-begin", () => (telling = new Map()));
  listen("sync-end", complete);
  listen<{ id: string; session: MuxSession }>("session-upsert", ({ id, session }) => change(id, session));
  listen<{ id: string }>("session-remove", ({ id }) => change(id, undefined));
  listen<{ id: string }>("session-activity", ({ id }) => {
    active.add(id);
    flushSoon();
  });
  listen<ConversationUpdate>("conversation-update", ({ unified_id, peer }) => {
    grown.value = { unifiedId: unified_id, peer };
  });
  listen<ProjectsAnswer>("projects-update", (value) => (projects.value = value));
  listen<PeerStatus[]>("peer-status", (value) => (peers.value = value));
  listen<AttentionItem[]>("attention", (value) => (attention.value = value));
}

function listen<Data>(name: string, hear: (data: Data) => void): void {
  source!.addEventListener(name, (event) => {
    const { data, lastEventId: id } = event as MessageEvent<string>;
    hear(JSON.parse(data) as Data);
    if (id !== "") lastEventId = encodeURIComponent(id);
  });
}

/** Reconnects earlier than the browser's own retry. */
function failed(): void {
  source?.close();
  telling = undefined;
  keepLastKnown();
  if (connection.value !== "unauthorized") connection.value = "lost";
  void tryAgain(source);
  if (!isComplete.peek()) showLastKnown();
}

async function tryAgain(failing: EventSource | undefined): Promise<void> {
  try {
    await api.health();
  } catch (error) {
    if (error instanceof Refusal && error.code === "unauthorized") {
      connection.value = "unauthorized";
      forgetLastKnown();
      return;
    }
  }
  // A manual retry may have happened meanwhile.
  if (source === failing) retry = setTimeout(connect, RETRY_MS);
}

/** Shows the cached sessions if the page is opened while the daemon is down. */
function showLastKnown(): void {
  const last = readLastKnown();
  if (last === undefined) return;
  knownAt.value = last.at;
  sessions.value = new Map(last.sessions.map((session) => [session.id, session]));
}

function keepLastKnown(): void {
  if (connection.value !== "live" || !isComplete.value) return;
  knownAt.value = new Date().toISOString();
  writeLastKnown({ at: knownAt.value, sessions: [...sessions.value.values()] });
}

addEventListener("pagehide", keepLastKnown);

function complete(): void {
  changed.clear();
  if (telling !== undefined) sessions.value = telling;
  telling = undefined;
  isComplete.value = true;
}

function change(id: string, session: MuxSession | undefined): void {
  if (telling !== undefined) {
    if (session === undefined) telling.delete(id);
    else telling.set(id, session);
    return;
  }
  changed.set(id, session);
  flushSoon();
}

function flushSoon(): void {
  flushing ??= setTimeout(flush, GATHER_MS);
}

function flush(): void {
  flushing = undefined;
  if (changed.size > 0) {
    const next = new Map(sessions.value);
    for (const [id, session] of changed) {
      if (session === undefined) next.delete(id);
      else next.set(id, session);
    }
    changed.clear();
    sessions.value = next;
  }
  if (active.size > 0) showActivity();
}

function showActivity(): void {
  const until = Date.now() + ACTIVITY_MS;
  const next = stillActive();
  for (const id of active) next.set(id, until);
  active.clear();
  recentlyActive.value = next;
  calming ??= setTimeout(calmDown, ACTIVITY_MS);
}

function calmDown(): void {
  calming = undefined;
  const next = stillActive();
  if (next.size !== recentlyActive.value.size) recentlyActive.value = next;
  if (next.size > 0) calming = setTimeout(calmDown, Math.max(0, Math.min(...next.values()) - Date.now()));
}

function stillActive(): Map<string, number> {
  const now = Date.now();
  return new Map([...recentlyActive.value].filter(([, until]) => until > now));
}
