/**
 * One terminal: the PTY, its recent output, the emulator and the viewers. Output is recorded first, sent second and parsed last:
 * a kill -9 loses nothing anybody saw, and no echo waits for the emulator.
 */
import { ByteRing } from "./byte-ring.ts";
import { Draft } from "./draft.ts";
import { cursorKeys } from "../screen/cursor-keys.ts";
import type { ColoredRow } from "../screen/cells.ts";
import { KEPT_ROWS } from "../screen/history.ts";
import type { HistoryPiece } from "../screen/history-piece.ts";
import type { OutputRecording } from "./output-recording.ts";
import { Pty, type PtyExit, type PtyOptions } from "./pty.ts";
import { Screen, type Picture, type Replay, type ScreenListener } from "../screen/screen.ts";
import { SizeOwner, type Size } from "./size-owner.ts";
import { Viewer, type ViewerSink } from "./viewer.ts";

/** DEC mode of application cursor keys. */
const APPLICATION_CURSOR_KEYS = 1;

/** Bytes held for viewers that lag or return; more than can wait for the emulator. */
const RING_BYTES = 256 * 1024;

/** The program is paused when this much waits for the emulator (6 ms of work) or a viewer, and resumed at the lower mark. */
const PAUSE_ABOVE_BYTES = 128 * 1024;
const RESUME_BELOW_BYTES = 32 * 1024;

/** Parsed per turn of the event loop: under 2 ms, so that input is never far behind. */
const PARSE_BYTES = 32 * 1024;

/** A terminal without output for this long is calm: time to tidy up. */
const CALM_AFTER_MS = 1000;

/** A program that sends queries and never reads the answers gets no more of them. */
const MAX_WAITING_REPLIES_BYTES = 65_536;

/** Sent by terminals that lose the focus: not typing. */
const FOCUS_OUT = "\x1b[O";

export interface TerminalListener extends Omit<ScreenListener, "onReply"> {
  /** There was output. Called once per turn of the event loop, after delivery. */
  onOutput(): void;
  onResize(size: Size): void;
  onExit(exit: PtyExit): void;
  /** Output has paused for a while. */
  onCalm(): void;
}

/** Where output is recorded before anybody sees it. */
export interface TerminalRecord {
  /** Records what the ring has and the record does not; if that is only this chunk, it is passed. */
  keep(latest?: Buffer): void;
}

export interface TerminalOptions extends PtyOptions {
  id: string;
  historyLines: number;
}

export interface AttachWish {
  /** Continue after these bytes, if they are still held. */
  since?: number | undefined;
  /** The program waits while this viewer is behind. */
  whole?: boolean | undefined;
}

export class Terminal {
  readonly id: string;
  readonly command: readonly string[];
  readonly cwd: string;
  readonly pty: Pty;
  /** Resolves after every viewer knows of the exit. */
  readonly exited: Promise<void>;
  readonly ring = new ByteRing(RING_BYTES);
  record: TerminalRecord | undefined;
  /** Output with its times, if the user asked for it. */
  recording: Pick<OutputRecording, "output"> | undefined;
  readonly draft = new Draft();
  /** Time of the last input from anywhere, and of the last that somebody typed into an attached terminal. */
  lastInputAt: number | undefined;
  lastTypedAt: number | undefined;
  private readonly screen: Screen;
  private readonly listener: TerminalListener;
  private readonly viewers = new Set<Viewer>();
  private readonly sizeOwner = new SizeOwner<Viewer>();
  private parsed = 0;
  private parsing = false;
  /** There is output that is not recorded yet. */
  private isFresh = false;
  private paused = false;
  /** A viewer that needs the whole output is about to attach. */
  private isAwaited = false;
  private lastOutputAt = 0;
  private calmTimer: NodeJS.Timeout | undefined;
  private exitState: PtyExit | undefined;
  private resolveExited: () => void = () => undefined;

  constructor(options: TerminalOptions, listener: TerminalListener) {
    this.id = options.id;
    this.command = options.command;
    this.cwd = options.cwd;
    this.listener = listener;
    this.exited = new Promise((resolve) => (this.resolveExited = resolve));
    const onReply = (text: string): void => this.reply(text);
    const reports = { ...bound(listener), onReply };
    this.screen = new Screen(options.cols, options.rows, options.historyLines, reports);
    this.pty = new Pty(options, { onData: (data) => this.take(data), onExit: (exit) => this.finish(exit) });
  }

