/**
 * A pane shows one terminal of a session over its own connection: a snapshot, then the output. Closing it never ends
 * the program. A lost connection is retried; the end of the session is shown.
 */
import type { CloseReason, ShimConnection, ShimEvent } from "../../client/shim-connection.ts";
import { AgentMuxError } from "../../core/errors.ts";
import { MAX_COLS, MAX_ROWS, MIN_COLS, MIN_ROWS, type TerminalState } from "../../protocol/frames.ts";
import { OutputQueue } from "./output-queue.ts";
import { PaneScreen, type PaneUpdate } from "./pane-screen.ts";
import type { ParseBudget } from "./parse-budget.ts";

export interface PaneRef {
  sessionId: string;
  ptyId: string;
}

export interface PaneOptions extends PaneRef {
  /** Connects to the session's process. */
  connect(): Promise<ShimConnection>;
  budget: ParseBudget;
  /** View only until `use`: it does not affect the size and sends no input. */
  watchOnly: boolean;
}

export interface PaneListener extends PaneUpdate {
  /** There is something to draw; `isEcho`: the first output after input, which is drawn immediately. */
  onChange(isEcho: boolean): void;
  /** The program or its session has ended. */
  onEnd(end: PaneEnd): void;
}

export type PaneEnd = { how: "exited"; exitCode: number } | { how: "closed"; reason: CloseReason };

export interface HistoryAnswer {
  /** The screen at the same moment. */
  state: TerminalState;
  /** Oldest first. */
  lines: string[];
}

/** The snapshot interval in a flood: short enough to look live, long enough to leave the processor to the program. */
const FLOOD_EVERY_MS = 66;

const ASK_AGAIN_MS = 1000;

/** A snapshot takes milliseconds; after this time a message is shown. */
export const LATE_AFTER_MS = 300;

/** Debounces resizes into one snapshot. */
const REFRESH_AFTER_MS = 30;

/** Retries: a busy runner is found again, an exited one is not. */
const RECONNECT_AFTER_MS = 200;
const RECONNECT_TRIES = 5;

export class Pane {
  readonly ref: PaneRef;
  readonly screen: PaneScreen;
  private readonly options: PaneOptions;
  private readonly listener: PaneListener;
  private connection: ShimConnection | undefined;
  private size: { cols: number; rows: number };
  private readonly output: OutputQueue;
  /** Output is dropped until the new snapshot arrives. */
  private skipping = false;
  private awaitsEcho = false;
  private floodTimer: NodeJS.Timeout | undefined;
  private refreshTimer: NodeJS.Timeout | undefined;
  private historyTimer: NodeJS.Timeout | undefined;
  private frameTimer: NodeJS.Timeout | undefined;
  private readonly lateTimer: NodeJS.Timeout;
  private watchOnly: boolean;
  private focused = false;
  private painted = false;
  private late = false;
  private closed = false;
  private ended: PaneEnd | undefined;
  private early: string[] = [];
  private lastState: TerminalState | undefined;
  private asked:
    | { wanted: number; lines: string[][]; state: TerminalState | undefined; resolve: (answer: HistoryAnswer) => void }
    | undefined;

  constructor(options: PaneOptions, size: { cols: number; rows: number }, listener: PaneListener) {
    this.options = options;
    this.ref = { sessionId: options.sessionId, ptyId: options.ptyId };
    this.listener = listener;
    this.watchOnly = options.watchOnly;
    this.size = legal(size);
    this.screen = new PaneScreen(this.size.cols, this.size.rows, listener);
    this.output = new OutputQueue({
      budget: options.budget,
      feed: (slice) => this.screen.feed(slice),
      onParsed: () => this.announce(),
    });
    this.lateTimer = setTimeout(() => this.beLate(), LATE_AFTER_MS);
    void this.connect(RECONNECT_TRIES);
  }

  /** The first snapshot has arrived. */
  get ready(): boolean {
    return this.painted;
  }

  /** Nothing was shown for so long that a message is needed. */
  get isLate(): boolean {
    return this.late && !this.painted && this.ended === undefined;
  }

  get end(): PaneEnd | undefined {
    return this.ended;
  }

  /** Input is buffered until the pane is connected. */
  write(data: string): void {
    if (data === "" || this.closed || this.ended !== undefined) return;
    this.awaitsEcho = true;
    if (this.connection === undefined) this.early.push(data);
    else this.connection.input(this.ref.ptyId, Buffer.from(data));
  }

  /** Switches between use and view only. */
  use(on: boolean): void {
    if (!on) this.focus(false);
    this.watchOnly = !on;
    if (!on) return;
    this.tellSize();
    this.focus(true);
  }

  /** Whether the pane is visible: only then its size counts. */
  focus(on: boolean): void {
    if (this.focused === on) return;
    this.focused = on;
    if (on) this.send("focus");
    if (this.screen.wantsFocus && !this.watchOnly) this.write(on ? "\x1b[I" : "\x1b[O");
  }

  resize(size: { cols: number; rows: number }): void {
    const wanted = legal(size);
    if (wanted.cols === this.size.cols && wanted.rows === this.size.rows) return;
    this.size = wanted;
    this.tellSize();
  }

  /** The newest lines of the scrollback, with the screen of the same moment. */
  history(lines: number): Promise<HistoryAnswer> {
    return new Promise((resolve) => {
      this.asked = { wanted: lines, lines: [], state: undefined, resolve };
      this.askHistory();
    });
  }

