/** What the machine knows about runners: sockets, answers, stored files. */
import { existsSync, renameSync, rmSync, statSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { removeOrphans } from "../../client/live-sockets.ts";
import { ShimClient } from "../../client/shim-client.ts";
import { codeOf, fileStat, namesIn } from "../../lib/fs/directory.ts";
import { makeDirectory } from "../../lib/fs/make-directory.ts";
import { isRunning, startTimeOf } from "../../lib/process/processes.ts";
import { socketAnswers } from "../../lib/process/socket-probe.ts";
import { SessionMeta } from "../../protocol/runner-api.ts";
import {
  sessionFiles,
  sessionsDirectory,
  socketDirectory,
  type SessionDirectories,
} from "../../protocol/session-files.ts";
import { isSessionId } from "../../protocol/session-id.ts";
import { countsOf } from "../../status/queue/changes.ts";
import { pauseKilled, storedQueue } from "../../status/queue/stored-queue.ts";
import { subscribe, type Subscription, type SubscriptionListener } from "./subscription.ts";
import { readText } from "../../lib/fs/foreign-file.ts";

/** Longer than the page offers to undo it. */
export const RESTORED_WITHIN_MS = 60_000;

export interface StoredMeta {
  meta: SessionMeta;
  /** When it was last written. */
  writtenAt: Date;
}

/** Identifies a process: pids are reused. */
export interface RunnerProcess {
  pid: number;
  startTime: string;
}

export interface Runners {
  /** Sessions with a socket file. */
  sockets(): string[];
  /** Sessions with a lock but no socket: starting, or its socket was removed, or killed at that point. */
  withoutSocket(): string[];
  socketPath(id: string): string;
  answers(id: string): Promise<boolean>;
  process(pid: number): RunnerProcess | undefined;
  isRunning(process: RunnerProcess): boolean;
  subscribe(id: string, listener: SubscriptionListener): Promise<Subscription>;
  /** Changes whenever a session's directory is added or removed. */
  storedVersion(): number;
  storedIds(): string[];
  stored(id: string): StoredMeta | undefined;
  /** The process just vanished: its stored state is valid until now. */
  sawEnd(id: string): void;
  /** Removes sockets and locks whose process is proven dead. */
  removeOrphans(): Promise<unknown>;
  /** Resolves when the session's programs are gone; no error if they were gone already. */
  kill(id: string): Promise<void>;
  /** Removes an ended session's files; they can be restored for a minute. */
  forget(id: string): void;
  /** Puts back the files of a forgotten session; false if there are none any more. */
  restore(id: string): boolean;
}

export class LocalRunners implements Runners {
  readonly #places: SessionDirectories;

  constructor(places: SessionDirectories) {
    this.#places = places;
  }

  sockets(): string[] {
    return this.#named(".sock");
  }

  withoutSocket(): string[] {
    const sockets = new Set(this.sockets());
    return this.#named(".lock").filter((id) => !sockets.has(id));
  }

  socketPath(id: string): string {
    return sessionFiles(this.#places, id).socket;
  }

  answers(id: string): Promise<boolean> {
    return socketAnswers(this.socketPath(id));
  }

  process(pid: number): RunnerProcess | undefined {
    const startTime = startTimeOf(pid);
    return startTime === undefined ? undefined : { pid, startTime };
  }

  isRunning({ pid, startTime }: RunnerProcess): boolean {
    return isRunning(pid, startTime);
  }

  subscribe(id: string, listener: SubscriptionListener): Promise<Subscription> {
    return subscribe(id, this.socketPath(id), listener);
  }

  storedVersion(): number {
    return statSync(sessionsDirectory(this.#places), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  }

  storedIds(): string[] {
    return namesIn(sessionsDirectory(this.#places)).filter(isSessionId);
  }

  /** Undefined if there is nothing readable yet. */
  stored(id: string): StoredMeta | undefined {
    const path = sessionFiles(this.#places, id).meta;
    // Anything but a regular file may be endless.
    if (fileStat(path) === undefined) return undefined;
    try {
      const meta = SessionMeta.safeParse(JSON.parse(readText(path)));
      if (!meta.success || meta.data.id !== id) return undefined;
      return { meta: { ...meta.data, ...this.#queueOf(id) }, writtenAt: statSync(path).mtime };
    } catch {
      return undefined;
    }
  }

  /** The queue's own file: a killed runner may not have counted its last change. */
  #queueOf(id: string): { queued?: number; queue_held?: number } {
    const files = sessionFiles(this.#places, id);
    if (!existsSync(files.queue)) return {};
    try {
      return countsOf(storedQueue(files));
    } catch {
      return {}; // Damaged: the commands for it say so, and the session is shown.
    }
  }

  sawEnd(id: string): void {
    const now = new Date();
    try {
      utimesSync(sessionFiles(this.#places, id).meta, now, now);
    } catch (error) {
      if (codeOf(error) !== "ENOENT") throw error;
    }
  }

  removeOrphans(): Promise<unknown> {
    return removeOrphans(this.#places);
  }

  async kill(id: string): Promise<void> {
    await new ShimClient(this.#places).kill(id);
    pauseKilled(sessionFiles(this.#places, id));
  }

  forget(id: string): void {
    // Another name could lead out of the directory.
    if (!isSessionId(id)) return;
    const { directory } = sessionFiles(this.#places, id);
    // A conversation without a process has no files, or a command removed them.
    if (!existsSync(directory)) return;
    const place = this.#forgotten(id);
    makeDirectory(this.#forgottenDirectory);
    rmSync(place, { recursive: true, force: true });
    try {
      renameSync(directory, place);
      const now = new Date();
      utimesSync(place, now, now);
    } catch (error) {
      // A command removed them just now.
      if (codeOf(error) !== "ENOENT") throw error;
    }
  }

  restore(id: string): boolean {
    if (!isSessionId(id)) return false;
    const { directory } = sessionFiles(this.#places, id);
    // A new process under this id has files of its own.
    if (!existsSync(this.#forgotten(id)) || existsSync(directory)) return false;
    renameSync(this.#forgotten(id), directory);
    return true;
  }

  /** Deletes what was forgotten more than a minute ago, by this daemon or an earlier one. */
  clearForgotten(now: number): void {
    for (const name of namesIn(this.#forgottenDirectory)) {
      const place = join(this.#forgottenDirectory, name);
      const at = statSync(place, { throwIfNoEntry: false })?.mtimeMs ?? 0;
      if (now - at > RESTORED_WITHIN_MS) rmSync(place, { recursive: true, force: true });
    }
  }

  get #forgottenDirectory(): string {
    return join(sessionsDirectory(this.#places), ".dismissed");
  }

  #forgotten(id: string): string {
    return join(this.#forgottenDirectory, id);
  }

  #named(ending: string): string[] {
    return namesIn(socketDirectory(this.#places))
      .filter((name) => name.endsWith(ending))
      .map((name) => name.slice(0, -ending.length))
      .filter(isSessionId);
  }
}