  get cols(): number {
    return this.screen.cols;
  }

  get rows(): number {
    return this.screen.rows;
  }

  get title(): string {
    return this.screen.title;
  }

  get isFullScreen(): boolean {
    return this.screen.isAlternate;
  }

  get exit(): PtyExit | undefined {
    return this.exitState;
  }

  get viewerCount(): number {
    return this.viewers.size;
  }

  /** Output has paused for a while. */
  get isCalm(): boolean {
    return this.calmTimer === undefined && !this.parsing;
  }

  /** Holds the output for a viewer that needs all of it. One that has not attached in this time never will. */
  awaitViewer(withinMs: number): void {
    this.isAwaited = true;
    setTimeout(() => this.stopAwaiting(), withinMs).unref();
  }

  private stopAwaiting(): void {
    this.isAwaited = false;
    this.taken();
  }

  attach(sink: ViewerSink, { since, whole = false }: AttachWish = {}): Viewer {
    const viewer = new Viewer(this, sink, whole);
    this.viewers.add(viewer);
    viewer.start(since);
    if (whole) this.stopAwaiting();
    if (this.exitState !== undefined) viewer.exited(this.exitState);
    return viewer;
  }

  detach(viewer: Viewer): void {
    viewer.close();
    this.viewers.delete(viewer);
    this.taken();
    this.yieldSize(viewer);
  }

  /** A viewer that reconnects keeps its rank in the size order. */
  replace(viewer: Viewer, next: Viewer): void {
    this.sizeOwner.replace(viewer, next);
    this.detach(viewer);
  }

  /** Its window is ignored until it reports its size again. */
  yieldSize(viewer: Viewer): void {
    const size = this.sizeOwner.leave(viewer);
    if (size !== undefined && this.exitState === undefined) this.resize(size);
  }

  /** Types into the program. A typing viewer owns the size from then on. */
  write(data: Buffer, viewer?: Viewer): void {
    this.lastInputAt = Date.now();
    if (viewer !== undefined && !isFocusOut(data)) {
      this.focus(viewer);
      this.lastTypedAt = this.lastInputAt;
    }
    this.pty.input.write(data);
    this.draft.typed(data, this.lastInputAt);
  }

  /** A visible viewer is attached. */
  get isLookedAt(): boolean {
    return this.sizeOwner.isOwned;
  }

  focus(viewer: Viewer): void {
    const size = this.sizeOwner.claim(viewer);
    if (size !== undefined) this.resize(size);
  }

  propose(viewer: Viewer, size: Size): void {
    const wanted = this.sizeOwner.propose(viewer, size);
    if (wanted !== undefined) this.resize(wanted);
  }

  /** An equal size does not wake the program. */
  resize({ cols, rows }: Size): void {
    if (cols === this.cols && rows === this.rows) return;
    this.parseAll();
    this.screen.resize(cols, rows);
    this.pty.resize(cols, rows);
    for (const viewer of this.viewers) viewer.resized({ cols, rows });
    this.listener.onResize({ cols, rows });
  }

  /** Before anybody sees it. */
  keep(latest?: Buffer): void {
    if (!this.isFresh) return;
    this.isFresh = false;
    this.record?.keep(latest);
  }

  /** The current screen, and the offset where output continues after it. */
  picture(): { picture: Picture; seq: number } {
    this.parseAll();
    return { picture: this.screen.picture(), seq: this.parsed - this.screen.unapplied };
  }

  /** Output that rebuilds the screen and the lines above it, and the offset where output continues. */
  replay(lines: number): Replay & { seq: number } {
    this.parseAll();
    return { ...this.screen.replay(lines), seq: this.parsed - this.screen.unapplied };
  }

  /** Prepares a request for this many lines, a little work at a time; await it first. */
  async pack(lines = Number.POSITIVE_INFINITY): Promise<void> {
    if (lines <= KEPT_ROWS) return;
    for (const _ of this.screen.packing()) await new Promise((resolve) => setImmediate(resolve));
  }

  /** The newest lines above the current screen; call it in the same turn as `picture`. */
  historyPieces(lines: number): HistoryPiece[] {
    return this.screen.historyPieces(lines);
  }

  /** The last lines as plain text, and the offset where output continues. */
  text(lines: number): { lines: string[]; seq: number } {
    this.parseAll();
    return { lines: this.screen.text(lines), seq: this.parsed - this.screen.unapplied };
  }

