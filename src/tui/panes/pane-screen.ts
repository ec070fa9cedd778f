/**
 * A pane's emulator and its latest complete frame. Frames follow synchronized output, so that no partial frame is
 * shown.
 */
import type { TerminalState } from "../../protocol/frames.ts";
import { createEmulator, type Emulator } from "../../screen/emulator.ts";
import { TerminalModes } from "../../screen/modes.ts";
import { cleanTitle, parseOsc777, parseOsc9 } from "../../screen/osc.ts";
import { incompleteTail } from "../../screen/utf8-tail.ts";
import type { KeyboardModes, MouseModes } from "../input/key-encoding.ts";
import { copyLine } from "../render/emulator-cells.ts";
import { Grid } from "../render/grid.ts";

export interface PaneUpdate {
  onTitle(title: string): void;
  onBell(): void;
  onNotification(text: string): void;
  /** The program sets the clipboard; base64 as received. */
  onClipboard(base64: string): void;
}

/** The longest wait for a program to complete a frame. */
const FRAME_WITHIN_MS = 150;

const MAX_CLIPBOARD = 256 * 1024;
const NOTHING = Buffer.alloc(0);

const RESET = Buffer.from("\x1bc");

export class PaneScreen {
  private readonly emulator: Emulator;
  private readonly modes: TerminalModes;
  private heldBack = NOTHING;
  private shown: Grid;
  private stale = true;
  private frameSince = 0;

  constructor(cols: number, rows: number, news: PaneUpdate) {
    this.emulator = createEmulator(cols, rows, 0);
    const { terminal } = this.emulator;
    // The runner answers the program's queries; the emulator must not answer them again.
    this.modes = new TerminalModes(terminal, () => undefined);
    terminal.onTitleChange((title) => news.onTitle(cleanTitle(title)));
    terminal.onBell(() => news.onBell());
    const { parser } = terminal;
    for (const [code, parse] of [[9, parseOsc9] as const, [777, parseOsc777] as const]) {
      parser.registerOscHandler(code, (payload) => {
        const found = parse(payload);
        if (found !== undefined)
          news.onNotification([found.title, found.body].filter((part) => part !== "").join(": "));
        return true;
      });
    }
    parser.registerOscHandler(52, (payload) => {
      const data = payload.slice(payload.indexOf(";") + 1);
      if (data.length <= MAX_CLIPBOARD && /^[A-Za-z0-9+/=]+$/.test(data)) news.onClipboard(data);
      return true;
    });
    this.shown = new Grid(cols, rows);
  }

  get cols(): number {
    return this.emulator.terminal.cols;
  }

  get rows(): number {
    return this.emulator.terminal.rows;
  }

  /** Resets the emulator. */
  restore(state: TerminalState): void {
    this.heldBack = NOTHING;
    this.emulator.parse(RESET);
    this.resize(state.cols, state.rows);
    this.emulator.parse(Buffer.from(state.screen));
    this.frameSince = 0;
    this.stale = true;
  }

  feed(data: Buffer): void {
    const whole = this.heldBack.length === 0 ? data : Buffer.concat([this.heldBack, data]);
    const tail = incompleteTail(whole);
    this.heldBack = tail === 0 ? NOTHING : Buffer.from(whole.subarray(whole.length - tail));
    this.emulator.parse(whole.subarray(0, whole.length - tail));
    this.stale = true;
    if (!this.inFrame) this.frameSince = 0;
    else if (this.frameSince === 0) this.frameSince = performance.now();
  }

  resize(cols: number, rows: number): void {
    if (cols === this.cols && rows === this.rows) return;
    this.emulator.terminal.resize(cols, rows);
    this.stale = true;
  }

  /** Milliseconds to wait for the program to complete its frame. */
  get frameEndsInMs(): number {
    return this.frameSince === 0 ? 0 : Math.max(0, this.frameSince + FRAME_WITHIN_MS - performance.now());
  }

  /** The latest complete frame. */
  picture(): Grid {
    if (!this.stale || this.frameEndsInMs > 0) return this.shown;
    const { core } = this.emulator;
    if (this.shown.width !== this.cols || this.shown.height !== this.rows) this.shown = new Grid(this.cols, this.rows);
    const { lines, ybase } = core.buffers.active;
    for (let y = 0; y < this.rows; y++) copyLine(core, lines.get(ybase + y), this.shown, y);
    this.stale = false;
    return this.shown;
  }

  get cursor(): { x: number; y: number; visible: boolean; shape: number } {
    const { active } = this.emulator.core.buffers;
    const { cursorVisible: visible, cursorStyle: shape } = this.modes;
    return { x: Math.min(active.x, this.cols - 1), y: active.y, visible, shape };
  }

  get keyboard(): KeyboardModes {
    return { applicationCursor: this.modes.isOn(1), kitty: this.modes.keyboard.flags };
  }

  get mouse(): MouseModes {
    const tracking = [1003, 1002, 1000, 9].find((mode) => this.modes.isOn(mode)) ?? 0;
    return { tracking, encoding: this.modes.isOn(1006) ? "sgr" : "old" };
  }

  get bracketedPaste(): boolean {
    return this.modes.isOn(2004);
  }

  get wantsFocus(): boolean {
    return this.modes.isOn(1004);
  }

  get alternate(): boolean {
    const { active, alt } = this.emulator.core.buffers;
    return active === alt;
  }

  dispose(): void {
    this.emulator.terminal.dispose();
  }

  private get inFrame(): boolean {
    return this.modes.isOn(2026);
  }
}
