/** One terminal watched over a frame connection: frames for the viewer, and the history it requests. */
import { encodeOutput } from "../protocol/frame-codec.ts";
import type { ServerFrame } from "../protocol/frames.ts";
import type { HistoryPiece } from "../screen/history-piece.ts";
import type { PtyExit } from "./pty.ts";
import type { Picture } from "../screen/screen.ts";
import type { Size } from "./size-owner.ts";
import type { AttachWish, Terminal } from "./terminal.ts";
import { incompleteTail } from "../screen/utf8-tail.ts";
import type { Viewer, ViewerSink } from "./viewer.ts";

/** The part of a connection that a watched terminal needs. */
export interface FrameChannel {
  readonly congested: boolean;
  /** The client accepts raw bytes. */
  readonly binaryOutput: boolean;
  /** The client said `hello`; otherwise it knows only the original messages. */
  readonly saidHello: boolean;
  send(frame: ServerFrame): void;
  write(bytes: Buffer): void;
}

/** Keeps a snapshot frame under the frame limit; older clients get no more history than this. */
const MAX_SNAPSHOT_BYTES = 4 * 1024 * 1024;

const NOTHING = Buffer.alloc(0);

export class FrameViewer implements ViewerSink {
  readonly terminal: Terminal;
  private readonly channel: FrameChannel;
  private current: Viewer | undefined;
  /** The start of an incomplete character: text frames carry whole ones only. */
  private torn: Buffer = NOTHING;
  private pieces: HistoryPiece[] = [];
  private sending = false;

  constructor(terminal: Terminal, channel: FrameChannel) {
    this.terminal = terminal;
    this.channel = channel;
  }

  /** Set by `open`. */
  get viewer(): Viewer | undefined {
    return this.current;
  }

  /** `before`: the same client's viewer that this one replaces. */
  open(wish: AttachWish, before?: FrameViewer): void {
    this.current = this.terminal.attach(this, wish);
    before?.yieldTo(this.current);
  }

  private yieldTo(next: Viewer): void {
    if (this.current !== undefined) this.terminal.replace(this.current, next);
    this.current = undefined;
    this.pieces = [];
  }

  close(): void {
    if (this.current !== undefined) this.terminal.detach(this.current);
    this.current = undefined;
    this.pieces = [];
  }

  drained(): void {
    this.current?.drained();
    this.sendNextPiece();
  }

  /** A fresh snapshot and the lines above it from the same moment: the client rebuilds from both. */
  async sendHistory(lines: number): Promise<void> {
    await this.terminal.pack(lines);
    // When congested, the snapshot would arrive after the lines; the client asks again if it still wants them.
    if (this.current === undefined || this.congested) return;
    this.current.refresh();
    this.pieces = this.terminal.historyPieces(lines);
    if (this.pieces.length === 0) this.sendLines([]);
    this.sendNextPiece();
  }

  get congested(): boolean {
    return this.channel.congested;
  }

  picture(picture: Picture, seq: number): void {
    this.torn = NOTHING;
    this.pieces = [];
    const scrollback = this.channel.saidHello ? [] : this.wholeHistory();
    this.channel.send({ _tag: "snapshot", ptyId: this.terminal.id, state: { ...picture, seq }, scrollback });
  }

  output(pieces: readonly Buffer[], seq: number): void {
    const ptyId = this.terminal.id;
    if (this.channel.binaryOutput) {
      this.channel.write(encodeOutput(ptyId, seq, pieces));
      return;
    }
    const bytes = Buffer.concat([this.torn, ...pieces]);
    const tail = incompleteTail(bytes);
    this.torn = bytes.subarray(bytes.length - tail);
    const data = bytes.toString("utf8", 0, bytes.length - tail);
    if (data !== "") this.channel.send({ _tag: "output", ptyId, data, seq: seq - tail });
  }

  resized({ cols, rows }: Size): void {
    if (this.channel.saidHello) this.channel.send({ _tag: "resized", ptyId: this.terminal.id, cols, rows });
  }

  exited(exit: PtyExit): void {
    this.channel.send(exitFrame(this.terminal.id, exit));
  }

  /** One piece per turn of the event loop: each takes a millisecond or two. */
  private sendNextPiece(): void {
    if (this.congested || this.sending) return;
    const piece = this.pieces.shift();
    if (piece === undefined) return;
    this.sendLines(piece.split());
    this.sending = true;
    setImmediate(() => {
      this.sending = false;
      this.sendNextPiece();
    });
  }

  private sendLines(lines: string[]): void {
    const remaining = this.pieces.reduce((sum, piece) => sum + piece.lines, 0);
    this.channel.send({ _tag: "history", ptyId: this.terminal.id, lines, remaining });
  }

  /** Oldest first; the newest lines that fit. */
  private wholeHistory(): string[] {
    const lines: string[] = [];
    let bytes = 0;
    for (const piece of this.terminal.historyPieces(Number.MAX_SAFE_INTEGER)) {
      const some = piece.split();
      bytes += some.reduce((sum, line) => sum + line.length + 1, 0);
      if (bytes > MAX_SNAPSHOT_BYTES) break;
      lines.unshift(...some);
    }
    return lines;
  }
}

export function exitFrame(ptyId: string, { exitCode, signal }: PtyExit): ServerFrame {
  return signal === undefined ? { _tag: "exit", ptyId, exitCode } : { _tag: "exit", ptyId, exitCode, signal };
}
