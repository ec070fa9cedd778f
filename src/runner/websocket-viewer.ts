/**
 * A terminal over a WebSocket, for browsers: binary messages are the terminal's bytes both ways, text messages are
 * JSON control. The first message is always the snapshot; a later snapshot (for a viewer that lagged) resets the
 * terminal by its first bytes, so a client writes whatever comes.
 */
import { Cols, Rows } from "../protocol/frames.ts";
import { check, integer, tagged } from "../protocol/shape.ts";
import { InputBrake } from "./input-brake.ts";
import type { PtyExit } from "./pty.ts";
import type { Picture } from "../screen/screen.ts";
import type { Session } from "./session.ts";
import type { Size } from "./size-owner.ts";
import type { Terminal } from "./terminal.ts";
import type { Viewer, ViewerSink } from "./viewer.ts";
import type { WebSocketConnection, WebSocketListener } from "./websocket.ts";

const CONGESTED_ABOVE_BYTES = 1024 * 1024;

/**
 * Sent to a viewer that acknowledges, and not yet shown by it: a browser reads a socket faster than it can draw. As much as it
 * draws in half a second when it is nothing but short lines: what comes of an interrupt is behind it.
 */
const UNSHOWN_BYTES = 128 * 1024;

/** RIS: a terminal as new. */
const RESET = "\x1bc";

const Control = tagged("type", {
  resize: { cols: Cols, rows: Rows },
  focus: {},
  /** Nobody looks at it: its window counts no more until its size is told again. */
  hidden: {},
  /** So many bytes of this connection are on the viewer's screen. */
  ack: { bytes: integer(0) },
});

/** A text message that claims to be control but is malformed must not be typed into the program. */
const CLAIMS_CONTROL = /^\s*\{\s*"type"\s*:/;

export interface WebSocketViewerOptions {
  historyLines: number;
  /** Names the process, so that a viewer that comes back can say whose output it has. */
  incarnation: string;
  /** Goes on after these bytes of the output, if they are still held. */
  since?: number;
  /** It tells what it has shown, and is sent no more than it can show. */
  acknowledges: boolean;
}

export class WebSocketViewer implements ViewerSink, WebSocketListener {
  private readonly connection: WebSocketConnection;
  private readonly session: Session;
  private readonly terminal: Terminal;
  private readonly options: WebSocketViewerOptions;
  private readonly brake: InputBrake;
  private viewer: Viewer | undefined;
  private first = true;
  private sentBytes = 0;
  private shownBytes = 0;

  constructor(connection: WebSocketConnection, session: Session, terminal: Terminal, options: WebSocketViewerOptions) {
    this.connection = connection;
    this.session = session;
    this.terminal = terminal;
    this.options = options;
    this.brake = new InputBrake(connection.stream);
  }

  async open(): Promise<void> {
    await this.terminal.pack(this.options.historyLines);
    if (this.connection.stream.destroyed) return;
    this.session.viewerCame();
    this.viewer = this.terminal.attach(this, this.options.since);
    // Without a picture nobody has told it the size.
    if (this.first) this.resized(this.terminal);
  }

  get congested(): boolean {
    if (this.connection.waitingBytes > CONGESTED_ABOVE_BYTES) return true;
    return this.options.acknowledges && this.sentBytes - this.shownBytes > UNSHOWN_BYTES;
  }

  picture(picture: Picture, seq: number): void {
    // Later snapshots leave the history out: a client that lags would only be given more to lag behind.
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
    if (!control.ok || this.viewer === undefined) return;
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

  /** Never more than was sent: a viewer that claims otherwise only hurts itself. */
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