  /** The visible rows, with their colours. */
  shownRows(): ColoredRow[] {
    this.parseAll();
    return this.screen.shownRows();
  }

  /** Keys in the encoding the program requested. */
  asKeys(keys: Buffer): Buffer {
    return Buffer.from(cursorKeys(keys.toString("latin1"), this.isOn(APPLICATION_CURSOR_KEYS)), "latin1");
  }

  /** Whether the program has set a numbered DEC mode. */
  isOn(mode: number): boolean {
    this.parseAll();
    return this.screen.isOn(mode);
  }

  /** The visible screen as plain text. */
  shownText(): string[] {
    this.parseAll();
    return this.screen.shownText();
  }

  dispose(): void {
    clearTimeout(this.calmTimer);
    for (const viewer of this.viewers) this.detach(viewer);
    this.screen.dispose();
  }

  private take(data: Buffer): void {
    this.ring.append(data);
    this.recording?.output(data);
    this.isFresh = true;
    if (!this.parsing) {
      this.tell(data);
      // In a flood, the chunks of a turn are announced together.
      this.parsing = true;
      setImmediate(this.parseNext);
    }
    if (!this.paused && this.waitingBytes > PAUSE_ABOVE_BYTES) {
      this.paused = true;
      this.pty.pause();
    }
  }

  /** If this chunk is everything new, it is passed. */
  private tell(latest?: Buffer): void {
    this.keep(latest);
    for (const viewer of this.viewers) viewer.notify(latest);
  }

  /** Once per turn of the event loop, however many chunks arrived. */
  private readonly parseNext = (): void => {
    if (this.exitState !== undefined) return;
    this.tell();
    this.listener.onOutput();
    this.watchForCalm();
    this.parseSome();
    this.parsing = this.parsed < this.ring.end;
    if (this.parsing) setImmediate(this.parseNext);
    this.taken();
  };

  /** Output that the emulator, or a viewer that needs all of it, does not have yet. */
  private get waitingBytes(): number {
    let needed = this.isAwaited ? 0 : this.parsed;
    for (const viewer of this.viewers) needed = Math.min(needed, viewer.needed);
    return this.ring.end - needed;
  }

  taken(): void {
    if (!this.paused || this.waitingBytes >= RESUME_BELOW_BYTES) return;
    this.paused = false;
    this.pty.resume();
  }

  private parseSome(): void {
    for (const piece of this.ring.read(this.parsed, PARSE_BYTES)) {
      this.parsed += piece.length;
      this.screen.feed(piece);
    }
  }

  private parseAll(): void {
    this.keep();
    while (this.parsed < this.ring.end) this.parseSome();
  }

  private reply(text: string): void {
    if (this.pty.input.pendingBytes < MAX_WAITING_REPLIES_BYTES) this.pty.input.write(Buffer.from(text));
  }

  private finish(exit: PtyExit): void {
    this.exitState = exit;
    if (this.parsing) this.listener.onOutput();
    this.parseAll();
    clearTimeout(this.calmTimer);
    // The viewers last: whoever hears of the end finds it in the session's files.
    this.listener.onExit(exit);
    for (const viewer of this.viewers) viewer.exited(exit);
    this.resolveExited();
  }

  private watchForCalm(): void {
    this.lastOutputAt = performance.now();
    this.calmTimer ??= setTimeout(() => this.checkCalm(), CALM_AFTER_MS);
  }

  private checkCalm(): void {
    const left = Math.ceil(this.lastOutputAt + CALM_AFTER_MS - performance.now());
    if (left > 1) {
      this.calmTimer = setTimeout(() => this.checkCalm(), left);
      return;
    }
    this.calmTimer = undefined;
    void this.pack().then(() => this.listener.onCalm());
  }
}

function isFocusOut(data: Buffer): boolean {
  return data.length === FOCUS_OUT.length && data.toString("latin1") === FOCUS_OUT;
}

/** Forwards the screen's reports unchanged. */
function bound(listener: TerminalListener): Omit<ScreenListener, "onReply"> {
  return {
    onTitle: (title) => listener.onTitle(title),
    onBell: () => listener.onBell(),
    onStatus: (status) => listener.onStatus(status),
    onAgentState: (state) => listener.onAgentState(state),
    onPrompt: (mark) => listener.onPrompt(mark),
    onNotification: (notification) => listener.onNotification(notification),
  };
}
