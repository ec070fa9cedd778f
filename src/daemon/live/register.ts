/**
 * The only way for a live session into the store. Whoever finds a runner (a launch, `POST /v1/register`, Discovery) gives
 * its id to `register`, which asks the runner itself, creates the session or merges it into the one of the same id, and
 * follows it from then on. Calls for the same id at the same time are one.
 */
import type { RunnerEvent, SessionMeta } from "../../protocol/runner-api.ts";
import type { NoteBook } from "../files/session-notes.ts";
import type { SessionStore } from "../store/store.ts";
import { arrivalOf, changeOf, lostAt, remainsOf } from "./runner-updates.ts";
import type { RunnerProcess, Runners } from "./runners.ts";
import type { Subscription } from "./subscription.ts";

/** Who is followed for less than this was not there to stay. */
const HANGS_UP_MS = 1000;

/** What a runner says that is not for the store. */
export interface RunnerListener {
  /** A runner came, or came back. */
  onArrival(id: string, meta: SessionMeta): void;
  onEvent(id: string, event: RunnerEvent): void;
}

export class Register {
  readonly #store: SessionStore;
  readonly #runners: Runners;
  readonly #notes: Pick<NoteBook, "read">;
  readonly #listener: RunnerListener;
  readonly #followed = new Map<string, Subscription>();
  readonly #processes = new Map<string, RunnerProcess>();
  readonly #arriving = new Map<string, Promise<boolean>>();
  /** Sessions on their way out: whatever is heard of them now is too late. */
  readonly #leaving = new Set<string>();
  /** When each was last found. */
  readonly #since = new Map<string, number>();
  /** Sessions that are not tried again at once. */
  readonly #resting = new Set<string>();
  #closed = false;

  constructor(store: SessionStore, runners: Runners, notes: Pick<NoteBook, "read">, listener: RunnerListener) {
    this.#store = store;
    this.#runners = runners;
    this.#notes = notes;
    this.#listener = listener;
  }

  isFollowing(id: string): boolean {
    return this.#followed.has(id) || this.#arriving.has(id);
  }

  /** Whether the last process known to hold the session has ended. */
  isGone(id: string): boolean {
    const process = this.#processes.get(id);
    return process === undefined || !this.#runners.isRunning(process);
  }

  /** Whether the session's runner answered and is followed. */
  register(id: string): Promise<boolean> {
    if (this.#closed || this.#leaving.has(id)) return Promise.resolve(false);
    if (this.#followed.has(id)) return Promise.resolve(true);
    const arriving = this.#arriving.get(id) ?? this.#arrive(id).finally(() => this.#arriving.delete(id));
    this.#arriving.set(id, arriving);
    return arriving;
  }

  /** Stops listening. The session stays as it is; Discovery finds it again if it lives. */
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
   * The session is not followed any more: dead if nobody answers and its process is gone, found again if somebody does.
   * A process that runs without answering proves nothing, and changes nothing.
   */
  async settle(id: string): Promise<void> {
    if (!this.#resting.has(id) && (await this.register(id))) return;
    const record = this.#store.record(id);
    if (record === undefined || !this.isGone(id) || (await this.#runners.answers(id))) return;
    this.#processes.delete(id);
    this.#since.delete(id);
    // It may have written nothing for days; who saw it go knows better, also after a restart.
    if (record.alive) this.#runners.sawEnd(id);
    const stored = this.#runners.stored(id);
    const isLast = stored !== undefined && stored.meta.incarnation === record.incarnation;
    if (record.alive) this.#store.upsert("runner", id, isLast ? remainsOf(stored) : lostAt(new Date()));
    // It said that it ended; when exactly is in what it wrote.
    else if (isLast) this.#store.upsert("runner", id, { exited_at: stored.meta.exited_at ?? record.exited_at });
  }

  /** Somebody holds the socket of a session that is not known here, and does not answer: it is as it last wrote down. */
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
      // No runner there, or none that can be understood. Who asked decides what that means.
      return false;
    }
  }

  #arrived(id: string, meta: SessionMeta): void {
    const process = this.#runners.process(meta.runner_pid);
    if (process !== undefined) this.#processes.set(id, process);
    const kept_slug = this.#store.record(id)?.kept_slug ?? this.#notes.read(id).slug;
    // The address is the one that was used, whatever the runner believes.
    const socket_path = this.#runners.socketPath(id);
    this.#store.upsert("runner", id, { ...arrivalOf(meta), kept_slug, socket_path });
    this.#listener.onArrival(id, meta);
  }

  #heard(id: string, event: RunnerEvent): void {
    const change = changeOf(event);
    // A runner that is over repeats its end to everyone who comes.
    const isOldNews = event.name === "exit" && this.#store.record(id)?.alive === false;
    if (change !== undefined && !isOldNews) this.#store.upsert("runner", id, change);
    this.#listener.onEvent(id, event);
  }

  #silent(id: string): void {
    const since = this.#since.get(id) ?? 0;
    this.#followed.delete(id);
    // One that hangs up on everyone who comes would keep us busy for nothing; the next look at the sockets is soon enough.
    if (performance.now() - since < HANGS_UP_MS) this.#resting.add(id);
    void this.settle(id).finally(() => this.#resting.delete(id));
  }
}
