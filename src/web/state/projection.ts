/**
 * What the daemon knows, as it told: the only place session state comes in. Nothing here is ever changed by what the user
 * does; actions are sent off, and what comes of them arrives as events.
 */
import { signal } from "@preact/signals";
import type { AttentionItem, ConversationUpdate } from "../../protocol/daemon-api.ts";
import type { MuxSession } from "../../protocol/mux-session.ts";
import type { ProjectsAnswer } from "../../protocol/projects.ts";
import { api, Refusal } from "./api.ts";

/** Changes of this stretch are shown together: fifty busy sessions must not mean fifty renderings. */
const GATHER_MS = 50;
const RETRY_MS = 1000;
const MAX_RETRY_MS = 10_000;
/** How long a sign of activity shows. */
export const ACTIVITY_MS = 3000;

export type Connection = "connecting" | "live" | "lost" | "unauthorized";

export const connection = signal<Connection>("connecting");
/** False until everything there is has been told once. */
export const isComplete = signal(false);
export const sessions = signal<ReadonlyMap<string, MuxSession>>(new Map());
export const attention = signal<readonly AttentionItem[]>([]);
export const projects = signal<ProjectsAnswer>({ items: [], pins: [], discovered: [] });
/** The conversation that grew last; a new object each time. */
export const grown = signal<{ unifiedId: string } | null>(null);
/** When each session last stirred. */
export const stirred = signal<ReadonlyMap<string, number>>(new Map());

let source: EventSource | undefined;
let retry: ReturnType<typeof setTimeout> | undefined;
let retryMs = RETRY_MS;

/** What a new telling has brought so far; shown only when it is complete. */
let telling: Map<string, MuxSession> | undefined;
const changed = new Map<string, MuxSession | undefined>();
const active = new Set<string>();
let flushing: ReturnType<typeof setTimeout> | undefined;

export function connect(): void {
  clearTimeout(retry);
  source?.close();
  source = new EventSource("/v1/events");
  source.addEventListener("open", () => {
    retryMs = RETRY_MS;
    connection.value = "live";
  });
  source.addEventListener("error", () => void failed());
  listen("sync-begin", () => (telling = new Map()));
  listen("sync-end", complete);
  listen<{ id: string; session: MuxSession }>("session-upsert", ({ id, session }) => change(id, session));
  listen<{ id: string }>("session-remove", ({ id }) => change(id, undefined));
  listen<{ id: string }>("session-activity", ({ id }) => {
    active.add(id);
    flushSoon();
  });
  listen<ConversationUpdate>("conversation-update", ({ unified_id }) => (grown.value = { unifiedId: unified_id }));
  listen<ProjectsAnswer>("projects-update", (value) => (projects.value = value));
  listen<AttentionItem[]>("attention", (value) => (attention.value = value));
}

function listen<Data>(name: string, hear: (data: Data) => void): void {
  source!.addEventListener(name, (event) => hear(JSON.parse((event as MessageEvent<string>).data) as Data));
}

/** The browser tries again by itself unless it was refused; then we find out why. */
async function failed(): Promise<void> {
  if (connection.value !== "unauthorized") connection.value = "lost";
  telling = undefined;
  if (source?.readyState !== EventSource.CLOSED) return;
  try {
    await api.health();
  } catch (error) {
    if (error instanceof Refusal && error.code === "unauthorized") {
      connection.value = "unauthorized";
      return;
    }
  }
  retry = setTimeout(connect, retryMs);
  retryMs = Math.min(retryMs * 2, MAX_RETRY_MS);
}

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
  if (active.size > 0) {
    const now = Date.now();
    const kept = [...stirred.value].filter(([, at]) => now - at < ACTIVITY_MS);
    stirred.value = new Map([...kept, ...[...active].map((id) => [id, now] as const)]);
    active.clear();
  }
}
