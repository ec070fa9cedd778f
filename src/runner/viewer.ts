/**
 * One viewer of one terminal: a position in its output. It is sent what follows in useful pieces; a viewer that falls too far
 * behind gets a fresh picture, so it costs the others nothing. For one that needs the whole output the program waits instead.
 */
import type { ByteRing } from "./byte-ring.ts";
import type { PtyExit } from "./pty.ts";
import type { Picture } from "../screen/screen.ts";
import type { Size } from "./size-owner.ts";

/** Receives a viewer's messages. */
export interface ViewerSink {
  /** Too much is waiting to be sent; call `Viewer.drained` when that is over. */
  readonly congested: boolean;
  /** Replaces everything sent before. Output continues at `seq`. */
  picture(picture: Picture, seq: number): void;
  /** Valid only during the call. `seq` is the offset after these bytes. */
  output(pieces: readonly Buffer[], seq: number): void;
  resized(size: Size): void;
  exited(exit: PtyExit): void;
}

export interface ViewerSource {
  readonly ring: ByteRing;
  /** Records new output so that it survives the runner's death. */
  keep(): void;
  picture(): { picture: Picture; seq: number };
  /** A viewer has taken more of the output. */
  taken(): void;
}

/** The kernel delivers 4 KB at a time; sending each alone costs five times as much. Small chunks are echoes and go at once. */
const COALESCE_MS = 4;
const COALESCE_BYTES = 32_768;
const LITTLE_BYTES = 1024;

/** Largest piece per send. */
const PIECE_BYTES = 65_536;

export class Viewer {
  /** It needs the whole output. */
  readonly isWhole: boolean;
  private readonly source: ViewerSource;
  private readonly sink: ViewerSink;
  private position = 0;
  private stale = false;
  private sentAt = 0;
  private sentBytes = 0;
  private timer: NodeJS.Timeout | undefined;
  private exit: PtyExit | undefined;
  private closed = false;

  constructor(source: ViewerSource, sink: ViewerSink, isWhole: boolean) {
    this.isWhole = isWhole;
    this.source = source;
    this.sink = sink;
  }

  /** Offset of the first byte it still needs. */
  get needed(): number {
    return this.isWhole ? this.position : Number.POSITIVE_INFINITY;
  }

  /** Continues after the bytes the viewer has, if what follows is still held; otherwise starts with a picture. */
  start(since: number | undefined): void {
    const { ring } = this.source;
    if (since !== undefined && since >= ring.start && since <= ring.end) this.position = since;
    else this.stale = true;
    this.send();
  }

  /**
   * New output; if this chunk is all of it, it is passed. After a pause or little output it is sent at once; in a flood it waits
   * for more.
   */
  notify(latest?: Buffer): void {
    if (this.timer !== undefined || this.closed || this.sink.congested) return;
    if (latest !== undefined && this.sentBytes <= LITTLE_BYTES && this.isAllItLacks(latest)) return this.echo(latest);
    if (this.sentBytes <= LITTLE_BYTES || this.source.ring.end - this.position >= COALESCE_BYTES) return this.send();
    const waited = performance.now() - this.sentAt;
    if (waited >= COALESCE_MS) this.send();
    else this.timer = setTimeout(() => this.send(), Math.ceil(COALESCE_MS - waited));
  }

  /** The sink accepts more. */
  drained(): void {
    this.send();
  }

  /** Output before this had another size, so it is sent first. One that needs the whole output can do without the size. */
  resized(size: Size): void {
    this.send();
    if (this.sink.congested) this.stale ||= !this.isWhole;
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

  /** Fast path of `send` for a key's echo. */
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
    // After little output the time does not matter, and reading the clock takes as long as the rest.
    if (this.sentBytes > LITTLE_BYTES) this.sentAt = performance.now();
    if (this.exit !== undefined && this.position === ring.end) {
      const { exit } = this;
      this.exit = undefined;
      this.sink.exited(exit);
    }
    if (this.isWhole) this.source.taken();
  }

  private sendPicture(): void {
    const { picture, seq } = this.source.picture();
    this.stale = false;
    this.position = seq;
    this.sink.picture(picture, seq);
  }
}
