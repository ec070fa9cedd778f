/**
 * One onlooker of one terminal: a position in its output. It is sent what lies between that position and the end, in
 * pieces worth sending; when it cannot take more it is left alone, and when its position is no longer held it gets
 * a fresh picture. So a slow viewer costs nobody anything.
 */
import type { ByteRing } from "./byte-ring.ts";
import type { PtyExit } from "./pty.ts";
import type { Picture } from "../screen/screen.ts";
import type { Size } from "./size-owner.ts";

/** Where a viewer's messages go. */
export interface ViewerSink {
  /** More than enough waits to be taken; `Viewer.drained` must be called when that is over. */
  readonly congested: boolean;
  /** Everything anew: what was sent before counts no more. The output goes on at `seq`. */
  picture(picture: Picture, seq: number): void;
  /** Valid during the call only. `seq` is the offset after these bytes. */
  output(pieces: readonly Buffer[], seq: number): void;
  resized(size: Size): void;
  exited(exit: PtyExit): void;
}

export interface ViewerSource {
  readonly ring: ByteRing;
  /** Puts what has come where the runner's death does not reach it. */
  keep(): void;
  picture(): { picture: Picture; seq: number };
}

/** The kernel gives 4 KB at a time; sending each alone costs five times as much. Little pieces are echoes: at once. */
const COALESCE_MS = 4;
const COALESCE_BYTES = 32_768;
const LITTLE_BYTES = 1024;

/** Largest piece sent at once. */
const PIECE_BYTES = 65_536;

export class Viewer {
  private readonly source: ViewerSource;
  private readonly sink: ViewerSink;
  private position = 0;
  private stale = false;
  private sentAt = 0;
  private sentBytes = 0;
  private timer: NodeJS.Timeout | undefined;
  private exit: PtyExit | undefined;
  private closed = false;

  constructor(source: ViewerSource, sink: ViewerSink) {
    this.source = source;
    this.sink = sink;
  }

  /** Begins after the bytes the viewer already has, if they are followed by bytes still held; else with a picture. */
  start(since: number | undefined): void {
    const { ring } = this.source;
    if (since !== undefined && since >= ring.start && since <= ring.end) this.position = since;
    else this.stale = true;
    this.send();
  }

  /** There is new output; if all of it is this, it is given. After a silence, or after little, it goes out at once; in a flood it waits for more. */
  notify(latest?: Buffer): void {
    if (this.timer !== undefined || this.closed || this.sink.congested) return;
    if (latest !== undefined && this.sentBytes <= LITTLE_BYTES && this.isAllItLacks(latest)) return this.echo(latest);
    if (this.sentBytes <= LITTLE_BYTES || this.source.ring.end - this.position >= COALESCE_BYTES) return this.send();
    const waited = performance.now() - this.sentAt;
    if (waited >= COALESCE_MS) this.send();
    else this.timer = setTimeout(() => this.send(), Math.ceil(COALESCE_MS - waited));
  }

  /** The sink can take more. */
  drained(): void {
    this.send();
  }

  /** Output before this was at another size, so it is sent first. */
  resized(size: Size): void {
    this.send();
    if (this.sink.congested) this.stale = true;
    else if (!this.closed) this.sink.resized(size);
  }

  exited(exit: PtyExit): void {
    this.exit = exit;
    this.send();
  }

  /** Sends a picture now, whatever the viewer has. */
  refresh(): void {
    this.stale = true;
    this.send();
  }

  close(): void {
    this.closed = true;
    clearTimeout(this.timer);
  }

  private isAllItLacks(latest: Buffer): boolean {
    if (this.stale || latest.length > LITTLE_BYTES) return false;
    return this.position === this.source.ring.end - latest.length;
  }

  /** What `send` comes to, for a key. */
  private echo(latest: Buffer): void {
    this.position += latest.length;
    this.sentBytes = latest.length;
    this.sink.output([latest], this.position);
  }

  private send(): void {
    if (this.timer !== undefined) clearTimeout(this.timer);
    this.timer = undefined;
    if (this.closed || this.sink.congested) return;
    this.source.keep();
    const { ring } = this.source;
    if (this.stale || this.position < ring.start) this.sendPicture();
    const from = this.position;
    while (this.position < ring.end && !this.sink.congested) {
      const pieces = ring.read(this.position, PIECE_BYTES);
      for (const piece of pieces) this.position += piece.length;
      this.sink.output(pieces, this.position);
    }
    this.sentBytes = this.position - from;
    // After little nobody waits, so the time does not matter; and telling it takes as long as the rest of this.
    if (this.sentBytes > LITTLE_BYTES) this.sentAt = performance.now();
    if (this.exit !== undefined && this.position === ring.end) {
      const { exit } = this;
      this.exit = undefined;
      this.sink.exited(exit);
    }
  }

  private sendPicture(): void {
    const { picture, seq } = this.source.picture();
    this.stale = false;
    this.position = seq;
    this.sink.picture(picture, seq);
  }
}
