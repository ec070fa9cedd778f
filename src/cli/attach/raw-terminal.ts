/** Takes over the user's terminal and always restores it. */
import { writeSync } from "node:fs";
import type { ReadStream, WriteStream } from "node:tty";
import { leaveSequence } from "../../screen/session-on-terminal.ts";

const STDOUT_FD = 1;

/** Signals on which the terminal must still be restored. */
const FATAL_SIGNALS = ["SIGTERM", "SIGHUP", "SIGQUIT", "SIGINT"] as const;

export interface RawTerminalListener {
  /** This process must exit; the terminal is restored. */
  onEnd(signal: NodeJS.Signals): void;
  /** This process was stopped and continues; the terminal is raw again, with other programs' output on it. */
  onContinue(): void;
}

export class RawTerminal {
  private readonly input: ReadStream;
  private readonly output: WriteStream;
  private readonly listener: RawTerminalListener;
  private restored = false;
  private readonly onExit = (): void => this.restore();
  private readonly onSignal = (signal: NodeJS.Signals): void => {
    this.restore();
    this.listener.onEnd(signal);
  };
  private readonly onStop = (): void => {
    this.giveBack("at the bottom");
    process.kill(process.pid, "SIGSTOP");
  };
  private readonly onContinue = (): void => {
    // Other programs may have changed the mode meanwhile, which Node does not know.
    this.input.setRawMode(false);
    this.input.setRawMode(true);
    this.listener.onContinue();
  };

  constructor(listener: RawTerminalListener) {
    this.listener = listener;
    this.input = process.stdin;
    this.output = process.stdout;
    this.input.setRawMode(true);
    process.once("exit", this.onExit);
    for (const signal of FATAL_SIGNALS) process.once(signal, this.onSignal);
    process.on("SIGTSTP", this.onStop);
    process.on("SIGCONT", this.onContinue);
  }

  get size(): { cols: number; rows: number } {
    return { cols: Math.max(2, this.output.columns || 80), rows: Math.max(1, this.output.rows || 24) };
  }

  /** False if the terminal is slow: wait for `onDrain`. */
  write(data: string | Uint8Array): boolean {
    return this.restored || this.output.write(data);
  }

  onDrain(act: () => void): void {
    this.output.on("drain", act);
  }

  onResize(act: () => void): void {
    this.output.on("resize", act);
  }

  onInput(act: (data: Buffer) => void): void {
    this.input.on("data", act);
    this.input.pause();
  }

  /** Starts reading keys. */
  read(): void {
    this.input.resume();
  }

  /** Clears the screen by scrolling its content away. */
  makeRoom(): void {
    this.write(`${"\r\n".repeat(this.size.rows)}\x1b[H\x1b[2J`);
  }

  /** An ended program left the cursor at the end of its output; a running one may have it anywhere. */
  restore(cursor: "stays" | "at the bottom" = "at the bottom"): void {
    if (this.restored) return;
    this.restored = true;
    process.off("exit", this.onExit);
    for (const signal of FATAL_SIGNALS) process.off(signal, this.onSignal);
    process.off("SIGTSTP", this.onStop);
    process.off("SIGCONT", this.onContinue);
    this.giveBack(cursor);
  }

  private giveBack(cursor: "stays" | "at the bottom"): void {
    this.input.pause();
    try {
      // Synchronous: nothing is written later when a process exits.
      writeSync(STDOUT_FD, leaveSequence(cursor === "stays" ? undefined : this.size.rows));
      this.input.setRawMode(false);
    } catch {
      // The terminal is gone; there is nothing to restore.
    }
  }
}
