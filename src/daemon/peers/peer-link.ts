/**
 * The link to one peer: its sessions, its events, its rows marked while unreachable. It reconnects with growing delays, and at
 * once when the machine wakes up.
 */
import { conversationOf } from "../../client/conversation.ts";
import { openSse, type SseEvent } from "../../client/sse.ts";
import type { Endpoint } from "../../client/endpoint.ts";
import { optional } from "../../lib/values/optional.ts";
import { oneLine, truncate } from "../../lib/text/text.ts";
import type { MuxSession } from "../../protocol/mux-session.ts";
import type { PeerAddress, PeerStatus } from "../../protocol/peers.ts";
import { isSessionId } from "../../protocol/session-id.ts";
import type { AttentionItem } from "../../status/attention.ts";
import type { SessionStore } from "../store/store.ts";
import { askPeer } from "./ask-peer.ts";
import type { StoredPeer } from "./peer-file.ts";
import { reasonOf } from "./unreachable-reason.ts";
import { remoteAttention } from "./remote-attention.ts";
import { ConversationEvent, PeerHealth, RowEvent, UpsertEvent } from "./remote-session.ts";
import { openTunnel, type Tunnel } from "./ssh-tunnel.ts";

/** Time and size limits; changed only in tests. */
export interface LinkLimits {
  /** First and last delay before a retry. */
  firstRetryMs: number;
  lastRetryMs: number;
  /** Daemons send a heartbeat every 20 seconds. */
  silenceMs: number;
  /** A request slower than this triggers a probe, */
  doubtAfterMs: number;
  /** which a running daemon answers within this time, however busy it is. */
  probeWithinMs: number;
  /** If the clock jumps this far between two ticks, the machine was asleep. */
  tickMs: number;
  sleptMs: number;
  /** Rows larger than this in total are refused. */
  maxCharacters: number;
}

export const LINK_LIMITS: LinkLimits = {
  firstRetryMs: 1000,
  lastRetryMs: 30_000,
  silenceMs: 65_000,
  doubtAfterMs: 4000,
  probeWithinMs: 8000,
  tickMs: 10_000,
  sleptMs: 30_000,
  maxCharacters: 64 * 1024 * 1024,
};

const MAX_EVENT_CHARACTERS = 256 * 1024;
/** More rows than any machine has. */
const MAX_SESSIONS = 20_000;
/** A whole machine's rows in a few seconds; a flooding machine is throttled. */
const MAX_BYTES_PER_SECOND = 8 * 1024 * 1024;

export interface PeerLinkParts {
  peer: StoredPeer;
  address: PeerAddress;
  store: Pick<SessionStore, "upsertRemote" | "remove">;
  /** Local end of the ssh tunnel. */
  tunnelPath: string;
  vars: Readonly<Record<string, string | undefined>>;
  /** Reason why a daemon must not be linked: it is this one, or already linked. */
  objection(health: PeerHealth): string | undefined;
  onStatus(): void;
  onActivity(id: string): void;
  /** A conversation named by one of its rows has grown. */
  onConversation(peer: string, unifiedId: string): void;
  /** The peer's attention list changed. */
  onAttention(): void;
  pace: LinkLimits;
}

export class PeerLink {
  readonly name: string;
  readonly #parts: PeerLinkParts;
  readonly #rows = new Map<string, MuxSession>();
  readonly #sizes = new Map<string, number>();
  #characters = 0;
  #state: PeerStatus["state"] = "connecting";
  #since = new Date();
  #error: string | undefined;
  #retryAt: Date | undefined;
  #retry: NodeJS.Timeout | undefined;
  #failures = 0;
  #health: PeerHealth | undefined;
  /** Rows of the current dump; undefined outside of one. */
  #dump: Set<string> | undefined;
  #waiting: readonly AttentionItem[] = [];
  #wasToldWhoWaits = false;
  #try: AbortController | undefined;
  #endpoint: Endpoint | undefined;
  #isClosed = false;

  constructor(parts: PeerLinkParts) {
    this.name = parts.peer.name;
    this.#parts = parts;
  }

