/**
 * A session on a user's terminal: output is passed through, so that scrollback, selection and speed are the terminal's own. Only
 * queries, which the runner answers, are removed.
 */
import { PrefixKeys } from "./prefix-keys.ts";
import { QueryFilter } from "./query-filter.ts";

/** Resets every mode a program may have set; unknown ones are ignored. The cursor stays. */
export const RESET_MODES =
  "\x1b[?2026l\x1b7\x1b[?6l\x1b[r\x1b8\x1b[?7h\x1b[4l\x1b[?1l\x1b>\x1b[?9l\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1005l\x1b[?1006l\x1b[?1015l\x1b[?1016l\x1b[?1004l\x1b[?2004l\x1b[?2031l\x1b[?2048l\x1b[=0;1u\x1b(B\x0f\x1b]8;;\x1b\\\x1b[m\x1b[0 q\x1b[?25h";

/** Back to the normal screen, with the keyboard reset on both. */
const LEAVE = `\x1b[<9u\x1b[?1049l\x1b[<9u${RESET_MODES}`;

/** Clears a session from a terminal. A running program may have moved the cursor anywhere: it goes to the `bottom`. */
export function leaveSequence(bottom: number | undefined): string {
  return `${LEAVE}${bottom === undefined ? "" : `\x1b[${bottom};1H`}\r\n`;
}

/** Synchronised update: a terminal keeps its old content until the end. */
const BEGIN_UPDATE = "\x1b[?2026h";
const END_UPDATE = "\x1b[?2026l";

interface Size {
  cols: number;
  rows: number;
}

/** How it acts on the terminal and the session. */
export interface TerminalActions {
  write(bytes: Uint8Array): void;
  /** Valid only during the call. */
  input(data: Buffer): void;
  takeOver(): void;
  redraw(): void;
  detach(): void;
}

export interface TerminalWindow extends Size {
  /** Watch only: neither type nor set the size. */
  readOnly: boolean;
}

export class SessionOnTerminal {
  private readonly hands: TerminalActions;
  private readonly readOnly: boolean;
  private own: Size;
  private shown: Size;
  private readonly keys = new PrefixKeys();
  private filter = new QueryFilter();
  /** Another viewer's size applies, and its output would be garbage here. */
  private foreign = false;

  constructor(hands: TerminalActions, { cols, rows, readOnly }: TerminalWindow) {
    this.hands = hands;
    this.readOnly = readOnly;
    this.own = this.shown = { cols, rows };
  }

  picture(picture: Size & { screen: string }): void {
    this.shown = picture;
    this.foreign = !this.fits();
    if (this.foreign) return this.explainSize();
    this.filter = new QueryFilter();
    const { screen } = picture;
    // Shown at once, unless the program is inside an update: its end shows both.
    const shown = screen.includes(BEGIN_UPDATE) ? "" : END_UPDATE;
    this.write(`${BEGIN_UPDATE}\x1b[?1049l${RESET_MODES}${BEGIN_UPDATE}\x1b[H\x1b[2J${screen}${shown}`);
  }

  /** The bytes are not modified. */
  output(data: Buffer): void {
    if (!this.foreign) this.hands.write(this.filter.push(data));
  }

  /** The session's size changed. */
  resized(size: Size): void {
    this.shown = size;
    this.judge();
  }

  /** The terminal's size changed. */
  windowResized(size: Size): void {
    this.own = size;
    if (this.foreign) this.judge();
  }

  typed(data: Buffer): void {
    if (this.keys.passes(data)) return this.pass(data);
    const { input, commands } = this.keys.push(data);
    if (input.length > 0) this.pass(input);
    if (commands.includes("detach")) return this.hands.detach();
    if (commands.includes("redraw")) this.hands.redraw();
  }

  private pass(input: Buffer): void {
    if (this.readOnly) return;
    // The key that takes over the session does not go to the program.
    if (this.foreign) this.hands.takeOver();
    else this.hands.input(input);
  }

  private judge(): void {
    const was = this.foreign;
    this.foreign = !this.fits();
    if (this.foreign) this.explainSize();
    else if (was) this.hands.redraw();
  }

  private fits(): boolean {
    return this.shown.cols <= this.own.cols && this.shown.rows <= this.own.rows;
  }

  private explainSize(): void {
    const { cols, rows } = this.shown;
    const remedy = this.readOnly ? "Enlarge this terminal to see it." : "Press any key to take it over.";
    this.write(`${RESET_MODES}\x1b[H\x1b[2JThe session is shown elsewhere in ${cols} x ${rows}. ${remedy}`);
  }

  private write(text: string): void {
    this.hands.write(Buffer.from(text));
  }
}
