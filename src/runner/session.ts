/**
 * A session: its terminals, their reports, and its end. It lives until the last terminal's program ends. The first terminal's
 * exit and title are the session's.
 */
import { badSize, isSize } from "../protocol/frames.ts";
import type { LaunchSpec } from "../protocol/launch-spec.ts";
import { endProgram } from "./end-program.ts";
import { EventHub } from "./event-hub.ts";
import { ForegroundWatch } from "./foreground-job.ts";
import { FloodPriority } from "./lower-priority.ts";
import type { PtyExit } from "./pty.ts";
import { SessionState } from "./session-state.ts";
import type { Size } from "./size-owner.ts";
import { Terminal } from "./terminal.ts";
import { TerminalReports } from "./terminal-reports.ts";

/** Lists show a blip; more often is invisible. */
const ACTIVITY_EVERY_MS = 2000;

/** Output of a viewer that reconnects or leaves is not news. */
const ACTIVITY_AFTER_LEAVING_MS = 500;

/** After a key press somebody waits for its effect. */
const TYPING_FOR_MS = 2000;

/** More than anyone opens in one session, fewer than a broken client could. */
const MAX_TERMINALS = 64;

export interface SessionListener {
  onCreated(terminal: Terminal, requestId?: string): void;
  onTerminalExit(terminal: Terminal, exit: PtyExit): void;
  /** Something stored on disk has changed. */
  onChange(): void;
  /** There was output, and every viewer has it. */
  onOutput(terminal: Terminal): void;
  onCalm(terminal: Terminal): void;
  onResize(terminal: Terminal): void;
  /** A viewer came. */
  onViewer(): void;
  /** The session is to end. */
  onKill(): void;
  onEnd(): void;
}

export interface NewTerminal extends Size {
  command: readonly string[];
  cwd: string;
}

export class Session {
  readonly spec: LaunchSpec;
  readonly hub: EventHub;
  readonly state: SessionState;
  readonly terminals = new Map<string, Terminal>();
  private readonly env: Readonly<Record<string, string>>;
  private readonly listener: SessionListener;
  private created = 0;
  private activityAt = 0;
  private viewerLeftAt = 0;
  private readonly precedence = new FloodPriority();
  private readonly foreground: ForegroundWatch | undefined;
  private killing: Promise<void> | undefined;
  private over = false;

  constructor(
    spec: LaunchSpec,
    env: Readonly<Record<string, string>>,
    listener: SessionListener,
    onFailure: (error: unknown) => void,
  ) {
    this.spec = spec;
    this.env = env;
    this.listener = listener;
    this.hub = new EventHub(onFailure);
    this.state = new SessionState(
      spec,
      this.hub,
      () => this.viewerCount > 0,
      () => this.main,
      onFailure,
    );
    this.hub.subscribe(() => listener.onChange());
    if (this.state.isAgents) return;
    this.foreground = new ForegroundWatch(
      () => this.main,
      (job) => this.state.jobChanged(job),
      onFailure,
    );
  }

  get main(): Terminal | undefined {
    return this.terminals.values().next().value;
  }

  get alive(): boolean {
    return !this.over;
  }

  get viewerCount(): number {
    return [...this.terminals.values()].reduce((sum, terminal) => sum + terminal.viewerCount, 0);
  }

  create({ command, cwd, cols, rows }: NewTerminal, requestId?: string): Terminal {
    if (this.over) throw new Error("The session has ended.");
    if (!isSize({ cols, rows })) throw new Error(badSize({ cols, rows }));
    if (this.terminals.size >= MAX_TERMINALS) throw new Error("The session has too many terminals.");
    const id = `pty-${++this.created}`;
    const options = { id, command, cwd, cols, rows, env: this.env, historyLines: this.spec.history_lines };
    const listener = new TerminalReports(this, () => terminal, this.listener);
    const terminal = new Terminal(options, listener);
    this.terminals.set(id, terminal);
    this.listener.onCreated(terminal, requestId);
    return terminal;
  }

  get killed(): boolean {
    return this.killing !== undefined;
  }

  /** Ends all programs; resolves when they are gone. */
  kill(): Promise<void> {
    this.listener.onKill();
    this.killing ??= this.killAll();
    return this.killing;
  }

  private async killAll(): Promise<void> {
    await Promise.all([...this.terminals.values()].map((terminal) => endProgram(terminal)));
  }

  /** Viewing a session marks it as read. */
  viewerCame(): void {
    this.state.markRead();
    this.state.showDialogs();
    this.listener.onViewer();
  }

  viewerLeft(): void {
    this.viewerLeftAt = Date.now();
  }

  activity(): void {
    const now = Date.now();
    this.foreground?.stirred();
    this.state.lastActivityAt = now;
    this.state.stirred();
    this.precedence.stirred(now, this.written, this.isAttended);
    if (now - this.activityAt < ACTIVITY_EVERY_MS) return;
    this.activityAt = now;
    if (this.viewerCount === 0 && now - this.viewerLeftAt >= ACTIVITY_AFTER_LEAVING_MS) this.hub.emit("activity", null);
  }

  /** A terminal went quiet. */
  calm(): void {
    this.precedence.calm();
    this.state.calm();
  }

  private readonly written = (): number => {
    let bytes = 0;
    for (const { ring } of this.terminals.values()) bytes += ring.end;
    return bytes;
  };

  /** Somebody watches, types, or has typed something that has not arrived yet. */
  private readonly isAttended = (): boolean => {
    const since = Date.now() - TYPING_FOR_MS;
    return [...this.terminals.values()].some(
      ({ lastInputAt, pty, isLookedAt }) => isLookedAt || (lastInputAt ?? 0) > since || pty.input.pendingBytes > 0,
    );
  };

  terminalEnded(terminal: Terminal, exit: PtyExit): void {
    if (terminal === this.main) {
      this.state.exit = exit;
      if (this.killed) this.state.killed = true;
    }
    this.listener.onTerminalExit(terminal, exit);
    if ([...this.terminals.values()].some((other) => other.exit === undefined)) {
      // The main terminal's last screen is kept for later viewers; other terminals leave nothing.
      if (terminal !== this.main) this.terminals.delete(terminal.id);
      return;
    }
    this.over = true;
    this.foreground?.close();
    this.state.ended(this.state.exit ?? exit);
    this.listener.onEnd();
  }
}
