/**
 * What can be seen of an agent besides what it says: its title, the end of its transcript, whether its process lives.
 * Looked at only while the session is restless, when a hook that never came would leave it so.
 */
import { statSync } from "node:fs";
import { STATUS_HOOKS } from "../agents/status-hooks.gen.ts";
import type { StatusHooks } from "../agents/status-hooks.ts";
import { isUrgent, type Source } from "../core/state.ts";
import { asNumber, asObject, asText } from "../lib/json/fields.ts";
import { startTimeOf } from "../lib/process/processes.ts";
import type { StatusReport } from "../protocol/status.ts";
import { lastRecords } from "../status/transcript-tail.ts";

/** Half of how long a status may be wrong. */
const LOOK_EVERY_MS = 1000;

/** An animated title says the same ten times a second. */
const TITLE_EVERY_MS = 500;

export interface SightsListener {
  /** What the session is taken to be doing. */
  state(): string | undefined;
  /** It has failed, and nobody has told why. */
  lacksReason(): boolean;
  /** The agent speaks through its terminal, which is finer than its title and sooner than its transcript. */
  isSpokenFor(): boolean;
  /** When the session's program was started, in milliseconds since the epoch. */
  startedAt(): number;
  report(source: Source, report: Omit<StatusReport, "source"> | null): void;
  /** Something is asked on its screen: its title is not about that. */
  isAsking(): boolean;
  /** Another agent is followed. */
  onFollow(): void;
  /** What is known of it is there. */
  onKnown(): void;
  /** The agent's process is gone. */
  onGone(pid: number): void;
  onFailure(error: unknown): void;
}

export class AgentSights {
  /** Who is followed. */
  agent: string | undefined;
  private readonly listener: SightsListener;
  private hooks: StatusHooks | undefined;
  private title = "";
  private titleTold = { state: "", at: 0 };
  private transcript: string | undefined;
  private transcriptVersion = "";
  private process: { pid: number; startTime: string } | undefined;
  private timer: NodeJS.Timeout | undefined;

  constructor(listener: SightsListener) {
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

  /** It has left; what it showed and wrote is no longer about anybody. */
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

  /** What it shows when somebody has to sign in. */
  signIn(screen: readonly string[]): string | undefined {
    return this.hooks?.signIn?.(screen);
  }

  /** A hook has told more than a state: who calls it, where it writes. */
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
  }

  /** The file has grown, says who watches it. */
  sawTranscript(path: string): void {
    this.transcript = path;
    try {
      if (!this.listener.isSpokenFor()) this.lookAtTranscript();
    } catch (error) {
      this.listener.onFailure(error);
    }
  }

  /** To be called when the verdict has changed. */
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

  private lookAtTranscript(): void {
    const { transcript, hooks } = this;
    if (transcript === undefined || hooks?.transcriptState === undefined) return;
    const stat = statSync(transcript, { throwIfNoEntry: false });
    const version = `${transcript} ${stat?.size} ${stat?.mtimeMs}`;
    if (version === this.transcriptVersion) return;
    this.transcriptVersion = version;
    const told = hooks.transcriptState(lastRecords(transcript));
    // What was written before this process says nothing about it: a turn that a crash cut off goes on for ever.
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
