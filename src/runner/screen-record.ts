/**
 * A terminal on disk, so that its last screen outlives its runner: one file that begins with a line naming the size,
 * then a painted screen with the lines above it, then every byte written since. Replayed into an emulator it gives the
 * terminal at any time. It is bounded: when enough bytes have been added, it is painted anew.
 */
import { closeSync, constants, openSync, writeSync } from "node:fs";
import { writeFileAtomic } from "../lib/atomic-file.ts";
import { codeOf } from "../lib/directory.ts";
import type { Terminal } from "./terminal.ts";

/** What kill -9 can cost. */
const FLUSH_EVERY_MS = 2000;

/** Bytes added to the painted part before it is painted anew. */
const MAX_APPENDED_BYTES = 256 * 1024;

/** Lines painted while output pours; the rest follows when it has stopped. */
const LINES_UNDER_LOAD = 300;

/** After a failure (a full disk) the next try waits. */
const RETRY_AFTER_MS = 30_000;

export class ScreenRecord {
  private readonly terminal: Terminal;
  private readonly path: string;
  private readonly historyLines: number;
  private readonly onFailure: (error: unknown) => void;
  /** Offset up to which the file tells the terminal; undefined when it must be painted. */
  private recorded: number | undefined;
  private appended = 0;
  /** The file has all the history there was when it was painted. */
  private complete = false;
  private timer: NodeJS.Timeout | undefined;
  private failedAt = Number.NEGATIVE_INFINITY;

  constructor(terminal: Terminal, path: string, historyLines: number, onFailure: (error: unknown) => void) {
    this.terminal = terminal;
    this.path = path;
    this.historyLines = historyLines;
    this.onFailure = onFailure;
  }

  /** There was output. */
  touch(): void {
    this.timer ??= setTimeout(() => this.flush(), FLUSH_EVERY_MS);
  }

  /** What follows is at another size: the file must begin anew. */
  resized(): void {
    this.recorded = undefined;
    this.touch();
  }

  /** Output has stopped: a good time to put the file in order. */
  calm(): void {
    this.stop();
    if (!this.complete || this.appended > MAX_APPENDED_BYTES / 2 || !this.canAppend()) this.paint(this.historyLines);
    else this.append();
  }

  /** The last word. */
  close(): void {
    this.stop();
    this.failedAt = Number.NEGATIVE_INFINITY;
    this.paint(this.historyLines);
  }

  private flush(): void {
    this.stop();
    if (this.canAppend()) this.append();
    else this.paint(LINES_UNDER_LOAD);
  }

  private canAppend(): boolean {
    const { ring } = this.terminal;
    if (this.recorded === undefined || this.recorded < ring.start) return false;
    return this.appended + ring.end - this.recorded <= MAX_APPENDED_BYTES;
  }

  private append(): void {
    const { ring } = this.terminal;
    const from = this.recorded ?? ring.end;
    if (from === ring.end) return;
    this.attempt(() => {
      // Not created here: a file somebody removed must begin with a painted screen.
      const fd = openSync(this.path, constants.O_WRONLY | constants.O_APPEND);
      try {
        for (const piece of ring.read(from, ring.end - from)) writeSync(fd, piece);
      } finally {
        closeSync(fd);
      }
      this.appended += ring.end - from;
      this.recorded = ring.end;
    });
  }

  private paint(lines: number): void {
    if (performance.now() - this.failedAt < RETRY_AFTER_MS) return;
    this.attempt(() => {
      const { cols, rows } = this.terminal;
      const { output, seq } = this.terminal.replay(lines);
      writeFileAtomic(this.path, `${JSON.stringify({ cols, rows, seq })}\n${output}`);
      this.recorded = seq;
      this.appended = 0;
      this.complete = lines === this.historyLines;
    });
  }

  private attempt(write: () => void): void {
    try {
      write();
    } catch (error) {
      // Whatever is in the file now, it is not to be added to.
      this.recorded = undefined;
      if (codeOf(error) === "ENOENT") return;
      this.failedAt = performance.now();
      this.onFailure(error);
    }
  }

  private stop(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
  }
}
