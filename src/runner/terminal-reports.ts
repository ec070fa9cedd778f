/** Passes a terminal's reports to its session. */
import { reportOf } from "../protocol/wire-status.ts";
import type { EventHub } from "./event-hub.ts";
import type { PtyExit } from "./pty.ts";
import type { SessionState } from "./session-state.ts";
import type { Size } from "./size-owner.ts";
import type { Terminal, TerminalListener } from "./terminal.ts";

/** The part of a session that its terminals change. */
interface ReportedSession {
  readonly hub: EventHub;
  readonly state: SessionState;
  readonly main: Terminal | undefined;
  activity(): void;
  calm(): void;
  terminalEnded(terminal: Terminal, exit: PtyExit): void;
}

interface TerminalWatcher {
  onOutput(terminal: Terminal): void;
  onCalm(terminal: Terminal): void;
  onResize(terminal: Terminal): void;
}

export class TerminalReports implements TerminalListener {
  private readonly session: ReportedSession;
  private readonly terminal: () => Terminal;
  private readonly listener: TerminalWatcher;

  constructor(session: ReportedSession, terminal: () => Terminal, listener: TerminalWatcher) {
    this.session = session;
    this.terminal = terminal;
    this.listener = listener;
  }

  onOutput(): void {
    this.session.activity();
    this.listener.onOutput(this.terminal());
  }

  onCalm(): void {
    this.session.calm();
    this.listener.onCalm(this.terminal());
  }

  onResize(size: Size): void {
    this.listener.onResize(this.terminal());
    if (this.isMain) this.session.hub.emit("terminal_resize", size);
  }

  onExit(exit: PtyExit): void {
    this.session.terminalEnded(this.terminal(), exit);
  }

  onTitle(title: string): void {
    if (this.isMain) this.session.state.setTitle("shell_title", title);
  }

  onBell(): void {
    this.session.state.markUnread();
  }

  onStatus: TerminalListener["onStatus"] = (status) => {
    this.session.state.said(status === null ? null : { ...reportOf(status), event: "OSC 7777" });
  };

  onAgentState: TerminalListener["onAgentState"] = (state) => {
    this.session.state.said(state === null ? null : { ...state, event: "OSC 7501" });
  };

  onPrompt: TerminalListener["onPrompt"] = (mark) => {
    this.session.state.report("prompt", {
      state: mark.mark === "running" ? "working" : "idle",
      event: "OSC 133",
    });
  };

  onNotification: TerminalListener["onNotification"] = (notification) => {
    this.session.hub.emit("notification", notification);
    this.session.state.markUnread();
  };

  private get isMain(): boolean {
    return this.terminal() === this.session.main;
  }
}
