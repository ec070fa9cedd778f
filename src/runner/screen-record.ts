/**
 * A terminal on disk, so that its last screen outlives its runner: one file that begins with a line naming the size,
 * then a painted screen with the lines above it, then every byte written since. Replayed into an emulator it gives the
 * terminal at any time. Bytes are added in the turn they come in, before anybody sees them (a key's echo: just after): what the
 * program wrote and the runner read survives the kill -9 of the runner. It is bounded: when enough bytes have been added, it is painted anew.
 */
import { rmSync } from "node:fs";
import { AtomicFile } from "../lib/fs/atomic-file.ts";
import { codeOf } from "../lib/fs/directory.ts";
import { GrowingFile } from "../lib/fs/growing-file.ts";
import { isFull, type Reserve } from "./reserve.ts";
import type { Terminal } from "./terminal.ts";

/** Until it is painted for a new size: sizes change many times while a window is dragged, and nothing is lost meanwhile. */
const PAINT_AFTER_MS = 50;

/** Bytes added to the painted part before it is painted anew: while output pours, and when it has stopped. */
const MAX_APPENDED_BYTES = 4 * 1024 * 1024;
const MAX_TIDY_BYTES = 128 * 1024;

/** Lines painted while output pours, all of them cells and so cheap; the rest follows when it has stopped: in a flood, a
 * kill -9 leaves these and what came after them. */
const LINES_UNDER_LOAD = 100;

/** Lines that are tried to be kept on a full disk, when it is over; the screen itself always is. */
const LESS_AND_LESS = [1000, LINES_UNDER_LOAD, 0];

/** How long somebody may have removed the file, or moved it away, before it is noticed. */
const LOOK_EVERY_MS = 500;

/** After a failure (a full disk) the next try waits. */
const RETRY_AFTER_MS = 30_000;

export class ScreenRecord {
  private readonly terminal: Terminal;
  private readonly path: string;
  private readonly file: GrowingFile;
  private readonly historyLines: number;
  private readonly onFailure: (error: unknown) => void;
  private readonly reserve: Reserve | undefined;
  /** Offset up to which the file has everything; undefined when there is no file that can be added to. */
  private recorded: number | undefined;
  private appended = 0;
  /** The file has all the history there was when it was begun, at the size of now. */
  private complete = false;
  private timer: NodeJS.Timeout | undefined;
  private lookedAt = 0;
  private failedAt = Number.NEGATIVE_INFINITY;
  private hadNoRoom = false;
  /** Counts them: only the newest may finish. */
  private paintings = 0;
  /** The one that is being made in pieces. */
  private slow: number | undefined;
  private isBegun = false;
  private isClosed = false;

  constructor(
    terminal: Terminal,
    path: string,
    historyLines: number,
    onFailure: (error: unknown) => void,
    reserve?: Reserve,
  ) {
    this.reserve = reserve;
    this.terminal = terminal;
    this.path = path;
    this.file = new GrowingFile(path);
    this.historyLines = historyLines;
    this.onFailure = onFailure;
  }

  /** There is output, which nobody has seen yet; if it is only this, it is given. */
  keep(latest?: Buffer): void {
    if (latest !== undefined && this.recorded === this.terminal.ring.end - latest.length) this.add(latest);
    else if (!this.isBegun) this.begin();
    else if (this.canAppend()) this.append();
  }

  /** There was output, and everybody has seen it. */
  touch(): void {
    this.look();
    const isBehind = !this.canAppend() && this.slow !== this.paintings;
    if (isBehind || this.appended > MAX_APPENDED_BYTES) this.paintSoon();
  }

  /** Until it is painted for the new size, bytes are added as before: in the wrong places, but not lost. */
  resized(): void {
    this.paintings++;
    this.complete = false;
    if (this.isBegun) this.paintSoon();
  }

  /** Output has stopped: a good time to put the file in order. */
  calm(): void {
    this.stop();
    const isTidy = this.complete && this.appended <= MAX_TIDY_BYTES && this.canAppend() && this.file.isThere();
    if (isTidy) this.append();
    else void this.paintSlowly();
    this.file.close();
  }

  /** The last word. */
  close(): void {
    this.stop();
    this.isClosed = true;
    if (this.isPainted(this.historyLines) || !this.hadNoRoom) return;
    this.reserve?.giveUp();
    const lines = LESS_AND_LESS.find((count) => count <= this.historyLines && this.isPainted(count));
    // What is there now is smaller than what it replaced: that made room.
    if (lines !== undefined) this.isPainted(this.historyLines);
  }

