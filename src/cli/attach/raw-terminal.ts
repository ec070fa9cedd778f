/** The user's terminal, taken over and given back: whatever happens, it is as it was. */
import { writeSync } from "node:fs";
import type { ReadStream, WriteStream } from "node:tty";
import { QuickWriter, readTerminalQuickly } from "../../lib/quick-io.ts";

/** Every switch a program may have left on, off; a terminal that does not know one ignores it. The cursor stays. */
export const QUIET =
  "\x1b[?2026l\x1b7\x1b[?6l\x1b[r\x1b8\x1b[?7h\x1b[4l\x1b[?1l\x1b>\x1b[?9l\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1005l\x1b[?1006l\x1b[?1015l\x1b[?1016l\x1b[?1004l\x1b[?2004l\x1b[?2031l\x1b[?2048l\x1b[=0;1u\x1b(B\x0f\x1b]8;;\x1b\\\x1b[m\x1b[0 q\x1b[?25h";

/** Back on the normal screen, with the keyboard as it was on both. */
const LEAVE = `\x1b[<9u\x1b[?1049l\x1b[<9u${QUIET}`;

const STDIN_FD = 0;
const STDOUT_FD = 1;

/** Ends of this process on which the terminal must still be restored. */
const FATAL_SIGNALS = ["SIGTERM", "SIGHUP", "SIGQUIT", "SIGINT"] as const;

export class RawTerminal {
  private readonly input: ReadStream;
  private readonly output: WriteStream;
  private readonly writer: QuickWriter;
  private restored = false;
  private onTyped: (data: Buffer) => void = () => undefined;
  private readonly onExit = (): void => this.restore();
  private readonly onSignal: (signal: NodeJS.Signals) => void;

  /** `onSignal` is told that this process shall end; the terminal has been restored by then. */
  constructor(onSignal: (signal: NodeJS.Signals) => void) {
    this.input = readTerminalQuickly(STDIN_FD, (data) => this.onTyped(data));
    this.output = process.stdout;
    this.writer = new QuickWriter(this.output);
    this.onSignal = (signal) => {
      this.restore();
      onSignal(signal);
    };
    this.input.setRawMode(true);
    process.once("exit", this.onExit);
    for (const signal of FATAL_SIGNALS) process.once(signal, this.onSignal);
  }

  get size(): { cols: number; rows: number } {
    return { cols: Math.max(2, this.output.columns || 80), rows: Math.max(1, this.output.rows || 24) };
  }

  /** False when the terminal is slow: wait for `onDrain`. */
  write(data: string | Uint8Array): boolean {
    return this.restored || this.writer.write(typeof data === "string" ? Buffer.from(data) : data);
  }

  onDrain(act: () => void): void {
    this.output.on("drain", act);
  }

  onResize(act: () => void): void {
    this.output.on("resize", act);
  }

  /** The bytes are valid during the call only. */
  onInput(act: (data: Buffer) => void): void {
    this.onTyped = act;
    this.input.resume();
  }

  /** Clears the screen without losing what was on it: it scrolls away. */
  makeRoom(): void {
    this.write(`${"\r\n".repeat(this.size.rows)}\x1b[H\x1b[2J`);
  }

  /** A program that has ended left the cursor where its output goes on; one that runs may have it in the middle. */
  restore(cursor: "stays" | "at the bottom" = "at the bottom"): void {
    if (this.restored) return;
    this.restored = true;
    process.off("exit", this.onExit);
    for (const signal of FATAL_SIGNALS) process.off(signal, this.onSignal);
    this.input.pause();
    try {
      // At once: at the end of a process nothing is written later.
      writeSync(STDOUT_FD, `${LEAVE}${cursor === "stays" ? "" : `\x1b[${this.size.rows};1H`}\r\n`);
      this.input.setRawMode(false);
    } catch {
      // The terminal is gone; there is nothing to restore.
    }
  }
}