  /** The endpoint, and a signal for the link's end; undefined while disconnected. */
  get open(): { endpoint: Endpoint; signal: AbortSignal } | undefined {
    if (this.#state !== "connected" || this.#endpoint === undefined || this.#try === undefined) return undefined;
    return { endpoint: this.#endpoint, signal: this.#try.signal };
  }

  get health(): PeerHealth | undefined {
    return this.#health;
  }

  /** The peer's attention list while reachable: unreachable sessions cannot be answered. */
  get attention(): readonly AttentionItem[] {
    return this.#state === "connected" ? this.#waiting : [];
  }

  status(): PeerStatus {
    const alive = [...this.#rows.values()].filter((session) => session.alive).length;
    return {
      name: this.name,
      url: this.#parts.peer.url,
      state: this.#state,
      ...optional("error", this.#error),
      since: this.#since.toISOString(),
      ...optional("retry_at", this.#retryAt?.toISOString()),
      ...optional("hostname", this.#health && oneLine(this.#health.hostname)),
      ...optional("version", this.#health && oneLine(this.#health.version)),
      sessions: { alive, dead: this.#rows.size - alive },
    };
  }

  /** Connects now. An existing link is replaced: it may be dead unnoticed. */
  connect(): void {
    this.#hangUp();
    const attempt = new AbortController();
    this.#try = attempt;
    this.#open(attempt).catch((error: unknown) => this.#lost(attempt, error));
  }

  /** The same for a waiting caller. */
  retry(): void {
    if (this.#state !== "connected") this.#become("connecting", undefined);
    this.connect();
  }

  /** Removes its rows. */
  close(): void {
    this.#isClosed = true;
    this.#hangUp();
    for (const id of this.#rows.keys()) this.#parts.store.remove(this.#rowId(id));
    this.#rows.clear();
    this.#waiting = [];
    this.#parts.onAttention();
  }

  /** Work over the link; if it takes long, the peer is probed, and the work aborted if it does not answer. */
  async during<Value>(work: () => Promise<Value>): Promise<Value> {
    const { doubtAfterMs } = this.#parts.pace;
    const doubting = setInterval(() => void this.#probe(), doubtAfterMs).unref();
    try {
      return await work();
    } finally {
      clearInterval(doubting);
    }
  }

  async #probe(): Promise<void> {
    const attempt = this.#try;
    const { open } = this;
    if (attempt === undefined || open === undefined) return;
    const request = { path: "/v1/health", withinMs: this.#parts.pace.probeWithinMs };
    try {
      await askPeer(open.endpoint, request, PeerHealth, attempt.signal);
    } catch (error) {
      this.#lost(attempt, error);
    }
  }

  #hangUp(): void {
    clearTimeout(this.#retry);
    this.#retryAt = undefined;
    const attempt = this.#try;
    this.#try = undefined;
    attempt?.abort();
  }

  async #open(attempt: AbortController): Promise<void> {
    const { signal } = attempt;
    const endpoint = await this.#way(attempt);
    const health = await askPeer(endpoint, "/v1/health", PeerHealth, signal);
    const objection = this.#parts.objection(health);
    if (objection !== undefined) throw new Error(objection);
    if (signal.aborted) return;
    this.#health = health;
    this.#endpoint = endpoint;
    const close = openSse(
      {
        ...endpoint,
        path: "/v1/events?own=1",
        silenceMs: this.#parts.pace.silenceMs,
        maxEventCharacters: MAX_EVENT_CHARACTERS,
        maxBytesPerSecond: MAX_BYTES_PER_SECOND,
      },
      {
        onEvent: (event) => {
          if (!signal.aborted) this.#heard(event);
        },
        onEnd: (error) => this.#lost(attempt, error ?? new Error("The connection was lost.")),
      },
    );
    signal.addEventListener("abort", close, { once: true });
  }

  async #way(attempt: AbortController): Promise<Endpoint> {
    const { address, peer, tunnelPath, vars } = this.#parts;
    if (address.kind === "http") return { origin: address.origin, token: peer.token ?? "", ...optional("ca", peer.ca) };
    const { signal } = attempt;
    const tunnel: Tunnel = await openTunnel(address, tunnelPath, vars, (error) => this.#lost(attempt, error), signal);
    return { socketPath: tunnel.socketPath };
  }

  #lost(attempt: AbortController, error: unknown): void {
    // An abandoned attempt's end does not matter.
    if (this.#try !== attempt || this.#isClosed) return;
    this.#try = undefined;
    this.#endpoint = undefined;
    this.#dump = undefined;
    attempt.abort();
    const { firstRetryMs, lastRetryMs } = this.#parts.pace;
    const backOff = Math.min(firstRetryMs * 2 ** this.#failures, lastRetryMs);
    this.#failures += 1;
    // Randomised, so that not all machines reconnect at once.
    const waitMs = backOff * (0.5 + Math.random() / 2);
    this.#retryAt = new Date(Date.now() + waitMs);
    this.#retry = setTimeout(() => this.connect(), waitMs);
    this.#become("unreachable", truncate(oneLine(reasonOf(error)), 300));
    for (const [id, session] of this.#rows) this.#show(id, session);
  }

  #heard({ event, data }: SseEvent): void {
    if (event === "sync-begin") this.#begin();
    else if (event === "sync-end") this.#synced();
    else if (event === "session-upsert") this.#upsert(data);
    else if (event === "session-remove") this.#remove(parsed(RowEvent, data)?.id);
    else if (event === "session-activity") this.#activity(parsed(RowEvent, data)?.id);
    else if (event === "conversation-update") this.#conversation(parsed(ConversationEvent, data)?.unified_id);
    else if (event === "attention") this.#attention(data);
    // Unknown names are for a later version.
  }

  /** A malformed row is of another version, or hostile: it is dropped without affecting others. */
  #upsert(data: string): void {
    const session = parsed(UpsertEvent, data)?.session;
    if (session === undefined) return;
    if (!this.#rows.has(session.id) && this.#rows.size >= MAX_SESSIONS) return;
    const characters = this.#characters - (this.#sizes.get(session.id) ?? 0) + data.length;
    if (characters > this.#parts.pace.maxCharacters) return;
    this.#characters = characters;
    this.#sizes.set(session.id, data.length);
    this.#dump?.add(session.id);
    this.#rows.set(session.id, session);
    this.#show(session.id, session);
  }

  #remove(id: string | undefined): void {
    if (id === undefined || !this.#rows.delete(id)) return;
    this.#characters -= this.#sizes.get(id) ?? 0;
    this.#sizes.delete(id);
    this.#parts.store.remove(this.#rowId(id));
  }

  #activity(id: string | undefined): void {
    if (id !== undefined && isSessionId(id) && this.#rows.has(id)) this.#parts.onActivity(this.#rowId(id));
  }

  #conversation(unifiedId: string | undefined): void {
    if (unifiedId === undefined) return;
    for (const row of this.#rows.values()) {
      if (conversationOf(row) === unifiedId) return this.#parts.onConversation(this.name, unifiedId);
    }
  }

  #attention(data: string): void {
    this.#wasToldWhoWaits = true;
    this.#waiting = remoteAttention(this.name, jsonOf(data));
    this.#parts.onAttention();
  }

  #begin(): void {
    this.#dump = new Set();
    this.#wasToldWhoWaits = false;
  }

  #synced(): void {
    // An older daemon does not send the attention list.
    if (!this.#wasToldWhoWaits) this.#waiting = [];
    const told = this.#dump;
    this.#dump = undefined;
    if (told !== undefined) for (const id of this.#rows.keys()) if (!told.has(id)) this.#remove(id);
    this.#failures = 0;
    this.#become("connected", undefined);
    // Earlier rows were still shown as unreachable.
    for (const [id, session] of this.#rows) this.#show(id, session);
  }

  #show(id: string, session: MuxSession): void {
    const { socket_path, unreachable: _, ...rest } = session;
    const isReachable = this.#state === "connected";
    this.#parts.store.upsertRemote(
      this.name,
      isReachable ? { ...rest, ...optional("socket_path", socket_path) } : { ...rest, unreachable: true },
    );
    this.#rows.set(id, session);
  }

  #become(state: PeerStatus["state"], error: string | undefined): void {
    if (this.#state !== state) this.#since = new Date();
    this.#state = state;
    this.#error = error;
    if (state === "connected") this.#retryAt = undefined;
    this.#parts.onStatus();
    this.#parts.onAttention();
  }

  #rowId(id: string): string {
    return `${id}@${this.name}`;
  }
}

function parsed<Value>(
  schema: { safeParse(value: unknown): { success: true; data: Value } | { success: false } },
  data: string,
): Value | undefined {
  const result = schema.safeParse(jsonOf(data));
  return result.success ? result.data : undefined;
}

function jsonOf(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch {
    return undefined; // Not JSON.
  }
}
