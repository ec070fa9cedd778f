/**
 * A simulated machine: runners that start, exit and die in any order, and conversations in an agent's store. It knows the truth
 * that a daemon must find.
 */
import type { SpawnRequest } from "../../../src/client/shim-client.ts";
import type { FilesUpdate, FoundConversation } from "../../../src/daemon/files/found-conversation.ts";
import type { NotesStore, SessionNotes } from "../../../src/daemon/files/session-notes.ts";
import type { RunnerProcess, Runners, StoredMeta } from "../../../src/daemon/live/runners.ts";
import type { Subscription, SubscriptionListener } from "../../../src/daemon/live/subscription.ts";
import type { RunnerEvent, SessionMeta } from "../../../src/protocol/runner-api.ts";

export interface SimulatedRunner {
  meta: SessionMeta;
  listeners: Set<SubscriptionListener>;
}

const BEGINNING = Date.parse("2026-03-14T10:00:00Z");

export class SimulatedMachine implements Runners {
  readonly running = new Map<string, SimulatedRunner>();
  readonly disk = new Map<string, StoredMeta>();
  readonly leftSockets = new Set<string>();
  readonly noted = new Map<string, SessionNotes>();
  readonly conversations = new Map<string, FoundConversation>();
  #clock = 0;
  #pids = 100;
  #version = 0;

  /** Every event has its own time. */
  now(): Date {
    return new Date(BEGINNING + ++this.#clock * 10_000);
  }

  start(request: Omit<SpawnRequest, "command"> & { id: string; command: string[] }): void {
    const { id, command, cwd, kind = "shell", resume_key, adapter_title } = request;
    if (this.running.has(id)) throw new Error(`${id} was started twice.`);
    const meta: SessionMeta = {
      id,
      created_at: request.created_at ?? this.now().toISOString(),
      command,
      cwd,
      kind,
      alive: true,
      pid: ++this.#pids,
      exit_code: null,
      started_at: this.now().toISOString(),
      title: "",
      status: null,
      unread: false,
      unread_token: 0,
      socket_path: this.socketPath(id),
      terminal_cols: 80,
      terminal_rows: 24,
      runner_version: "1",
      runner_pid: ++this.#pids,
      incarnation: `i${this.#pids}`,
      reports: [],
      ptys: [],
      ...(resume_key === undefined ? {} : { resume_key }),
      ...(adapter_title === undefined ? {} : { adapter_title }),
    };
    this.leftSockets.delete(id);
    this.running.set(id, { meta, listeners: new Set() });
    this.#write(meta);
  }

  say(id: string, event: RunnerEvent): void {
    const runner = this.running.get(id)!;
    if (event.name === "status") runner.meta.status = event.data;
    if (event.name === "meta") Object.assign(runner.meta, event.data);
    if (event.name === "report") runner.meta.reports = [event.data];
    this.#write(runner.meta);
    for (const listener of runner.listeners) listener.onEvent(event);
  }

  exit(id: string, exitCode: number): void {
    const { meta } = this.running.get(id)!;
    meta.alive = false;
    meta.exit_code = exitCode;
    meta.exited_at = this.now().toISOString();
    meta.status = exitCode === 0 ? null : { label: `exited (${exitCode})`, working: false };
    this.say(id, { name: "status", data: meta.status });
    this.say(id, { name: "exit", data: { exit_code: exitCode } });
    this.#gone(id);
  }

  /** kill -9: no message, no further write, and the socket stays. */
  crash(id: string): void {
    this.leftSockets.add(id);
    this.#gone(id);
  }

  #gone(id: string): void {
    const { listeners } = this.running.get(id)!;
    this.running.delete(id);
    for (const listener of listeners) listener.onEnd();
  }

  #write(meta: SessionMeta): void {
    if (!this.disk.has(meta.id)) this.#version++;
    this.disk.set(meta.id, { meta: structuredClone(meta), writtenAt: this.now() });
  }

  // What agents write.

  talk(
    found: Omit<FoundConversation, "agent" | "path" | "hidden" | "resumeCommand" | "createdMs" | "updatedMs">,
  ): FilesUpdate {
    const at = this.now().getTime();
    const { sessionId } = found;
    const conversation: FoundConversation = {
      ...found,
      agent: "pi",
      path: `/store/${sessionId}.jsonl`,
      createdMs: this.conversations.get(sessionId)?.createdMs ?? at,
      updatedMs: at,
      resumeCommand: ["pi", "--session", sessionId],
      hidden: false,
    };
    this.conversations.set(sessionId, conversation);
    return { agent: "pi", changed: [conversation], removed: [], first: false };
  }

  allNews(): FilesUpdate {
    return { agent: "pi", changed: [...this.conversations.values()], removed: [], first: true };
  }

  notes(): NotesStore {
    return {
      read: (id) => ({ ...this.noted.get(id) }),
      write: (id, notes) => {
        if (this.disk.has(id)) this.noted.set(id, { ...this.noted.get(id), ...notes });
      },
    };
  }

  // What a daemon sees.

  /** Runners die with their locks. */
  withoutSocket(): string[] {
    return [];
  }

  sockets(): string[] {
    return [...this.running.keys(), ...this.leftSockets];
  }

  socketPath(id: string): string {
    return `/sockets/${id}.sock`;
  }

  async answers(id: string): Promise<boolean> {
    return this.running.has(id);
  }

  process(pid: number): RunnerProcess | undefined {
    return { pid, startTime: "1" };
  }

  isRunning({ pid }: RunnerProcess): boolean {
    return [...this.running.values()].some(({ meta }) => meta.runner_pid === pid);
  }

  async subscribe(id: string, listener: SubscriptionListener): Promise<Subscription> {
    const runner = this.running.get(id);
    if (runner === undefined) throw new Error("refused");
    runner.listeners.add(listener);
    const before = structuredClone(runner.meta);
    await Promise.resolve();
    if (this.running.get(id) !== runner) throw new Error("hung up");
    listener.onMeta(before);
    // Earlier changes reached the listener already; the last state counts.
    listener.onEvent({ name: "status", data: runner.meta.status });
    return { close: () => runner.listeners.delete(listener) };
  }

  storedVersion(): number {
    return this.#version;
  }

  storedIds(): string[] {
    return [...this.disk.keys()];
  }

  sawEnd(id: string): void {
    const stored = this.disk.get(id);
    if (stored !== undefined) stored.writtenAt = this.now();
  }

  stored(id: string): StoredMeta | undefined {
    return structuredClone(this.disk.get(id));
  }

  async removeOrphans(): Promise<void> {
    this.leftSockets.clear();
  }

  async kill(id: string): Promise<void> {
    if (this.running.has(id)) this.exit(id, 129);
  }

  forget(id: string): void {
    if (this.disk.delete(id)) this.#version++;
    this.noted.delete(id);
  }

  /** Nobody asks for it here. */
  restore(): boolean {
    return false;
  }
}
