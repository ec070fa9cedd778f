/**
 * A terminal over a WebSocket, for browsers: binary messages are terminal bytes, text messages JSON control. The first message is
 * a snapshot; a later one resets the terminal by itself.
 */
import { Cols, Rows } from "../protocol/frames.ts";
import { check, integer, tagged } from "../protocol/shape.ts";
import { InputBackpressure } from "./input-backpressure.ts";
import type { PtyExit } from "./pty.ts";
import type { Picture } from "../screen/screen.ts";
import type { Session } from "./session.ts";
import type { Size } from "./size-owner.ts";
import type { Terminal } from "./terminal.ts";
import type { Viewer, ViewerSink } from "./viewer.ts";
import type { WebSocketConnection, WebSocketListener } from "./websocket.ts";

const CONGESTED_ABOVE_BYTES = 1024 * 1024;

/**
 * Limit on bytes sent but not yet drawn by the viewer: half a second of drawing, so that the effect of an interrupt appears soon.
 */
const UNSHOWN_BYTES = 128 * 1024;

/** RIS: full terminal reset. */
const RESET = "\x1bc";

const Control = tagged("type", {
  resize: { cols: Cols, rows: Rows },
  focus: {},
  /** It is hidden: its window is ignored until it reports its size again. */
  hidden: {},
  /** This many bytes of the connection are on the viewer's screen. */
  ack: { bytes: integer(0) },
});

/** More than a page sends before its first picture. */
const MAX_EARLY = 16;

/** A malformed control message must not be typed into the program. */
const CLAIMS_CONTROL = /^\s*\{\s*"type"\s*:/;

export interface WebSocketViewerOptions {
  historyLines: number;
  /** Identifies the process, so that a returning viewer can say whose output it has. */
  incarnation: string;
  /** Continue after these bytes, if they are still held. */
  since?: number;
  /** It acknowledges what it has drawn, and is sent no more than it can draw. */
  acknowledges: boolean;
}

export class WebSocketViewer implements ViewerSink, WebSocketListener {
  private readonly connection: WebSocketConnection;
  private readonly session: Session;
  private readonly terminal: Terminal;
  private readonly options: WebSocketViewerOptions;
  private readonly brake: InputBackpressure;
  private viewer: Viewer | undefined;
  /** The page's size and focus, while its scrollback is still being packed. */
  private readonly early: string[] = [];
  private first = true;
  private sentBytes = 0;
  private shownBytes = 0;

  constructor(connection: WebSocketConnection, session: Session, terminal: Terminal, options: WebSocketViewerOptions) {
    this.connection = connection;
    this.session = session;
    this.terminal = terminal;
    this.options = options;
    this.brake = new InputBackpressure(connection.stream);
  }

  async open(): Promise<void> {
    await this.terminal.pack(this.options.historyLines);
    if (this.connection.stream.destroyed) return;
    this.session.viewerCame();
    this.viewer = this.terminal.attach(this, { since: this.options.since });
    // Without a picture the size was not sent yet.
    if (this.first) this.resized(this.terminal);
    for (const text of this.early.splice(0)) this.onText(text);
  }

  get congested(): boolean {
    if (this.connection.waitingBytes > CONGESTED_ABOVE_BYTES) return true;
    return this.options.acknowledges && this.sentBytes - this.shownBytes > UNSHOWN_BYTES;
  }

  picture(picture: Picture, seq: number): void {
    // Later snapshots omit the history: a slow client would fall further behind.
    const { above, screen } = this.terminal.replay(this.first ? this.options.historyLines : 0);
    this.first = false;
    const pieces = above.map((piece) => piece.output());
    this.send([Buffer.from(RESET), ...pieces, Buffer.from(screen)]);
    const { cols, rows, title } = picture;
    const { incarnation } = this.options;
    this.connection.sendText(JSON.stringify({ type: "terminal_resize", cols, rows, title, seq, incarnation }));
  }

  output(pieces: readonly Buffer[]): void {
    this.send(pieces);
  }

  private send(pieces: readonly Buffer[]): void {
    for (const { length } of pieces) this.sentBytes += length;
    this.connection.sendBinary(pieces);
  }

  resized({ cols, rows }: Size): void {
    this.connection.sendText(JSON.stringify({ type: "terminal_resize", cols, rows }));
  }

  exited({ exitCode }: PtyExit): void {
    this.connection.sendText(JSON.stringify({ type: "exit", exit_code: exitCode }));
    this.connection.close(undefined, "process exited");
  }

  onText(text: string): void {
    if (!CLAIMS_CONTROL.test(text)) return this.onBinary(Buffer.from(text));
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      return;
    }
    const control = check(Control, value);
    if (!control.ok) return;
    if (this.viewer === undefined) {
      if (this.early.length < MAX_EARLY) this.early.push(text);
      return;
    }
    const { value: said } = control;
    if (said.type === "resize") this.terminal.propose(this.viewer, said);
    else if (said.type === "focus") this.terminal.focus(this.viewer);
    else if (said.type === "hidden") this.terminal.yieldSize(this.viewer);
    else this.acknowledged(this.viewer, said.bytes);
  }

  onBinary(data: Buffer): void {
    this.terminal.write(data, this.viewer);
    this.brake.check(this.terminal.pty.input);
  }

  /** Never more than was sent: a viewer that overstates only hurts itself. */
  private acknowledged(viewer: Viewer, bytes: number): void {
    this.shownBytes = Math.max(this.shownBytes, Math.min(bytes, this.sentBytes));
    viewer.drained();
  }

  onDrain(): void {
    this.viewer?.drained();
  }

  onClose(): void {
    if (this.viewer === undefined) return;
    this.terminal.detach(this.viewer);
    this.viewer = undefined;
    this.session.viewerLeft();
  }
}
