/**
 * This terminal on a session. The program's own output is written as it comes, so the terminal's scrollback, selection
 * and speed are its own; only what the runner has answered already is taken out. Detaching leaves the session running.
 */
import { constants } from "node:os";
import { setFlagsFromString } from "node:v8";
import { QueryFilter } from "../../client/query-filter.ts";
import type { CloseReason, ShimConnection, ShimEvent } from "../../client/shim-connection.ts";
import { compileLater } from "../../lib/compile-later.ts";
import type { TerminalState } from "../../protocol/frames.ts";
import { PrefixKeys } from "./prefix-keys.ts";
import { QUIET, RawTerminal } from "./raw-terminal.ts";

const PTY = "pty-1";

/** Who types does so again: a key through code that V8 has optimised takes half as long. Who only looks is spared the work. */
const TIMES_SOONER = 1 / 13;

/** Between the two a terminal goes on showing what it showed. */
const BEGIN_UPDATE = "\x1b[?2026h";
const END_UPDATE = "\x1b[?2026l";

export interface AttachOptions {
  /** Look, but neither type nor set the size. */
  readOnly: boolean;
}

export type AttachEnd =
  | { how: "detached" }
  | { how: "exited"; exitCode: number }
  | { how: "closed"; reason: CloseReason };

export async function attachTerminal(open: () => Promise<ShimConnection>, options: AttachOptions): Promise<AttachEnd> {
  const connection = await open();
  return new Promise((resolve) => new Attachment(connection, options, resolve).start());
}

class Attachment {
  private readonly connection: ShimConnection;
  private readonly readOnly: boolean;
  private readonly finish: (end: AttachEnd) => void;
  private readonly terminal: RawTerminal;
  private readonly keys = new PrefixKeys();
  private filter = new QueryFilter();
  private painted = false;
  /** Another viewer's size is in force, and its output would be garbage here. */
  private foreign = false;
  private over = false;
  private isTypedInto = false;

  constructor(connection: ShimConnection, { readOnly }: AttachOptions, finish: (end: AttachEnd) => void) {
    this.connection = connection;
    this.readOnly = readOnly;
    this.finish = finish;
    this.terminal = new RawTerminal((signal) => process.exit(128 + constants.signals[signal]));
  }

  start(): void {
    const { connection, terminal } = this;
    connection.subscribe((event) => this.hear(event));
    terminal.onInput((data) => this.type(data));
    terminal.onResize(() => this.tellSize());
    terminal.onDrain(() => connection.hold(false));
    // Before attaching, so that the first picture has our size; after it, so that the size is ours.
    this.tellSize();
    connection.send({ _tag: "attach", ptyId: PTY });
    this.tellSize();
    if (!this.readOnly) connection.send({ _tag: "focus", ptyId: PTY });
  }

  private hear(event: ShimEvent): void {
    if (this.over) return;
    switch (event._tag) {
      case "snapshot":
        return this.paint(event.state);
      case "output":
        return this.write(event.data);
      case "resized":
        return this.resized(event.cols, event.rows);
      case "exit":
        return event.ptyId === PTY ? this.end({ how: "exited", exitCode: event.exitCode }) : undefined;
      case "closed":
        return this.end({ how: "closed", reason: event.reason });
      default:
        return undefined;
    }
  }

  private paint(state: TerminalState): void {
    const { cols, rows } = this.terminal.size;
    this.foreign = state.cols > cols || state.rows > rows;
    if (this.foreign) return this.explainSize(state.cols, state.rows);
    this.filter = new QueryFilter();
    if (!this.painted) this.terminal.makeRoom();
    this.painted = true;
    // Shown at once, unless the program itself is in the middle of an update: its end shows both.
    const shown = state.screen.includes(BEGIN_UPDATE) ? "" : END_UPDATE;
    this.terminal.write(`${BEGIN_UPDATE}\x1b[?1049l${QUIET}${BEGIN_UPDATE}\x1b[H\x1b[2J${state.screen}${shown}`);
  }

  private write(data: Buffer): void {
    if (this.foreign) return;
    // A slow terminal makes the runner skip to a fresh picture instead of filling memory here.
    if (!this.terminal.write(this.filter.push(data))) this.connection.hold(true);
  }

  private resized(cols: number, rows: number): void {
    const own = this.terminal.size;
    const fits = cols <= own.cols && rows <= own.rows;
    if (fits && !this.foreign) return;
    this.foreign = !fits;
    if (fits) this.redraw();
    else this.explainSize(cols, rows);
  }

  private explainSize(cols: number, rows: number): void {
    const remedy = this.readOnly ? "Enlarge this terminal to see it." : "Press any key to take it over.";
    this.terminal.write(`${QUIET}\x1b[H\x1b[2JThe session is shown elsewhere in ${cols} x ${rows}. ${remedy}`);
  }

  private tellSize(): void {
    if (!this.readOnly) this.connection.send({ _tag: "resize", ptyId: PTY, ...this.terminal.size });
  }

  private type(data: Buffer): void {
    if (!this.isTypedInto) this.hurry();
    const { input, commands } = this.keys.push(data);
    if (commands.length > 0) {
      if (commands.includes("detach")) return this.end({ how: "detached" });
      if (commands.includes("redraw")) this.redraw();
    }
    if (this.readOnly) return;
    // The key that takes the session over is not meant for the program.
    if (this.foreign) this.connection.send({ _tag: "focus", ptyId: PTY });
    else if (input.length > 0) this.connection.input(PTY, input);
  }

  private hurry(): void {
    this.isTypedInto = true;
    for (const flag of compileLater(TIMES_SOONER)) setFlagsFromString(flag);
  }

  private redraw(): void {
    this.connection.send({ _tag: "attach", ptyId: PTY });
    this.tellSize();
  }

  private end(end: AttachEnd): void {
    if (this.over) return;
    this.over = true;
    this.terminal.restore(end.how === "exited" ? "stays" : "at the bottom");
    this.connection.close();
    this.finish(end);
  }
}
