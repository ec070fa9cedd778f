/**
 * A terminal on disk, so that its last screen survives a kill -9 of its runner: a size line, a painted screen with history, then
 * every byte since. Bytes are appended before anybody sees them; after enough of them the file is repainted.
 */
import { rmSync } from "node:fs";
import { AtomicFile } from "../lib/fs/atomic-file.ts";
import { codeOf } from "../lib/fs/directory.ts";
import { GrowingFile } from "../lib/fs/growing-file.ts";
import { isFull, type DiskReserve } from "./disk-reserve.ts";
import type { Terminal } from "./terminal.ts";

/** Delay before a repaint at a new size: dragging a window changes it many times, and nothing is lost meanwhile. */
const PAINT_AFTER_MS = 50;

/** Bytes appended before a repaint: during a flood, and after it. */
const MAX_APPENDED_BYTES = 4 * 1024 * 1024;
const MAX_TIDY_BYTES = 128 * 1024;

/** Lines painted during a flood, all still in cells and so cheap; the rest follows afterwards. */
const LINES_UNDER_LOAD = 100;

/** Numbers of lines to try on a full disk at the end; the screen itself is always kept. */
const LESS_AND_LESS = [1000, LINES_UNDER_LOAD, 0];

/** How long a removed or moved file may go unnoticed. */
const LOOK_EVERY_MS = 500;

/** Pause after a failure (a full disk). */
const RETRY_AFTER_MS = 30_000;

export class ScreenRecord {
  private readonly terminal: Terminal;
  private readonly path: string;
  private readonly file: GrowingFile;
  private readonly historyLines: number;
  private readonly onFailure: (error: unknown) => void;
  private readonly reserve: DiskReserve | undefined;
  /** Offset up to which the file is complete; undefined if there is no file to append to. */
  private recorded: number | undefined;
  private appended = 0;
  /** The file has the whole history at its start, at the current size. */
  private complete = false;
  private timer: NodeJS.Timeout | undefined;
  private lookedAt = 0;
  private failedAt = Number.NEGATIVE_INFINITY;
  private hadNoRoom = false;
  /** Counts paintings: only the newest may finish. */
  private paintings = 0;
  /** The painting that is made in pieces. */
  private slow: number | undefined;
  private isBegun = false;
  private isClosed = false;

  constructor(
    terminal: Terminal,
    path: string,
    historyLines: number,
    onFailure: (error: unknown) => void,
    reserve?: DiskReserve,
  ) {
    this.reserve = reserve;
    this.terminal = terminal;
    this.path = path;
    this.file = new GrowingFile(path);
    this.historyLines = historyLines;
    this.onFailure = onFailure;
  }

  /** There is output nobody has seen yet; if it is only this chunk, it is passed. */
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

  /** Until the repaint at the new size, bytes are appended as before: misplaced, but not lost. */
  resized(): void {
    this.paintings++;
    this.complete = false;
    if (this.isBegun) this.paintSoon();
  }

  /** Output has paused: a good time to repaint. */
  calm(): void {
    this.stop();
    const isTidy = this.complete && this.appended <= MAX_TIDY_BYTES && this.canAppend() && this.file.isThere();
    if (isTidy) this.append();
    else void this.paintSlowly();
    this.file.close();
  }

  /** Writes the final state. */
  close(): void {
    this.stop();
    this.isClosed = true;
    if (this.isPainted(this.historyLines) || !this.hadNoRoom) return;
    this.reserve?.giveUp();
    const lines = LESS_AND_LESS.find((count) => count <= this.historyLines && this.isPainted(count));
    // The new content is smaller than the old, which freed space.
    if (lines !== undefined) this.isPainted(this.historyLines);
  }

  private isPainted(lines: number): boolean {
    this.failedAt = Number.NEGATIVE_INFINITY;
    this.recorded = undefined;
    this.paint(lines);
    return this.recorded !== undefined;
  }

  /** The record is no longer wanted. */
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

  /** The ring still holds all output: that equals a painting, and is immediate. */
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

  /** Restarts a file that was removed or moved. */
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

  /** Appends the next piece; after a failure the painting covers the rest. */
  private add(piece: Buffer): void {
    if (this.recorded === undefined) return;
    try {
      // A new file must begin with a painted screen.
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

  /** Paints the whole history, one piece per turn of the event loop. Output too fast for that gets the short version. */
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

  /** Paints the file in steps; gives up when overtaken by another painting, a new size or the output. */
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
      // Also what the replaced file had.
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

  /** The file's content is now unknown: do not append to it. */
  private failed(error: unknown): void {
    this.recorded = undefined;
    this.file.close();
    // The directory was removed: the file is no longer wanted.
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
