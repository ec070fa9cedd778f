/** Takes over the user's terminal and always restores it. */
import { writeSync } from "node:fs";
import { codeOf } from "../lib/fs/directory.ts";
import type { ReadStream, WriteStream } from "node:tty";
import type { InputEvent } from "./input/input-event.ts";
import { InputParser } from "./input/input-parser.ts";

/**
 * Alternate screen; mouse buttons and drags in SGR encoding; focus events; bracketed paste; kitty keyboard protocol.
 */
const ENTER = "\x1b[?1049h\x1b[2J\x1b[H\x1b[?25l\x1b[?1000h\x1b[?1002h\x1b[?1006h\x1b[?1004h\x1b[?2004h\x1b[>1u";

const LEAVE =
  "\x1b[?2026l\x1b[<u\x1b[?2004l\x1b[?1004l\x1b[?1006l\x1b[?1003l\x1b[?1002l\x1b[?1000l\x1b]8;;\x1b\\\x1b[m\x1b[0 q\x1b[?25h\x1b[?1049l";

const STDOUT_FD = 1;

/** Signals on which the terminal must be restored. A closed terminal sends SIGHUP, which is a detach. */
const FATAL_SIGNALS = ["SIGTERM", "SIGHUP", "SIGQUIT", "SIGINT"] as const;

/** Larger sizes are reporting errors. */
const MAX_COLS = 1000;
const MAX_ROWS = 500;

export interface HostListener {
  onInput(event: InputEvent): void;
  onResize(): void;
  onDrain(): void;
  /** The process must exit; the terminal is already restored. */
  onSignal(signal: NodeJS.Signals): void;
}

export class HostTerminal {
  private readonly input: ReadStream;
  private readonly output: WriteStream;
  private readonly listener: HostListener;
  private readonly parser: InputParser;
  private active = false;
  private motion = false;
  private readonly onData = (data: Buffer): void => this.parser.push(data);
  private readonly onResize = (): void => this.listener.onResize();
  private readonly onDrain = (): void => this.listener.onDrain();
  private readonly onExit = (): void => this.leave();
  private readonly onGone = (): void => this.gone();
  private readonly onSignal = (signal: NodeJS.Signals): void => {
    this.leave();
    this.listener.onSignal(signal);
  };

  constructor(listener: HostListener, input = process.stdin, output = process.stdout) {
    this.listener = listener;
    this.input = input;
    this.output = output;
    this.parser = new InputParser((event) => listener.onInput(event));
  }

  get size(): { cols: number; rows: number } {
    const { columns, rows } = this.output;
    return {
      cols: Math.min(MAX_COLS, columns || 80),
      rows: Math.min(MAX_ROWS, rows || 24),
    };
  }

  enter(): void {
    if (this.active) return;
    this.active = true;
    this.motion = false;
    this.input.setRawMode(true);
    process.once("exit", this.onExit);
    for (const signal of FATAL_SIGNALS) process.once(signal, this.onSignal);
    this.output.on("resize", this.onResize).on("drain", this.onDrain).on("error", this.onGone);
    this.input.on("data", this.onData).on("end", this.onGone).on("error", this.onGone).resume();
    this.output.write(ENTER);
  }

  /** False if the terminal is slow; wait for `onDrain`. */
  write(data: string | Uint8Array): boolean {
    return !this.active || this.output.write(data);
  }

  /** Whether to report mouse moves without a button, which a program in a pane may request. */
  trackMotion(on: boolean): void {
    if (this.motion === on) return;
    this.motion = on;
    this.write(on ? "\x1b[?1003h" : "\x1b[?1003l\x1b[?1002h");
  }

  /** Restores the terminal; `enter` takes it over again. */
  leave(): void {
    if (!this.active) return;
    this.active = false;
    process.off("exit", this.onExit);
    for (const signal of FATAL_SIGNALS) process.off(signal, this.onSignal);
    this.output.off("resize", this.onResize).off("drain", this.onDrain);
    this.input.off("data", this.onData).off("end", this.onGone).pause();
    this.parser.close();
    try {
      this.input.setRawMode(false);
      writeNow(LEAVE);
    } catch {
      // The terminal is gone; nothing to restore.
    }
  }

  /** The terminal was closed, which is a detach. */
  private gone(): void {
    if (!this.active) return;
    this.leave();
    this.listener.onSignal("SIGHUP");
  }
}

/** Retries for a full terminal; one second in total. */
const TRIES = 200;
const TRY_MS = 5;

/** Synchronous, because nothing is written after exit. Retries while the terminal is full. */
function writeNow(text: string): void {
  let rest = Buffer.from(text);
  for (let tries = 0; rest.length > 0 && tries < TRIES; tries++) {
    try {
      rest = rest.subarray(writeSync(STDOUT_FD, rest));
    } catch (error) {
      if (codeOf(error) !== "EAGAIN") throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, TRY_MS);
    }
  }
}
