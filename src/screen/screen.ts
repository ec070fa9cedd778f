/**
 * The state of one terminal in a headless emulator: bytes in, a picture at any time. Bytes are parsed synchronously. It also
 * answers terminal queries; viewers' terminals must not answer again.
 */
import { coloredRows, screenText, type ColoredRow } from "./cells.ts";
import { createEmulator, type Emulator } from "./emulator.ts";
import { History, KEPT_ROWS } from "./history.ts";
import { plainText, type HistoryPiece } from "./history-piece.ts";
import { TerminalModes } from "./modes.ts";
import { cleanTitle } from "./osc.ts";
import { registerReports, type ScreenReports } from "./screen-reports.ts";
import { paintLines, paintScreen } from "./screen-paint.ts";
import { UnfinishedSequence } from "./unfinished-sequence.ts";
import { incompleteTail } from "./utf8-tail.ts";

export interface ScreenListener extends ScreenReports {
  /** An answer to a program's query, to be typed into the terminal. */
  onReply(text: string): void;
  onTitle(title: string): void;
  onBell(): void;
}

export interface Picture {
  cols: number;
  rows: number;
  /** Output that paints the screen and its state on a cleared terminal of this size. */
  screen: string;
  cursor: { x: number; y: number; visible: boolean };
  alternate: boolean;
  title: string;
  historyLines: number;
}

/** Write one after the other to a new terminal of the same size. */
export interface Replay {
  above: readonly HistoryPiece[];
  screen: string;
}

const NOTHING = Buffer.alloc(0);

export class Screen {
  private readonly emulator: Emulator;
  private readonly modes: TerminalModes;
  private readonly history: History;
  private readonly unfinished: UnfinishedSequence;
  private heldBack = NOTHING;
  private currentTitle = "";

  constructor(cols: number, rows: number, historyLines: number, listener: ScreenListener) {
    this.emulator = createEmulator(cols, rows, Math.min(historyLines, KEPT_ROWS));
    const { terminal, core } = this.emulator;
    this.history = new History(core, historyLines);
    this.unfinished = new UnfinishedSequence(core);
    this.modes = new TerminalModes(terminal, (text) => listener.onReply(text));
    terminal.onData((text) => listener.onReply(text));
    terminal.onBell(() => listener.onBell());
    terminal.onTitleChange((text) => {
      this.currentTitle = cleanTitle(text);
      listener.onTitle(this.currentTitle);
    });
    registerReports(terminal, listener);
    // Erasing the scrollback, and a full reset, also drop the packed lines.
    terminal.parser.registerCsiHandler({ final: "J" }, ([what]) => this.forgetHistory(what === 3));
    terminal.parser.registerEscHandler({ final: "c" }, () => this.forgetHistory(true));
  }

  get title(): string {
    return this.currentTitle;
  }

  get cols(): number {
    return this.emulator.terminal.cols;
  }

  get rows(): number {
    return this.emulator.terminal.rows;
  }

  /** A full-screen program is active. */
  get isAlternate(): boolean {
    const { active, alt } = this.emulator.core.buffers;
    return active === alt;
  }

  feed(data: Buffer): void {
    const whole = this.heldBack.length === 0 ? data : Buffer.concat([this.heldBack, data]);
    // The emulator corrupts a split character whose middle byte is 0x80, as in “ and —.
    const tail = incompleteTail(whole);
    this.heldBack = tail === 0 ? NOTHING : Buffer.from(whole.subarray(whole.length - tail));
    const complete = whole.subarray(0, whole.length - tail);
    this.emulator.parse(complete);
    this.unfinished.update(complete);
  }

  /** Bytes fed that a picture taken now does not include; send them after it. */
  get unapplied(): number {
    return this.heldBack.length + this.unfinished.repeated;
  }

  resize(cols: number, rows: number): void {
    this.history.resize(cols, rows, () => this.emulator.terminal.resize(cols, rows));
  }

  picture(): Picture {
    const { buffers } = this.emulator.core;
    return {
      cols: this.cols,
      rows: this.rows,
      screen: this.paint(false),
      cursor: { x: buffers.active.x, y: buffers.active.y, visible: this.modes.cursorVisible },
      alternate: this.isAlternate,
      title: this.currentTitle,
      historyLines: this.history.lines,
    };
  }

  /** The newest lines above the screen, newest piece first. */
  historyPieces(lines: number): HistoryPiece[] {
    return this.history.pieces(lines);
  }

  /** Output that rebuilds the lines above the screen and the screen itself, oldest first. */
  replay(lines: number): Replay {
    const above = this.history.pieces(lines).toReversed();
    const continues = this.history.continues && above.length > 0;
    return { above, screen: this.paint(continues) };
  }

  /** The visible rows as text, without empty rows at the bottom. */
  shownText(): string[] {
    return trimEnd(screenText(this.emulator.core.buffers.active, this.rows));
  }

  /** The rows of the screen with their colours. */
  shownRows(): ColoredRow[] {
    const { active } = this.emulator.core.buffers;
    const rows = coloredRows(active, this.rows);
    const row = this.modes.cursorVisible ? rows[active.y] : undefined;
    if (row !== undefined) row.cursor = active.x;
    return rows;
  }

  /** Whether a program has set a numbered mode. */
  isOn(mode: number): boolean {
    return this.modes.isOn(mode);
  }

  /** The newest lines as text, including the screen's. */
  text(lines: number): string[] {
    const { active, normal } = this.emulator.core.buffers;
    const shown = this.shownText();
    // An alternate screen has no history.
    const missing = active === normal ? lines - shown.length : 0;
    if (missing <= 0) return shown.slice(-lines);
    const above = this.history.pieces(missing).toReversed();
    return [...above.flatMap((piece) => piece.split()).map(plainText), ...shown];
  }

  /** The screen line by line, each painted on its own, preceded by the newest lines above it. */
  paintedLines(above: number): string[] {
    const { core } = this.emulator;
    const { active, normal } = core.buffers;
    const pieces = active === normal ? this.history.pieces(above).toReversed() : [];
    return [...pieces.flatMap((piece) => piece.split()), ...paintLines(core, active, this.rows)];
  }

  /** Steps of less than a millisecond that compress what is above the screen. */
  *packing(): Generator<void> {
    // Only what waits now: in a flood every step adds more.
    for (let steps = this.history.waiting; steps > 0; steps--) {
      this.history.packSome();
      yield;
    }
  }

  dispose(): void {
    this.emulator.terminal.dispose();
  }

  private forgetHistory(forget: boolean): false {
    if (forget) this.history.clear();
    return false;
  }

  private paint(continues: boolean): string {
    const title = this.currentTitle === "" ? "" : `\x1b]2;${this.currentTitle}\x07`;
    return paintScreen(this.emulator, this.modes, { continues }) + title + this.unfinished.opener;
  }
}

function trimEnd(lines: string[]): string[] {
  let length = lines.length;
  while (length > 0 && lines[length - 1]?.trim() === "") length--;
  return lines.slice(0, length);
}
