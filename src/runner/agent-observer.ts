/**
 * Observes an agent besides its reports: its title, the end of its transcript, its process. Only while the session is busy, when
 * a missing hook would leave it so.
 */
import { statSync } from "node:fs";
import { STATUS_HOOKS } from "../agents/status-hooks.gen.ts";
import type { StatusSigns } from "../agents/status-hooks.ts";
import { isUrgent, type Source } from "../core/state.ts";
import { asNumber, asObject, asText } from "../lib/json/fields.ts";
import { optional } from "../lib/values/optional.ts";
import { startTimeOf } from "../lib/process/processes.ts";
import type { StatusReport } from "../protocol/status.ts";
import { lastRecords } from "../lib/json/last-records.ts";

/** Half of the time a status may be wrong. */
const LOOK_EVERY_MS = 1000;

/** An animated title repeats itself ten times a second. */
const TITLE_EVERY_MS = 500;

export interface ObserverListener {
  /** The session's current state. */
  state(): string | undefined;
  /** It has failed without a reported reason. */
  lacksReason(): boolean;
  /** The agent reports through its terminal, which is more precise than its title and faster than its transcript. */
  isSpokenFor(): boolean;
  /** When the session's program started, in milliseconds since the epoch. */
  startedAt(): number;
  report(source: Source, report: Omit<StatusReport, "source"> | null): void;
  /** Its screen shows a question, which the title does not reflect. */
  isAsking(): boolean;
  /** Another agent is now observed. */
  onFollow(): void;
  /** Its observer module is loaded. */
  onKnown(): void;
  /** The agent's process is gone. */
  onGone(pid: number): void;
  onFailure(error: unknown): void;
}

export class AgentObserver {
  /** The observed agent. */
  agent: string | undefined;
  transcript: string | undefined;
  private readonly listener: ObserverListener;
  private hooks: StatusSigns | undefined;
  private title = "";
  private titleTold = { state: "", at: 0 };
  private transcriptVersion = "";
  private process: { pid: number; startTime: string } | undefined;
  private timer: NodeJS.Timeout | undefined;

  constructor(listener: ObserverListener) {
    this.listener = listener;
  }

  /** The program is this agent, as far as is known. */
  follow(agent: string): void {
    if (agent === this.agent || !Object.hasOwn(STATUS_HOOKS, agent)) return;
    this.agent = agent;
    this.listener.onFollow();
    STATUS_HOOKS[agent]!().then(
      (hooks) => {
        if (this.agent !== agent) return;
        this.hooks = hooks;
        this.listener.onKnown();
        this.lookAtTitle();
        if (this.transcript !== undefined) this.sawTranscript(this.transcript);
      },
      (error: unknown) => this.listener.onFailure(error),
    );
  }

  /** The agent has left; its title and transcript no longer apply. */
  forget(): void {
    this.agent = undefined;
    this.hooks = undefined;
    this.transcript = undefined;
    this.process = undefined;
    this.title = "";
    this.close();
  }

  sawTitle(title: string): void {
    this.title = title;
    this.lookAtTitle();
  }

  /** What its screen shows. */
  get signs(): StatusSigns | undefined {
    return this.hooks;
  }

  get dialogsIgnorePastes(): boolean {
    return this.hooks?.dialogsIgnorePastes === true;
  }

  /** A hook reported more than a state: its process, its transcript. */
  heardHook(message: unknown): void {
    const fields = asObject(message) ?? {};
    const agent = asText(fields["agent"]);
    if (agent !== undefined) this.follow(agent);
    this.transcript = asText(fields["transcript"]) ?? this.transcript;
    const pid = asNumber(fields["pid"]);
    if (pid !== undefined && pid !== this.process?.pid) {
      const startTime = startTimeOf(pid);
      this.process = startTime === undefined ? undefined : { pid, startTime };
    }
    if (fields["state"] === "done") this.lookForFailure();
  }

  /** The file watcher reports that the file has grown. */
  sawTranscript(path: string): void {
    this.transcript = path;
    try {
      if (!this.listener.isSpokenFor()) this.lookAtTranscript();
    } catch (error) {
      this.listener.onFailure(error);
    }
  }

  /** Call this when the derived state has changed. */
  judged(): void {
    const state = this.listener.state() ?? "";
    const isRestless = state === "working" || isUrgent(state) || this.listener.lacksReason();
    const hasSights = this.process !== undefined || this.transcript !== undefined;
    if (isRestless && hasSights) this.timer ??= setInterval(() => this.look(), LOOK_EVERY_MS).unref();
    else this.close();
  }

  close(): void {
    clearInterval(this.timer);
    this.timer = undefined;
  }

  private look(): void {
    try {
      this.lookAtProcess();
      if (!this.listener.isSpokenFor() || this.listener.lacksReason()) this.lookAtTranscript();
    } catch (error) {
      this.listener.onFailure(error);
    }
  }

  private lookAtTitle(): void {
    if (this.listener.isSpokenFor() || this.listener.isAsking()) return;
    const told = this.hooks?.titleState?.(this.title);
    if (told === undefined) return;
    const now = performance.now();
    if (told.state === this.titleTold.state && now - this.titleTold.at < TITLE_EVERY_MS) return;
    this.titleTold = { state: told.state, at: now };
    const { could_be, ...report } = told;
    this.listener.report("agent", {
      ...report,
      ...(could_be === undefined ? {} : { could_be: [...could_be] }),
      event: "title",
    });
  }

  private lookAtProcess(): void {
    if (this.process === undefined) return;
    const { pid, startTime } = this.process;
    if (startTimeOf(pid) === startTime) return;
    this.process = undefined;
    this.listener.onGone(pid);
  }

  /** Some report the same end after a failed request; only the transcript has the failure. */
  private lookForFailure(): void {
    const { transcript, hooks } = this;
    if (transcript === undefined || hooks?.endsAlike !== true) return;
    try {
      const told = hooks.transcriptState?.(lastRecords(transcript));
      if (told?.state !== "error" || told.at < this.listener.startedAt()) return;
      const { state, message } = told;
      this.listener.report("transcript", { state, ...optional("message", message), event: "transcript" });
    } catch (error) {
      this.listener.onFailure(error);
    }
  }

  private lookAtTranscript(): void {
    const { transcript, hooks } = this;
    if (transcript === undefined || hooks?.transcriptState === undefined) return;
    const stat = statSync(transcript, { throwIfNoEntry: false });
    const version = `${transcript} ${stat?.size} ${stat?.mtimeMs}`;
    if (version === this.transcriptVersion) return;
    this.transcriptVersion = version;
    const told = hooks.transcriptState(lastRecords(transcript));
    // Records from before this process do not count: a turn cut off by a crash would stay open forever.
    if (told === undefined || told.at < this.listener.startedAt()) return;
    const { could_be, at, ...report } = told;
    this.listener.report("transcript", {
      ...report,
      ...(could_be === undefined ? {} : { could_be: [...could_be] }),
      at: new Date(at).toISOString(),
      event: "transcript",
    });
  }
}