  /** A busy runner may ignore the request, and the pane may still be connecting, so it is repeated until answered. */
  private askHistory(): void {
    clearTimeout(this.historyTimer);
    if (this.asked === undefined || this.closed) return;
    if (this.asked.lines.length === 0)
      this.connection?.send({ _tag: "history", ptyId: this.ref.ptyId, lines: this.asked.wanted });
    this.historyTimer = setTimeout(() => this.askHistory(), ASK_AGAIN_MS);
  }

  close(): void {
    if (this.closed) return;
    this.closed = true;
    this.output.clear();
    clearTimeout(this.lateTimer);
    clearTimeout(this.frameTimer);
    clearTimeout(this.floodTimer);
    clearTimeout(this.refreshTimer);
    clearTimeout(this.historyTimer);
    this.connection?.close();
    this.connection = undefined;
    this.screen.dispose();
  }

  private async connect(tries: number): Promise<void> {
    try {
      const connection = await this.options.connect();
      if (this.closed) return connection.close();
      this.connection = connection;
      connection.subscribe((event) => this.hear(event));
      // Before attaching, so that the first snapshot has this size.
      this.tellSize();
      this.attach();
      this.askHistory();
      for (const data of this.early.splice(0)) this.write(data);
    } catch (error) {
      if (!(error instanceof AgentMuxError)) throw error;
      if (this.closed) return;
      if (tries <= 1) return this.finish({ how: "closed", reason: "lost" });
      setTimeout(() => this.closed || void this.connect(tries - 1), RECONNECT_AFTER_MS).unref();
    }
  }

  /** Starts again with a snapshot. The size is sent after it, because only an attached viewer has one. */
  private attach(): void {
    this.send("attach");
    this.tellSize();
    if (this.focused) this.send("focus");
  }

  private hear(event: ShimEvent): void {
    if (this.closed) return;
    if (event._tag === "closed") return this.lost(event.reason);
    if (!("ptyId" in event) || event.ptyId !== this.ref.ptyId) return;
    switch (event._tag) {
      case "snapshot":
        return this.restore(event.state);
      case "output":
        return this.take(event.data);
      case "resized":
        this.output.parseAll();
        this.screen.resize(event.cols, event.rows);
        this.refreshSoon();
        return this.changed();
      case "history":
        return this.takeHistory(event.lines, event.remaining);
      case "exit":
        this.output.parseAll();
        return this.finish({ how: "exited", exitCode: event.exitCode });
      default:
        return undefined;
    }
  }

  /** Growing a screen restores lines from the scrollback, which only the session's process has. */
  private refreshSoon(): void {
    clearTimeout(this.refreshTimer);
    this.refreshTimer = setTimeout(() => this.skipping || this.send("attach"), REFRESH_AFTER_MS);
  }

  private restore(state: TerminalState): void {
    this.output.clear();
    this.skipping = false;
    this.screen.restore(state);
    this.lastState = state;
    // The runner begins its answer again: what came before belongs to another moment.
    if (this.asked !== undefined) this.asked = { ...this.asked, state, lines: [] };
    this.painted = true;
    this.listener.onTitle(state.title);
    this.changed();
  }

  private take(data: Buffer): void {
    if (!this.skipping && !this.output.add(data)) this.skip();
  }

  private skip(): void {
    this.skipping = true;
    this.connection?.hold(true);
    this.floodTimer = setTimeout(() => {
      this.output.floodSeen();
      this.connection?.hold(false);
      this.attach();
    }, FLOOD_EVERY_MS);
  }

  /** Waits for the program to complete its frame. */
  private announce(): void {
    const wait = this.screen.frameEndsInMs;
    if (wait === 0) this.changed();
    else this.frameTimer ??= setTimeout(() => this.frameOver(), wait);
  }

  private changed(): void {
    const isEcho = this.awaitsEcho;
    this.awaitsEcho = false;
    this.listener.onChange(isEcho);
  }

  private beLate(): void {
    this.late = true;
    if (this.isLate) this.listener.onChange(false);
  }

  private frameOver(): void {
    this.frameTimer = undefined;
    this.changed();
  }

  private takeHistory(lines: string[], remaining: number): void {
    const { asked } = this;
    if (asked === undefined) return;
    asked.lines.push(lines);
    const state = asked.state ?? this.lastState;
    if (remaining > 0 || state === undefined) return;
    this.asked = undefined;
    clearTimeout(this.historyTimer);
    asked.resolve({ state, lines: asked.lines.reverse().flat() });
  }

  private lost(reason: CloseReason): void {
    this.connection = undefined;
    this.skipping = false;
    clearTimeout(this.floodTimer);
    if (this.ended !== undefined) return;
    if (reason === "lost") void this.connect(RECONNECT_TRIES);
    else this.finish({ how: "closed", reason });
  }

  private finish(end: PaneEnd): void {
    if (this.ended !== undefined || this.closed) return;
    this.ended = end;
    this.listener.onEnd(end);
    this.changed();
  }

  private tellSize(): void {
    if (!this.watchOnly) this.connection?.send({ _tag: "resize", ptyId: this.ref.ptyId, ...this.size });
  }

  private send(tag: "attach" | "focus"): void {
    if (tag === "focus" && this.watchOnly) return;
    this.connection?.send({ _tag: tag, ptyId: this.ref.ptyId });
  }
}

function legal({ cols, rows }: { cols: number; rows: number }): { cols: number; rows: number } {
  return {
    cols: Math.min(MAX_COLS, Math.max(MIN_COLS, cols)),
    rows: Math.min(MAX_ROWS, Math.max(MIN_ROWS, rows)),
  };
}