  private isPainted(lines: number): boolean {
    this.failedAt = Number.NEGATIVE_INFINITY;
    this.recorded = undefined;
    this.paint(lines);
    return this.recorded !== undefined;
  }

  /** Nobody wants it any more. */
  discard(): void {
    this.stop();
    this.isClosed = true;
    this.file.close();
    rmSync(this.path, { force: true });
  }

  private paintSoon(): void {
    this.timer ??= setTimeout(() => this.flush(), this.hasJustFailed() ? RETRY_AFTER_MS : PAINT_AFTER_MS);
  }

  private flush(): void {
    this.stop();
    const pours = this.appended > MAX_APPENDED_BYTES || (this.recorded !== undefined && !this.canAppend());
    if (pours) this.paint(LINES_UNDER_LOAD);
    else void this.paintSlowly();
  }

  private canAppend(): boolean {
    return this.recorded !== undefined && this.recorded >= this.terminal.ring.start;
  }

  /** All there was is still at hand: that is as good as a painting, and at once. */
  private begin(): void {
    const { cols, rows, ring } = this.terminal;
    this.isBegun = true;
    if (ring.start > 0) return;
    try {
      const file = new AtomicFile(this.path);
      file.write(`${JSON.stringify({ cols, rows, seq: 0 })}\n`);
      for (const piece of ring.read(0, ring.end)) file.write(piece);
      file.commit();
    } catch (error) {
      return this.failed(error);
    }
    this.recorded = this.appended = ring.end;
    this.complete = true;
  }

  /** A file that somebody removed, or moved away, is begun anew. */
  private look(): void {
    const now = performance.now();
    if (now - this.lookedAt < LOOK_EVERY_MS || !this.canAppend()) return;
    this.lookedAt = now;
    if (!this.file.isThere()) this.recorded = undefined;
  }

  private append(): void {
    const { ring } = this.terminal;
    const from = this.recorded ?? ring.end;
    for (const piece of ring.read(from, ring.end - from)) this.add(piece);
  }

  /** The next piece; when one has failed, those after it are left to the painting. */
  private add(piece: Buffer): void {
    if (this.recorded === undefined) return;
    try {
      // A file somebody removed must begin with a painted screen.
      if (!this.file.append(piece)) {
        this.recorded = undefined;
        return;
      }
    } catch (error) {
      return this.failed(error);
    }
    this.appended += piece.length;
    this.recorded += piece.length;
  }

  private paint(lines: number): void {
    for (const _ of this.painting(lines)) continue;
  }

  /** All the history, a piece in a turn of the event loop. Output that comes too fast for that gets the short one. */
  private async paintSlowly(): Promise<void> {
    const mine = ++this.paintings;
    this.slow = mine;
    await this.terminal.pack();
    if (mine !== this.paintings) return;
    for (const _ of this.painting(this.historyLines, mine)) await new Promise((resolve) => setImmediate(resolve));
    if (mine !== this.paintings) return;
    this.slow = undefined;
    if (!this.canAppend()) this.paint(LINES_UNDER_LOAD);
  }

  /** Paints the file in steps; one that is overtaken by another, by a new size or by the output gives up. */
  private *painting(lines: number, mine = ++this.paintings): Generator<void> {
    if (this.hasJustFailed()) return;
    const { cols, rows, ring } = this.terminal;
    const { above, screen, seq } = this.terminal.replay(lines);
    try {
      const file = new AtomicFile(this.path);
      file.write(`${JSON.stringify({ cols, rows, seq })}\n`);
      for (const piece of above) {
        file.write(piece.output());
        yield;
        if (mine !== this.paintings || seq < ring.start) return file.abort();
      }
      file.write(screen);
      // What the file has that is replaced now.
      for (const piece of ring.read(seq, ring.end - seq)) file.write(piece);
      file.commit();
      this.file.close();
    } catch (error) {
      return this.failed(error);
    }
    this.recorded = ring.end;
    this.appended = ring.end - seq;
    this.complete = lines === this.historyLines;
  }

  /** Whatever is in the file now, it is not to be added to. */
  private failed(error: unknown): void {
    this.recorded = undefined;
    this.file.close();
    // The directory was removed: nobody wants the file.
    if (codeOf(error) === "ENOENT") return;
    this.failedAt = performance.now();
    this.hadNoRoom = isFull(error);
    this.onFailure(error);
    if (!this.isClosed) this.paintSoon();
  }

  private hasJustFailed(): boolean {
    return performance.now() - this.failedAt < RETRY_AFTER_MS;
  }

  private stop(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
  }
}
