/**
 * The only way for a running session into the store. `register` queries the runner, creates or merges the session, and follows
 * it. Concurrent calls for one id are merged.
 */
import type { RunnerEvent, SessionMeta } from "../../protocol/runner-api.ts";
import type { NotesStore } from "../files/session-notes.ts";
import type { SessionStore } from "../store/store.ts";
import { initialStateOf, changeOf, lostAt, storedStateOf } from "./runner-updates.ts";
import type { RunnerProcess, Runners } from "./runners.ts";
import type { Subscription } from "./subscription.ts";

/** A connection shorter than this was refused. */
const HANGS_UP_MS = 1000;

/** Runner events that are not for the store. */
export interface RunnerListener {
  /** A runner registered, or returned. */
  onArrival(id: string, meta: SessionMeta): void;
  onEvent(id: string, event: RunnerEvent): void;
}

export class Register {
  readonly #store: SessionStore;
  readonly #runners: Runners;
  readonly #notes: Pick<NotesStore, "read">;
  readonly #listener: RunnerListener;
  readonly #followed = new Map<string, Subscription>();
  readonly #processes = new Map<string, RunnerProcess>();
  readonly #arriving = new Map<string, Promise<boolean>>();
  /** Sessions being removed: later events are ignored. */
  readonly #leaving = new Set<string>();
  /** When each was last found. */
  readonly #since = new Map<string, number>();
  /** Sessions that are not retried at once. */
  readonly #resting = new Set<string>();
  #closed = false;

  constructor(store: SessionStore, runners: Runners, notes: Pick<NotesStore, "read">, listener: RunnerListener) {
    this.#store = store;
    this.#runners = runners;
    this.#notes = notes;
    this.#listener = listener;
  }

  isFollowing(id: string): boolean {
    return this.#followed.has(id) || this.#arriving.has(id);
  }

  /** Whether the session's last known process has ended. */
  isGone(id: string): boolean {
    const process = this.#processes.get(id);
    return process === undefined || !this.#runners.isRunning(process);
  }

  /** Returns whether the runner answered and is followed. */
  register(id: string): Promise<boolean> {
    if (this.#closed || this.#leaving.has(id)) return Promise.resolve(false);
    if (this.#followed.has(id)) return Promise.resolve(true);
    const arriving = this.#arriving.get(id) ?? this.#arrive(id).finally(() => this.#arriving.delete(id));
    this.#arriving.set(id, arriving);
    return arriving;
  }

  /** Stops listening. The session stays; Discovery finds it again if it runs. */
  deregister(id: string): void {
    this.#followed.get(id)?.close();
    this.#followed.delete(id);
  }

  /** Runs `end` (kill and remove) while nothing can bring the session back. */
  async whileLeaving(id: string, end: () => Promise<void>): Promise<void> {
    this.#leaving.add(id);
    try {
      await end();
      this.deregister(id);
    } finally {
      this.#leaving.delete(id);
    }
  }

  /**
   * Decides about a session that is no longer followed: ended if nobody answers and its process is gone, followed again if
   * somebody answers. A silent process proves nothing.
   */
  async settle(id: string): Promise<void> {
    if (!this.#resting.has(id) && (await this.register(id))) return;
    const record = this.#store.record(id);
    if (record === undefined || !this.isGone(id) || (await this.#runners.answers(id))) return;
    this.#processes.delete(id);
    this.#since.delete(id);
    // It may have written nothing for days; this records the end across restarts.
    if (record.alive) this.#runners.sawEnd(id);
    const stored = this.#runners.stored(id);
    const isLast = stored !== undefined && stored.meta.incarnation === record.incarnation;
    if (record.alive) this.#store.upsert("runner", id, isLast ? storedStateOf(stored) : lostAt(new Date()));
    // It reported its end; the exact time is in its file.
    else if (isLast) this.#store.upsert("runner", id, { exited_at: stored.meta.exited_at ?? record.exited_at });
  }

  /** An unknown session's socket is held but silent: show its stored state. */
  async presume(id: string): Promise<void> {
    const isStranger = (): boolean => this.#store.record(id) === undefined && !this.#closed && !this.#leaving.has(id);
    if (!isStranger() || !(await this.#runners.answers(id)) || !isStranger()) return;
    const stored = this.#runners.stored(id);
    if (stored !== undefined) this.#arrived(id, stored.meta);
  }

  close(): void {
    this.#closed = true;
    for (const id of this.#followed.keys()) this.deregister(id);
  }

  async #arrive(id: string): Promise<boolean> {
    try {
      const subscription = await this.#runners.subscribe(id, {
        onMeta: (meta) => this.#arrived(id, meta),
        onEvent: (event) => this.#heard(id, event),
        onEnd: () => this.#silent(id),
      });
      if (this.#closed || this.#leaving.has(id)) subscription.close();
      else {
        this.#followed.set(id, subscription);
        this.#since.set(id, performance.now());
      }
      return true;
    } catch {
      // No runner, or an incompatible one. The caller decides what that means.
      return false;
    }
  }

  #arrived(id: string, meta: SessionMeta): void {
    const process = this.#runners.process(meta.runner_pid);
    if (process !== undefined) this.#processes.set(id, process);
    const kept_slug = this.#store.record(id)?.kept_slug ?? this.#notes.read(id).slug;
    // The address actually used, whatever the runner reports.
    const socket_path = this.#runners.socketPath(id);
    this.#store.upsert("runner", id, { ...initialStateOf(meta), kept_slug, socket_path });
    this.#listener.onArrival(id, meta);
  }

  #heard(id: string, event: RunnerEvent): void {
    const change = changeOf(event);
    // An ended runner repeats its end to every client.
    const isOldNews = event.name === "exit" && this.#store.record(id)?.alive === false;
    if (change !== undefined && !isOldNews) this.#store.upsert("runner", id, change);
    this.#listener.onEvent(id, event);
  }

  #silent(id: string): void {
    const since = this.#since.get(id) ?? 0;
    this.#followed.delete(id);
    // A runner that disconnects everyone would keep us busy; the next scan is soon enough.
    if (performance.now() - since < HANGS_UP_MS) this.#resting.add(id);
    void this.settle(id).finally(() => this.#resting.delete(id));
  }
}
